"""The configurations that are compared: names in tables, options of `wayproof check`."""

from __future__ import annotations

from typing import Dict, List

# The default first, then in the order of the paper's table 2.
CONFIGS: Dict[str, List[str]] = {
    "auto": ["--engine", "auto"],
    "gps": ["--engine", "gps"],
    "gps-lite": ["--engine", "gps-lite"],
    "gps-nogas": ["--engine", "gps", "--no-gas"],
    "gps-nogas-nosum": ["--engine", "gps", "--no-gas", "--no-summaries"],
    "impact": ["--engine", "impact"],
    "cra": ["--engine", "cra"],
}

# The configuration that commands measure unless told otherwise: what `wayproof check` does by itself.
DEFAULT = "auto"


def options(name: str) -> List[str]:
    """The options of a configuration; any other name is that of an engine."""
    return CONFIGS.get(name, ["--engine", name])
