"""Traces that kept variables at different steps."""

from dataclasses import replace

import numpy as np
from traces import trace

from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.ladder import climb


def thinned(full, rows):
    values = {name: array[rows] for name, array in full.variables.items()}
    return replace(full, variable_step=full.variable_step[rows], variables=values)


def test_all_steps_are_compared_where_both_have_them():
    outcome = climb(trace(), trace(), Tolerance()).rungs[4].outcome
    assert not [line for line in outcome.details if "of 5 steps" in line]


def test_variables_are_compared_at_the_steps_that_both_recorded():
    for pair in ((trace(), thinned(trace(), [0, 2, 4])), (thinned(trace(), [0, 2, 4]), trace())):
        verdict = climb(*pair, Tolerance())
        assert verdict.same
        assert "Variables were compared after 3 of 5 steps." in verdict.rungs[4].outcome.details


def test_a_difference_at_a_common_step_is_found_and_at_another_not():
    kernel = np.array(trace().variables["dense/kernel"])
    kernel[2, 0, 1] += 1
    wrong = trace(variables={**trace().variables, "dense/kernel": kernel})
    failed = climb(thinned(trace(), [0, 2, 4]), wrong, Tolerance()).failed
    assert failed.number == 5
    assert "at step 3" in failed.outcome.details[0]
    assert climb(thinned(trace(), [0, 1, 4]), wrong, Tolerance()).same


def test_no_common_step_is_no_agreement():
    verdict = climb(thinned(trace(), [0, 2]), thinned(trace(), [1, 3]), Tolerance())
    assert verdict.failed.number == 5
    assert verdict.failed.outcome.figure == "no common step"
