"""What measuring needs: the binary, and BenchExec in a virtual environment of its own outside the clone."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Optional

from wayproof_bench.tasks import ROOT, UsageError

# Pinned, so that tables of different days come from the same instrument.
BENCHEXEC = "benchexec==3.35"


def say(text: str) -> None:
    """Messages go to standard error; standard output is for results."""
    print(text, file=sys.stderr, flush=True)


def cache_folder() -> Path:
    """Where things that can be fetched again are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "wayproof"


def binary(given: Optional[str]) -> Path:
    """The given binary, that of WAYPROOF, or the release build of this clone, which is brought up to date."""
    given = given or os.environ.get("WAYPROOF")
    if given:
        path = Path(given).resolve()
        if not os.access(path, os.X_OK):
            raise UsageError(f"`{given}` is no executable file")
        return path
    try:
        say("building the release binary (--binary or WAYPROOF names another one)")
        subprocess.run(["cargo", "build", "--release", "--bin", "wayproof"], cwd=ROOT, check=True)
        metadata = subprocess.run(
            ["cargo", "metadata", "--format-version", "1", "--no-deps"],
            cwd=ROOT, check=True, stdout=subprocess.PIPE,
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise UsageError(f"the binary cannot be built: {error}") from error
    return Path(json.loads(metadata.stdout)["target_directory"]) / "release" / "wayproof"


def version(path: Path) -> str:
    """What the binary says of itself, and a hash that tells builds of one version apart."""
    text = subprocess.run([str(path), "--version"], check=True, stdout=subprocess.PIPE).stdout.decode()
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    return f"{', '.join(text.splitlines())} ({digest})"


def machine() -> str:
    """Processor and cores, as far as the system tells."""
    model = platform.processor() or platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    return f"{model}, {os.cpu_count()} cores"


def venv() -> Optional[Path]:
    """The folder of BenchExec's commands; it is installed if need be. None, with a message, if that is not possible."""
    folder = cache_folder() / "bench-venv"
    stamp = folder / "wayproof-installed"
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Several shards may start at the same time on one file system.
    with open(folder.parent / "bench-venv.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if stamp.is_file() and stamp.read_text(encoding="utf-8") == BENCHEXEC:
            return folder / "bin"
        say(f"installing {BENCHEXEC} into a virtual environment in {folder}")
        try:
            subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, timeout=120)
            pip = [str(folder / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", BENCHEXEC]
            subprocess.run(pip, check=True, timeout=600)
        except (OSError, subprocess.SubprocessError) as error:
            say(f"BenchExec cannot be installed: {error}")
            return None
        stamp.write_text(BENCHEXEC, encoding="utf-8")
    return folder / "bin"


def benchexec_environment() -> dict:
    """The environment in which BenchExec finds our tool-info module."""
    environment = dict(os.environ)
    parts = [str(Path(__file__).resolve().parent.parent), environment.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(part for part in parts if part)
    return environment


def benchexec_works(commands: Path) -> bool:
    """Whether limits can be enforced here: one run of `true` under limits of time and memory."""
    probe = [
        str(commands / "runexec"), "--no-container", "--quiet", "--output", os.devnull,
        "--timelimit", "5", "--memlimit", "1GB", "--", "true",
    ]
    try:
        done = subprocess.run(probe, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        say(f"BenchExec does not run: {error}")
        return False
    text = done.stdout.decode(errors="replace")
    if done.returncode == 0 and "cputime=" in text and "memory=" in text and "terminationreason" not in text:
        return True
    lines = (done.stderr.decode(errors="replace").strip().splitlines() or ["no message"])
    say(f"BenchExec cannot limit runs here (cgroups): {lines[-1]}")
    return False
