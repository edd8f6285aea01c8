"""Lets the tests of between-graph training import what the tests of clusters share."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "cluster"))
