"""The tables count what was told, where, and list what was not."""

from __future__ import annotations

from pathlib import Path

import pytest
from mutation_tables import COULD_NOT_BE_RUN, Judged, meaning, section
from wrong_migrations import LOSS, RESULTS, START, Mutation

from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.ladder import LADDER, climb
from tfmigrate_runtime.verify.traces.recording import load_recording

FIXTURES = Path(__file__).parents[2] / "fixtures"


def judged(kind: str, rung: str, equivalent: bool = False) -> Judged:
    mutation = Mutation(kind, 7, kind, (LOSS,))
    return Judged("towers/one", mutation, Path("migrated.py"), rung, "a reason", equivalent)


def test_wrong_migrations_are_counted_and_listed() -> None:
    text = section(
        [
            judged("no clipping", "same loss at every step"),
            judged("no clipping", COULD_NOT_BE_RUN),
            judged("no clipping", "same calls and results"),
            judged("different metric", ""),
            judged("half a batch", "", equivalent=True),
        ]
    )
    assert "4 wrong migrations of 1 programs, 4 of each: 3 are detected (75.0 %), 2 of them" in text
    assert "(50.0 % of all). 1 more change nothing that the program computes." in text
    assert "| towers | 4 | 3 | 2 | 1 |" in text
    assert "| no clipping | 3 | 3 | 2 | 1 |" in text
    listed = [line for line in text.splitlines() if "migrated.py:7" in line]
    assert listed == [
        "| towers/one | migrated.py:7: no clipping | same calls and results |",
        "| towers/one | migrated.py:7: different metric | a reason |",
        "| towers/one | migrated.py:7: half a batch | a reason |",
    ]


def test_every_rung_has_a_meaning() -> None:
    trace = load_recording(FIXTURES / "replica_device_setter" / "async_done_queue/trace.npz")
    rungs = [rung.name for rung in climb(trace, trace, Tolerance()).rungs]
    found = {meaning(name) for name in [*rungs, *(compared.name for compared in LADDER)]}
    assert len(found) == len(LADDER)
    assert {START, LOSS, RESULTS} <= found
    with pytest.raises(ValueError, match="same colour"):
        meaning("same colour")
