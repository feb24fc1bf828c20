"""Charts as SVG text, without a plotting library: line charts, scatter plots and a diagram of three sets.

The same data give the same text, so that a plot changes in a repository only if its data do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Dict, List, Sequence, Tuple
from xml.sax.saxutils import escape

# Okabe and Ito: told apart by people who see colours differently; marks differ as well.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999"]
MARKS = ["circle", "square", "triangle", "diamond"]
_FONT = 'font-family="Helvetica, Arial, sans-serif"'

Point = Tuple[float, float]


@dataclass
class Axis:
    """One direction of a chart."""

    label: str
    low: float
    high: float
    logarithmic: bool = False

    def place(self, value: float) -> float:
        """Where a value lies, from 0 to 1; what lies outside is drawn on the border."""
        low, high, value = self.low, self.high, min(max(value, self.low), self.high)
        if self.logarithmic:
            low, high, value = math.log10(low), math.log10(high), math.log10(value)
        return (value - low) / (high - low) if high > low else 0.5

    def ticks(self) -> List[float]:
        """Round numbers: powers of ten, or five to ten steps."""
        if self.logarithmic:
            first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
            return [10.0 ** power for power in range(first, last + 1)]
        span = self.high - self.low
        step = 10.0 ** math.floor(math.log10(span / 5)) if span > 0 else 1.0
        while span / step > 8:
            step *= 2 if span / (2 * step) <= 8 else 5
        first = math.ceil(self.low / step - 1e-9)
        return [index * step for index in range(first, math.floor(self.high / step + 1e-9) + 1)]


def log_axis(label: str, values: Sequence[float], floor: float) -> Axis:
    """A logarithmic axis of whole decades around the values; values below `floor` are drawn at it."""
    usable = [max(value, floor) for value in values] or [floor, floor * 10]
    low = 10.0 ** math.floor(math.log10(min(usable)) + 1e-9)
    high = 10.0 ** math.ceil(math.log10(max(usable)) - 1e-9)
    return Axis(label, low, high if high > low else low * 10, logarithmic=True)


def _number(value: float) -> str:
    if value >= 1 or value == 0:
        return f"{value:,.0f}"
    return f"{value:g}"


def _mark(kind: str, x: float, y: float, colour: str) -> str:
    if kind == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'
    shapes = {
        "square": [(-3, -3), (3, -3), (3, 3), (-3, 3)],
        "triangle": [(0, -4), (4, 3), (-4, 3)],
        "diamond": [(0, -4), (4, 0), (0, 4), (-4, 0)],
    }
    points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in shapes[kind])
    return f'<polygon points="{points}" fill="{colour}"/>'


class Chart:
    """A chart with two axes and named series."""

    LEFT, RIGHT, TOP, BOTTOM = 70, 170, 40, 50

    def __init__(self, title: str, x: Axis, y: Axis, width: int = 680, height: int = 400):
        self.title, self.x, self.y, self.width, self.height = title, x, y, width, height
        self.series: List[Tuple[str, List[Point], bool]] = []
        self.has_diagonal = False

    def line(self, name: str, points: List[Point]) -> None:
        """Points joined by lines."""
        self.series.append((name, points, True))

    def scatter(self, name: str, points: List[Point]) -> None:
        """Points alone."""
        self.series.append((name, points, False))

    def _at(self, point: Point) -> Point:
        inner_width = self.width - self.LEFT - self.RIGHT
        inner_height = self.height - self.TOP - self.BOTTOM
        return (self.LEFT + self.x.place(point[0]) * inner_width,
                self.height - self.BOTTOM - self.y.place(point[1]) * inner_height)

    def _frame(self) -> List[str]:
        left, right, top, bottom = self.LEFT, self.width - self.RIGHT, self.TOP, self.height - self.BOTTOM
        parts = [f'<text x="{left}" y="22" {_FONT} font-size="15" font-weight="bold">{escape(self.title)}</text>']
        for tick in self.x.ticks():
            x = self._at((tick, self.y.low))[0]
            parts.append(f'<line x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom}" stroke="#dddddd"/>')
            parts.append(f'<text x="{x:.1f}" y="{bottom + 17}" {_FONT} font-size="11" text-anchor="middle">{_number(tick)}</text>')
        for tick in self.y.ticks():
            y = self._at((self.x.low, tick))[1]
            parts.append(f'<line x1="{left}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#dddddd"/>')
            parts.append(f'<text x="{left - 7}" y="{y + 4:.1f}" {_FONT} font-size="11" text-anchor="end">{_number(tick)}</text>')
        if self.has_diagonal:
            low, high = max(self.x.low, self.y.low), min(self.x.high, self.y.high)
            (x1, y1), (x2, y2) = self._at((low, low)), self._at((high, high))
            parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#999999" stroke-dasharray="4"/>')
        parts.append(f'<rect x="{left}" y="{top}" width="{right - left}" height="{bottom - top}" fill="none" stroke="#333333"/>')
        parts.append(f'<text x="{(left + right) / 2:.1f}" y="{self.height - 12}" {_FONT} font-size="12" '
                     f'text-anchor="middle">{escape(self.x.label)}</text>')
        middle = (top + bottom) / 2
        parts.append(f'<text x="16" y="{middle:.1f}" {_FONT} font-size="12" text-anchor="middle" '
                     f'transform="rotate(-90 16 {middle:.1f})">{escape(self.y.label)}</text>')
        return parts

    def text(self) -> str:
        """The chart as a file."""
        parts = self._frame()
        for index, (name, points, joined) in enumerate(self.series):
            colour, mark = COLOURS[index % len(COLOURS)], MARKS[index % len(MARKS)]
            places = [self._at(point) for point in points]
            if joined and len(places) > 1:
                way = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
                parts.append(f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
            # A mark on each of very many points would be a smear.
            stride = max(1, len(places) // 20) if joined else 1
            parts += [_mark(mark, x, y, colour) for x, y in places[::stride]]
            y = self.TOP + 10 + 18 * index
            x = self.width - self.RIGHT + 18
            parts.append(_mark(mark, x, y, colour))
            parts.append(f'<text x="{x + 10}" y="{y + 4}" {_FONT} font-size="12">{escape(name)}</text>')
        return _document(self.width, self.height, parts)


def _document(width: int, height: int, parts: List[str]) -> str:
    body = "\n".join(parts)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">\n'
            f'<rect width="{width}" height="{height}" fill="white"/>\n{body}\n</svg>\n')


def venn(title: str, names: Sequence[str], counts: Dict[Tuple[bool, bool, bool], int]) -> str:
    """Three sets; `counts` says how many things are in exactly the given ones. Areas mean nothing, numbers do."""
    centres = [(230, 165), (330, 165), (280, 250)]
    labels = [(130, 58), (430, 58), (280, 375)]
    places = {
        (True, False, False): (185, 140), (False, True, False): (375, 140), (False, False, True): (280, 310),
        (True, True, False): (280, 130), (True, False, True): (222, 232), (False, True, True): (338, 232),
        (True, True, True): (280, 195), (False, False, False): (480, 330),
    }
    parts = [f'<text x="20" y="26" {_FONT} font-size="15" font-weight="bold">{escape(title)}</text>']
    for index, (x, y) in enumerate(centres):
        colour = COLOURS[index]
        parts.append(f'<circle cx="{x}" cy="{y}" r="95" fill="{colour}" fill-opacity="0.18" stroke="{colour}" stroke-width="2"/>')
        total = sum(count for members, count in counts.items() if members[index])
        label_x, label_y = labels[index]
        parts.append(f'<text x="{label_x}" y="{label_y}" {_FONT} font-size="13" fill="{colour}" font-weight="bold" '
                     f'text-anchor="middle">{escape(names[index])}: {total}</text>')
    for members, (x, y) in places.items():
        note = " by none" if not any(members) else ""
        parts.append(f'<text x="{x}" y="{y + 5}" {_FONT} font-size="14" text-anchor="middle">{counts.get(members, 0)}{note}</text>')
    return _document(560, 400, parts)
