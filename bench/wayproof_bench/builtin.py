"""The runner for machines where BenchExec cannot enforce limits (no cgroups).

It watches CPU time and memory of the process and its children through /proc, and asks the kernel for a limit of CPU
time as well. That is less exact than BenchExec (memory is sampled, a short peak may be missed; time is read from
rusage); results are written as BenchExec writes them, so that its tables can be made of them.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable, List, Optional, Tuple
from xml.sax.saxutils import quoteattr

from wayproof_bench import output
from wayproof_bench.definition import Limits
from wayproof_bench.records import Record
from wayproof_bench.tasks import Task

_INTERVAL_S = 0.05


def command(binary: Path, options: List[str], task: Task) -> List[str]:
    """The same command line as that of the tool-info module."""
    line = [str(binary), "check", "--format", "svcomp", "--stats", *options]
    if task.data_model:
        line += ["--data-model", task.data_model]
    return [*line, "--property", str(task.property_file), str(task.program)]


def _usage(group: int) -> Optional[Tuple[float, int]]:
    """CPU seconds and resident bytes of a process group; None where there is no /proc."""
    ticks = pages = 0
    try:
        entries = os.listdir("/proc")
    except OSError:
        return None
    for entry in entries:
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                # The name of the process may have blanks and parentheses; what follows has not.
                values = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if len(values) > 21 and int(values[2]) == group:
            ticks += sum(int(value) for value in values[11:15])
            pages += int(values[21])
    return ticks / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE")


def _limit_cpu(seconds: int) -> Callable[[], None]:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return limit


def _end(group: int, with_signal: int) -> None:
    try:
        os.killpg(group, with_signal)
    except (ProcessLookupError, PermissionError):
        pass


def run_one(binary: Path, config: str, options: List[str], task: Task, limits: Limits) -> Record:
    """Runs one task to its end or its limit."""
    with tempfile.TemporaryFile() as log:
        start = time.monotonic()
        process = subprocess.Popen(
            command(binary, options, task), stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            start_new_session=True, preexec_fn=_limit_cpu(limits.seconds + limits.GRACE_S + 1),
        )
        ended_by, usage, peak = _watch(process.pid, limits, start)
        wall = time.monotonic() - start
        process.returncode = 0  # it was waited for; keep Popen from doing it again
        _end(process.pid, signal.SIGKILL)
        log.seek(0)
        lines = log.read(2_000_000).decode(errors="replace").splitlines()
    wait_status, used = usage
    code = os.WEXITSTATUS(wait_status) if os.WIFEXITED(wait_status) else None
    by_signal = os.WTERMSIG(wait_status) if os.WIFSIGNALED(wait_status) else None
    cpu = used.ru_utime + used.ru_stime
    if not ended_by and (by_signal == signal.SIGXCPU or cpu > limits.seconds):
        ended_by = "TIMEOUT"
    return Record(
        config=config, suite=task.suite, task=task.name, expected=task.expected or "",
        status=ended_by or output.status(lines, code, by_signal),
        cpu_s=cpu, wall_s=wall, peak_mb=max(peak, used.ru_maxrss * 1024) / 1e6,
        reason=output.reason(lines) or "",
        **{column: output.statistic(lines, name) or "" for name, column in output.STATISTICS.items()},
    )


def _watch(pid: int, limits: Limits, start: float):
    """Waits for a process, and ends it at its limits: why, its wait status and usage, its peak of memory."""
    ended_by, peak, asked_at = "", 0, None
    # Much waiting and little computing is a hang.
    latest = start + 3 * limits.seconds + 30
    while True:
        done, wait_status, used = os.wait4(pid, os.WNOHANG)
        if done:
            return ended_by, (wait_status, used), peak
        now = time.monotonic()
        cpu, memory = _usage(pid) or (0.0, 0)
        peak = max(peak, memory)
        if memory > limits.memory_mib * 1024 * 1024 and not ended_by:
            ended_by = "OUT OF MEMORY"
            _end(pid, signal.SIGKILL)
        elif (cpu > limits.seconds or now > latest) and not ended_by:
            ended_by, asked_at = "TIMEOUT", now
            _end(pid, signal.SIGTERM)
        elif asked_at is not None and now > asked_at + limits.GRACE_S:
            _end(pid, signal.SIGKILL)
        # Short runs are the rule: look often at first.
        time.sleep(min(_INTERVAL_S, 0.002 + (now - start) / 10))


def run(binary: Path, config: str, options: List[str], tasks: List[Task], limits: Limits, jobs: int,
        done: Callable[[Record], None]) -> List[Record]:
    """Runs tasks, some at a time; `done` hears of each."""
    def one(task: Task) -> Record:
        record = run_one(binary, config, options, task, limits)
        done(record)
        return record

    with ThreadPoolExecutor(max_workers=jobs) as pool:
        return list(pool.map(one, tasks))


_CATEGORIES = {"solved": "correct", "wrong": "wrong", "unknown": "unknown", "answered": "missing"}


def write_xml(path: Path, config: str, version: str, records: List[Record], tasks: List[Task], limits: Limits) -> None:
    """The results in BenchExec's format, for its table-generator."""
    definitions = {(task.suite, task.name): task for task in tasks}
    titles = ["status", "cputime", "walltime", "memory", *output.STATISTICS, "reason"]
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<result benchmarkname="wayproof" name={quoteattr(config)} tool="wayproof" toolmodule="wayproof_bench.toolinfo" '
        f'version={quoteattr(version)} timelimit="{limits.seconds}s" memlimit="{limits.memory_mib * 1024 * 1024}B" '
        'generator="wayproof built-in runner" displayName="Wayproof">',
        "  <columns>" + "".join(f"<column title={quoteattr(title)}/>" for title in titles) + "</columns>",
    ]
    for record in records:
        task = definitions[record.suite, record.task]
        expected = f" expectedVerdict={quoteattr(record.expected)}" if record.expected else ""
        lines.append(f'  <run name={quoteattr(str(task.definition))}{expected} properties="{task.property_file.stem}" '
                     f'propertyFile={quoteattr(str(task.property_file))} files={quoteattr(f"[{task.program}]")}>')
        values = {
            "status": record.status, "category": _CATEGORIES.get(record.outcome, "error"),
            "cputime": f"{record.cpu_s:.6f}s", "walltime": f"{record.wall_s:.6f}s", "memory": f"{record.peak_mb * 1e6:.0f}B",
            **{name: getattr(record, column) for name, column in output.STATISTICS.items()}, "reason": record.reason,
        }
        lines += [f"    <column title={quoteattr(title)} value={quoteattr(str(value))}/>" for title, value in values.items()]
        lines.append("  </run>")
    lines += ["</result>", ""]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines), encoding="utf-8")
