from dataclasses import replace

import numpy as np
import pytest
from verify_support import changed, details, failed_at, make_trace, verdicts

from tfmigrate_runtime.verify.compare import greatest_difference
from tfmigrate_runtime.verify.ladder import climb
from tfmigrate_runtime.verify.tolerance import Tolerance

SAME = ["same"] * 6


def renamed(arrays, name, other):
    return {other if key == name else key: array for key, array in arrays.items()}


def with_loss(trace, position, value):
    loss = np.array(trace.loss)
    loss[position] = value
    return replace(trace, loss=loss)


def test_a_trace_is_the_same_as_itself():
    assert verdicts(make_trace(), make_trace()) == SAME
    assert verdicts(make_trace(), make_trace(), loss=0.0, variable=0.0, metric=0.0) == SAME


def test_another_number_of_steps():
    trace = make_trace()
    shorter = replace(trace, step=trace.step[:3], loss=trace.loss[:3])
    assert verdicts(trace, shorter) == failed_at(1)
    assert "5 steps" in details(trace, shorter) and "3, to 3" in details(trace, shorter)


def test_global_step_that_counts_otherwise():
    trace = make_trace()
    assert verdicts(trace, replace(trace, step=trace.step * 2)) == failed_at(1)
    assert "global_step counts differently" in details(trace, replace(trace, step=trace.step * 2))


def test_a_trainable_variable_of_another_name():
    trace = make_trace()
    variables = [{**v, "name": v["name"].replace("net/w", "w")} for v in trace.meta["variables"]]
    other = replace(
        trace,
        meta={**trace.meta, "variables": variables},
        initial=renamed(trace.initial, "net/w", "w"),
    )
    assert verdicts(trace, other) == failed_at(2)
    text = details(trace, other)
    assert "net/w is only in the original" in text
    assert "w is only in the migrated program" in text


@pytest.mark.parametrize("array", [np.zeros((2, 3), np.float32), np.zeros((3, 2), np.float64)])
def test_a_trainable_variable_of_another_kind(array):
    trace = make_trace()
    other = replace(trace, initial={**trace.initial, "net/w": array})
    assert verdicts(trace, other) == failed_at(2)
    assert f"{array.dtype} {list(array.shape)}" in details(trace, other)


def test_initial_values_are_compared_bit_for_bit():
    trace = make_trace()
    next_float = np.nextafter(trace.initial["net/w"][1, 1], np.float32(np.inf))
    other = replace(trace, initial=changed(trace.initial, "net/w", (1, 1), next_float))
    assert verdicts(trace, other, variable=1.0) == failed_at(3)
    assert "net/w starts from other values" in details(trace, other)


def test_transferred_initial_values_are_named():
    trace = make_trace()
    other = replace(trace, meta={**trace.meta, "transferred": ["net/w"]})
    verdict = climb(trace, other, Tolerance())
    assert verdict.same
    assert verdict.rungs[2].outcome.details == ("Taken over from the original: net/w.",)


def test_a_loss_says_the_first_step_that_differs():
    trace = make_trace()
    other = with_loss(with_loss(trace, 2, 0.6), 4, 9.0)
    assert verdicts(trace, other) == failed_at(4)
    assert "first differs at step 3: original 0.5, migrated 0.6" in details(trace, other)


def test_a_difference_of_exactly_the_tolerance_is_the_same():
    trace = make_trace()
    # 0.125 is exact in binary, so the difference is the tolerance to the bit
    other = with_loss(trace, 2, 0.625)
    assert verdicts(trace, other, loss=0.125) == SAME
    assert verdicts(trace, other, loss=0.124) == failed_at(4)


@pytest.mark.parametrize(("factor", "name"), [(2.0, "= 2,"), (0.5, "= 1/2,")])
def test_a_loss_times_the_number_of_replicas_is_called_out(factor, name):
    trace = make_trace()
    other = replace(trace, loss=trace.loss * factor)
    assert f"{name} with 2 replicas: the batch or the loss scale is wrong" in details(trace, other)


@pytest.mark.parametrize(("replicas", "factor"), [(2, 3.0), (1, 2.0), (None, 2.0), (2, 2.01)])
def test_other_ratios_are_not_called_out(replicas, factor):
    trace = make_trace(replicas)
    text = details(trace, replace(trace, loss=trace.loss * factor))
    assert f"ratio {factor:g}" in text
    assert "loss scale" not in text


def test_nan_equals_only_nan():
    trace = make_trace()
    nan = with_loss(trace, 3, np.nan)
    assert verdicts(nan, nan) == SAME
    assert verdicts(trace, nan) == failed_at(4)
    assert verdicts(nan, trace) == failed_at(4)


