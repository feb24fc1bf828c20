"""Two runs side by side: what was won, what was lost, what is wrong, and how the speed changed.

Tasks are matched by suite and name, so that two engines can be compared as well as two versions.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Dict, List, Optional, Tuple

from wayproof_bench import records
from wayproof_bench.records import Record
from wayproof_bench.tasks import UsageError

# Below this a difference of time is noise of the clock and of process creation.
NOISE_S = 0.05


def read(place: Path) -> List[Record]:
    """The rows of a file, or of the results.csv in a folder."""
    path = place / "results.csv" if place.is_dir() else place
    try:
        return records.load(path)
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read results: {error}") from error


class Comparison:
    """What changed. `before` and `after` hold one configuration each."""

    def __init__(self, before: List[Record], after: List[Record]):
        first, second = _by_task(before, "A"), _by_task(after, "B")
        self.common = sorted(set(first) & set(second))
        self.only_before = len(set(first) - set(second))
        self.only_after = len(set(second) - set(first))
        pairs = [(first[key], second[key]) for key in self.common]
        self.gained = [pair for pair in pairs if pair[1].outcome == "solved" != pair[0].outcome]
        self.lost = [pair for pair in pairs if pair[0].outcome == "solved" != pair[1].outcome]
        self.wrong_before = [pair for pair in pairs if pair[0].outcome == "wrong"]
        self.wrong_after = [pair for pair in pairs if pair[1].outcome == "wrong"]
        self.both = [pair for pair in pairs if pair[0].outcome == pair[1].outcome == "solved"]

    def ratio(self) -> Optional[float]:
        """Geometric mean of B's CPU time over A's on what both solve; below 1 is faster. Times below the noise count as the noise."""
        if not self.both:
            return None
        logs = [math.log(max(b.cpu_s, NOISE_S) / max(a.cpu_s, NOISE_S)) for a, b in self.both]
        return math.exp(sum(logs) / len(logs))

    def moved(self, factor: float = 2.0) -> Tuple[List[Tuple[Record, Record]], List[Tuple[Record, Record]]]:
        """Tasks that became slower and faster by a factor, the largest changes first."""
        def change(pair: Tuple[Record, Record]) -> float:
            return max(pair[1].cpu_s, NOISE_S) / max(pair[0].cpu_s, NOISE_S)

        ordered = sorted(self.both, key=change)
        slower = [pair for pair in reversed(ordered) if change(pair) >= factor]
        return slower, [pair for pair in ordered if change(pair) <= 1 / factor]

    def text(self) -> str:
        """The comparison for people."""
        lines = [f"tasks in both: {len(self.common)}"]
        if self.only_before or self.only_after:
            lines.append(f"tasks only in A: {self.only_before}, only in B: {self.only_after}")
        for title, pairs in [("newly solved", self.gained), ("lost", self.lost), ("wrong in A", self.wrong_before),
                             ("wrong in B", self.wrong_after)]:
            lines.append(f"{title}: {len(pairs)}")
            lines += [f"  {a.suite}/{a.task}: {a.status} -> {b.status} ({a.cpu_s:.2f} s -> {b.cpu_s:.2f} s)" for a, b in pairs]
        ratio = self.ratio()
        if ratio is not None:
            total_a, total_b = (sum(pair[side].cpu_s for pair in self.both) for side in (0, 1))
            lines.append(f"solved by both: {len(self.both)}; CPU {total_a:.2f} s -> {total_b:.2f} s; "
                         f"geometric mean of B/A {ratio:.2f}")
            for title, pairs in zip(("at least twice as slow", "at least twice as fast"), self.moved()):
                if pairs:
                    lines.append(f"{title}: {len(pairs)}")
                    lines += [f"  {a.suite}/{a.task}: {a.cpu_s:.2f} s -> {b.cpu_s:.2f} s" for a, b in pairs[:20]]
        return "\n".join(lines)


def _by_task(rows: List[Record], name: str) -> Dict[Tuple[str, str], Record]:
    if len({record.config for record in rows}) > 1:
        raise UsageError(f"{name} has several configurations; compare one file of one configuration with another")
    return {(record.suite, record.task): record for record in rows}
