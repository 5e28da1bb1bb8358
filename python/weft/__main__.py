"""`python -m weft` is the command `weft`."""
import os
import pathlib
import sys

COMMAND = pathlib.Path(__file__).with_name("weft-command")


def main():
    if not COMMAND.is_file():
        sys.exit("python -m weft: this package was built without the command, which needs libjpeg, libpng, libzip and "
                 "zlib; the wheel of scripts/python has it")
    os.execv(COMMAND, ["weft", *sys.argv[1:]])


if __name__ == "__main__":
    main()
