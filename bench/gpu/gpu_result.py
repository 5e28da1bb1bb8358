"""What the benches of a GPU share around their measuring: the result file, what is known of the machine, and playing on
the fake driver."""
import contextlib
import datetime
import os
import pathlib
import platform
import subprocess
import sys

import machine
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]


def play_on(mock):
    """Begins the process anew on the fake driver of this directory, unless it is there already. The loader reads
    the variable when a process begins. Peers work in the device's memory, which is the host's."""
    if "MOCKCUDA_OPEN" in os.environ:
        return
    mock = str(pathlib.Path(mock).resolve())
    put_before = {"LD_LIBRARY_PATH": mock, "PYTHONPATH": str(ROOT / "tests/gpu/standins")}
    for variable, path in put_before.items():
        os.environ[variable] = ":".join(filter(None, [path] + os.environ.get(variable, "").split(":")))
    os.environ.update(CUDA_HOME=mock, MOCKCUDA_OPEN="1", JAX_PLATFORMS="cpu")
    os.execv(sys.executable, [sys.executable] + sys.argv)


class Result:
    """The file, written anew at each change."""

    def __init__(self, path, name, **content):
        self.path = pathlib.Path(path)
        self.content = {"machine": f"{processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}",
                        "date": datetime.date.today().isoformat(), "command": " ".join([name] + sys.argv[1:]),
                        "versions": {"python": platform.python_version(), "numpy": np.__version__}, **content}

    def put(self, **values):
        self.content.update(values)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self.path.with_suffix(".new")
        fresh.write_text(machine.listed(machine.rounded(self.content)) + "\n", encoding="utf-8")
        fresh.replace(self.path)


def processor():
    with contextlib.suppress(OSError, StopIteration):
        lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return platform.processor()


def state_of_card():
    """What nvidia-smi says of clocks and load; nothing is changed."""
    fields = "name,driver_version,clocks.sm,clocks.mem,temperature.gpu,power.draw,utilization.gpu,ecc.mode.current"
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        told = subprocess.run(["nvidia-smi", f"--query-gpu={fields}", "--format=csv"], capture_output=True, text=True,
                              timeout=20, check=True)
        return told.stdout.splitlines()
    return []