def test_a_variable_names_step_index_and_both_values():
    trace = make_trace()
    values = changed(trace.variables, "net/w", (3, 1, 0), 7.5)
    text = details(trace, replace(trace, variables=values))
    assert verdicts(trace, replace(trace, variables=values)) == failed_at(5)
    assert "differ at step 4, 1 of 3, net/w the most: 1 of 6 elements" in text
    assert f"net/w[1, 0]: original {trace.variables['net/w'][3, 1, 0]:.9g}, migrated 7.5" in text


@pytest.mark.parametrize(("factor", "name"), [(2.0, "= 2,"), (0.5, "= 1/2,")])
def test_a_first_update_times_the_number_of_replicas_is_called_out(factor, name):
    trace = make_trace()
    start, values = trace.initial["net/w"], np.array(trace.variables["net/w"])
    values[0] = start + factor * (values[0] - start)
    other = replace(trace, variables={**trace.variables, "net/w": values})
    assert name in details(trace, other)


def test_a_missing_slot():
    trace = make_trace()
    values = {n: a for n, a in trace.variables.items() if n != "net/w/Momentum"}
    assert verdicts(trace, replace(trace, variables=values)) == failed_at(5)
    assert details(trace, replace(trace, variables=values)) == (
        "net/w/Momentum is only in the original."
    )


def test_moving_averages_are_loose_and_say_so():
    trace = make_trace()
    name = "net/bn/moving_mean"
    near = changed(trace.variables, name, (2, 0), trace.variables[name][2, 0] + 4e-3)
    far = changed(trace.variables, name, (2, 0), trace.variables[name][2, 0] + 6e-3)
    verdict = climb(trace, replace(trace, variables=near), Tolerance())
    assert verdict.same
    assert "compared loosely: 4.0e-03 (tolerance 5e-03)" in verdict.rungs[4].outcome.details[0]
    assert verdicts(trace, replace(trace, variables=far)) == failed_at(5)
    assert verdicts(trace, replace(trace, variables=near), loose=()) == failed_at(5)


def thinned(trace, rows):
    values = {name: array[rows] for name, array in trace.variables.items()}
    return replace(trace, variable_step=trace.variable_step[rows], variables=values)


def test_variables_are_compared_at_the_steps_that_both_recorded():
    trace = make_trace()
    verdict = climb(trace, thinned(trace, [0, 2, 4]), Tolerance())
    assert verdict.same
    assert "Variables were compared after 3 of 5 steps." in verdict.rungs[4].outcome.details
    wrong = replace(trace, variables=changed(trace.variables, "net/w", (2, 0, 0), 9.0))
    assert verdicts(wrong, thinned(trace, [0, 2, 4])) == failed_at(5)
    assert "at step 3" in details(wrong, thinned(trace, [0, 2, 4]))


def test_no_common_step_is_no_agreement():
    trace = make_trace()
    assert verdicts(thinned(trace, [0, 2]), thinned(trace, [1, 3])) == failed_at(5)


def test_metrics_and_predictions():
    trace = make_trace()
    cases = {
        "accuracy": replace(trace, evaluations=[changed(trace.evaluations[0], "accuracy", (), 0)]),
        "loss is only on one side": replace(trace, evaluations=[{"accuracy": np.float32(0.75)}]),
        "The original made 1 evaluations, the migrated one 0": replace(trace, evaluations=[]),
        "prediction 1: class": replace(
            trace, predictions=[changed(trace.predictions[0], "class", 1, b"cow")]
        ),
        "prediction 1: p": replace(
            trace, predictions=[{**trace.predictions[0], "p": np.array([0.25])}]
        ),
    }
    for text, other in cases.items():
        assert verdicts(trace, other) == failed_at(6)
        assert text in details(trace, other)


def test_programs_without_evaluation_are_the_same():
    trace = replace(make_trace(), evaluations=[], predictions=[])
    assert verdicts(trace, trace) == SAME
    assert climb(trace, trace, Tolerance()).rungs[5].outcome.figure == "none made"


@pytest.mark.parametrize(
    ("old", "new", "size", "index"),
    [
        ([1.0, 2.0], [1.0, 2.0], 0.0, (0,)),
        ([1.0, 2.0], [1.5, 4.0], 2.0, (1,)),
        ([np.inf, 1.0], [np.inf, 1.0], 0.0, (0,)),
        ([np.inf, 1.0], [-np.inf, 1.0], np.inf, (0,)),
        ([1.0, np.nan], [1.0, 3.0], np.inf, (1,)),
        ([], [], 0.0, ()),
    ],
)
def test_greatest_difference(old, new, size, index):
    found = greatest_difference(np.array(old), np.array(new))
    assert (found.size, found.index) == (size, index)
