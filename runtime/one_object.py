"""Makes one object of archives and keeps its hidden names to itself:

    one_object.py OUTPUT ARCHIVE... -- OBJCOPY... -- CC..."""
import subprocess
import sys


def split(words):
    """The words before each "--", and those behind the last."""
    parts = [[]]
    for word in words:
        if word == "--":
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def main():
    (output, *archives), objcopy, cc = split(sys.argv[1:])
    whole = ["-Wl,--whole-archive", *archives, "-Wl,--no-whole-archive"]
    subprocess.run([*cc, "-r", "-nostdlib", *whole, "-o", output], check=True)
    subprocess.run([*objcopy, "--localize-hidden", output], check=True)


if __name__ == "__main__":
    main()
