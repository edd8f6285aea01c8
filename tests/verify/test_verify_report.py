import io
import json
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console
from verify_support import changed, make_trace

from tfmigrate_runtime.verify.ladder import climb
from tfmigrate_runtime.verify.report import as_json, print_report, sparkline
from tfmigrate_runtime.verify.tolerance import Tolerance

NAMES = ("original.py", "migrated.py")
DOUBLED = """\
original  original.py  (TensorFlow 1.15.5; replicas on CPU:0, CPU:1)
migrated  migrated.py  (TensorFlow 1.15.5; replicas on CPU:0, CPU:1)

rung                          verdict                figure    tolerance
1  both train the same steps  same                  5 steps
2  same trainable variables   same         1 (6 parameters)
3  same initial values        same                  3 equal  bit for bit
4  same loss at every step    DIFFERENT             1.0e+00        1e-05
5  same variables and slots   not reached
6  same metrics, predictions  not reached

original  loss 1.000000 █▆▃▂▁ 0.250000
migrated  loss 2.000000 █▆▃▂▁ 0.500000
rung 4: The loss first differs at step 1: original 1, migrated 2, ratio 2 = 2, with 2 replicas: \
the batch or the loss scale is wrong.
rung 4: 5 of 5 steps differ; the greatest difference, 1, is at step 1.
rung 4: The initial values are the same, so the first step already sees another batch or another \
loss: look at global_batch and loss_reduction (TFM201), then at the input.
rung 4: The recorded variables do not differ.

They do not train the same: rung 4 fails (same loss at every step).
"""


def printed(original, migrated, warnings=()):
    stream = io.StringIO()
    verdict = climb(original, migrated, Tolerance(), warnings)
    console = Console(file=stream, width=80, highlight=False)
    print_report(console, verdict, original, migrated, NAMES)
    return "".join(line.rstrip() + "\n" for line in stream.getvalue().splitlines())


def test_the_report_of_a_doubled_loss():
    trace = make_trace()
    assert printed(trace, replace(trace, loss=trace.loss * 2)) == DOUBLED


def test_the_report_of_the_same_programs_ends_with_that():
    text = printed(make_trace(), make_trace())
    assert text.endswith("\nThey train the same.\n")
    assert "DIFFERENT" not in text and "not reached" not in text


def test_warnings_and_names_with_brackets_are_shown_as_they_are():
    trace = make_trace()
    text = printed(trace, trace, ("other arguments: [red]",))
    assert "warning: other arguments: [red]\n" in text


def test_json_holds_the_verdict_and_no_nan():
    trace = make_trace()
    other = replace(trace, loss=np.full(5, np.nan))
    verdict = climb(trace, other, Tolerance(), ("a warning",))
    text = json.dumps(as_json(verdict, trace, other, NAMES), allow_nan=False)
    content = json.loads(text)
    assert content["same"] is False
    assert content["warnings"] == ["a warning"]
    assert [rung["verdict"] for rung in content["rungs"]] == (
        ["same"] * 3 + ["different"] + ["not reached"] * 2
    )
    assert content["migrated"]["last_loss"] is None


def test_a_variable_that_became_nan_is_reported():
    trace = make_trace()
    other = replace(trace, variables=changed(trace.variables, "net/w", (0, 2, 1), np.nan))
    assert "net/w[2, 1]" in printed(trace, other)
    assert "migrated nan" in printed(trace, other)


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ([1.0, 2.0, 4.0], "▁▃█"),
        ([2.0, 2.0], "▁▁"),
        ([1.0, np.nan, 2.0], "▁ █"),
        ([np.nan], ""),
        ([], ""),
    ],
)
def test_sparkline(values, line):
    assert sparkline(np.array(values), 40) == line
