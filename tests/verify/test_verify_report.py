"""What the user reads: the table as plain text, and the JSON."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import numpy as np
from rich.console import Console
from traces import trace

from tfmigrate_runtime.verify.reports.report import (
    as_json,
    in_words,
    print_report,
    randomness_as_json,
    sparkline,
)
from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.ladder import climb
from tfmigrate_runtime.verify.traces.recording import Recording
from tfmigrate_runtime.verify.traces.trace import Trace

NAMES = ("original.py", "migrated.py")

SAME = """\
The programs train the same.

original  original.py  (TensorFlow 1.15.5; replicas on CPU:0, CPU:1)
migrated  migrated.py  (TensorFlow 1.15.5; replicas on CPU:0, CPU:1)

rung                           verdict                    figure    tolerance
1  both train the same steps   same                      5 steps
2  same trainable variables    same             1 (6 parameters)
3  same initial values, batch  same     2 equal, batch of 8 rows  bit for bit
4  same loss at every step     same                      0.0e+00        1e-04
5  same variables and slots    same                      0.0e+00        1e-04
6  same calls and results      same             2 calls, 0.0e+00        1e-04
7  same checkpoints            same          2 tensors, both ways  bit for bit
8  same exports                same                     1 export
9  same files and hooks        same                    1 summary        1e-04

original  loss 2.000000 █▆▅▃▁ 1.000000
migrated  loss 2.000000 █▆▅▃▁ 1.000000
random numbers: pinned for 0 operations of the original and 0 of the migrated program; 2 initial \
values equal; none found unpinned
warning: recorded long ago
rung 5: A wider tolerance, 5e-03, was used for 1 variable matching *moving_mean (largest \
difference 0.0e+00): its trace has no order of the towers' updates (semantics.md, 1.11).
"""


def recordings(migrated: Trace) -> tuple[Recording, Recording]:
    return Recording.of(trace()), Recording.of(migrated)


def printed(migrated: Trace, warnings: tuple[str, ...] = ()) -> str:
    stream = io.StringIO()
    verdict = climb(trace(), migrated, Tolerance(), warnings)
    print_report(Console(file=stream, width=80), verdict, *recordings(migrated), NAMES)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"


def test_the_table_of_programs_that_train_the_same() -> None:
    assert printed(trace(), ("recorded long ago",)).split() == SAME.split()


def test_the_table_says_what_was_not_recorded() -> None:
    meta = {key: value for key, value in trace().meta.items() if key != "calls"}
    text = printed(trace(meta=meta))
    assert "6 same calls and results same calls not recorded, 0.0e+00 1e-04 7" in " ".join(
        text.split()
    )
    assert "rung 6: The trace of the migrated program does not contain calls" in text
    first = "The programs train the same.\n  Not compared: calls (not recorded).\n\noriginal "
    assert text.startswith(first)


def test_the_table_of_programs_that_do_not() -> None:
    text = printed(trace(loss=trace().loss * 2))
    words = " ".join(text.split())
    assert "4 same loss at every step DIFFERENT" in words
    assert "5 same variables and slots not reached" in words
    assert text.startswith(
        "The programs do not train the same.\n  Rung 4 fails: same loss at every step.\n"
        "  The loss first differs at step 1: original 2, migrated 4, ratio 2 = 2, with 2 replicas"
    )
    assert text.count("The loss first differs") == 1
    assert text.index("The loss first differs") < text.index("Check loss_reduction")
    assert text.index("Check loss_reduction") < text.index("original  original.py")


def test_json() -> None:
    migrated = trace(loss=trace().loss * np.nan)
    verdict = climb(trace(), migrated, Tolerance(), ("a warning",))
    report = json.loads(json.dumps(as_json(verdict, *recordings(migrated), NAMES), allow_nan=False))
    assert set(report) == {
        *(
            "format",
            "verdict",
            "cause",
            "advice",
            "first_difference",
            "same",
            "decided",
            "conclusion",
            "not_compared",
            "warnings",
            "randomness",
            "rungs",
            "original",
            "migrated",
        ),
    }
    assert report["same"] is False
    assert report["warnings"] == ["a warning"]
    assert [rung["verdict"] for rung in report["rungs"]][3:] == [
        "different",
        *["not reached"] * 5,
    ]
    assert report["original"]["last_loss"] == 1.0
    assert report["migrated"]["last_loss"] is None


def test_what_became_of_random_numbers() -> None:
    counted = replace(trace(), meta={**trace().meta, "pinned_operations": {"0": 5, "1": 2}})
    verdict = climb(counted, counted, Tolerance())
    found = randomness_as_json(verdict, counted, counted)
    assert found == {"pinned_operations": [7, 7], "equal": 2, "transferred": [], "free": False}
    text = in_words(found)
    assert text == (
        "pinned for 7 operations of the original and 7 of the migrated program; 2 initial values "
        "equal; none found unpinned"
    )
    assert f"random numbers: {in_words({**found, 'pinned_operations': [0, 0]})}" in printed(trace())
    given = replace(counted, meta={**counted.meta, "transferred": ["dense/kernel"]})
    taken = randomness_as_json(verdict, counted, given)
    assert "1 initial value equal, 1 copied" in in_words(taken)
    assert "some not pinned" in in_words({**found, "free": True})


def test_sparkline() -> None:
    assert sparkline(np.array([0.0, 1.0]), 10) == "▁█"
    assert sparkline(np.array([1.0, 1.0]), 10) == "▁▁"
    assert sparkline(np.array([0.0, np.nan, 1.0]), 10) == "▁ █"
    assert sparkline(np.array([np.nan]), 10) == ""
    assert len(sparkline(np.arange(1000.0), 40)) == 40
