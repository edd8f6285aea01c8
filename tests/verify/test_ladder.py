"""The ladder: every rung fails in its own way, and says where."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from traces import STEPS, trace

from tfmigrate_runtime.verify.rounding.tolerance import Loose, Tolerance
from tfmigrate_runtime.verify.rungs import compare, compare_losses
from tfmigrate_runtime.verify.rungs.differences import greatest_difference
from tfmigrate_runtime.verify.rungs.ladder import LADDER, Verdict, climb
from tfmigrate_runtime.verify.traces.trace import Trace


def compared(migrated: Trace, original: Trace | None = None, **limits: Any) -> Verdict:
    return climb(original or trace(), migrated, Tolerance(**limits))


def details(verdict: Verdict) -> str:
    failed = verdict.failed
    assert failed is not None and failed.outcome is not None
    return "\n".join(failed.outcome.details)


def scaled_updates(factor: float) -> dict[str, Any]:
    base = trace()
    start = base.initial["dense/kernel"]
    kernel = start + (base.variables["dense/kernel"] - start) * np.float32(factor)
    return {**base.variables, "dense/kernel": kernel}


def test_equal_traces_are_the_same() -> None:
    verdict = compared(trace())
    assert verdict.same
    assert [rung.verdict for rung in verdict.rungs] == ["same"] * len(LADDER)


def test_differences_within_the_tolerance_are_the_same() -> None:
    assert compared(trace(loss=trace().loss * (1 + 9e-5))).same
    assert not compared(trace(loss=trace().loss * (1 + 1.1e-4))).same
    assert compared(trace(variables=scaled_updates(1 + 4e-6))).same
    assert not compared(trace(variables=scaled_updates(1 + 1.1e-4))).same


@pytest.mark.parametrize("entry", ["towers", "native"])
def test_losses_that_only_an_optimizer_sees_may_have_a_factor(entry: str) -> None:
    """Ports divide the gradients of two replicas by 2, where others divide their losses."""
    twice = trace().loss * 2
    assert not compared(trace(loss=twice)).same  # which an Estimator reports
    given = {**trace().meta, entry: {}}
    outcome = compare_losses.losses(trace(), trace(loss=twice, meta=given), Tolerance())
    assert outcome.same
    assert outcome.details[0].startswith("The migrated program gives its optimizer 2 times the ")
    updates = scaled_updates(2)
    migrated = trace(loss=twice, meta=given, variables=updates)
    assert not compare_losses.losses(trace(), migrated, Tolerance()).same
    several = trace(loss=trace().loss * np.array([2, 2, 2, 2, 2.01]), meta=given)
    assert not compare_losses.losses(trace(), several, Tolerance()).same


def test_it_stops_at_the_first_rung_that_fails() -> None:
    verdict = compared(trace(loss=trace().loss + 1, evaluations=[]))
    assert [rung.verdict for rung in verdict.rungs] == [
        *["same"] * 3,
        "different",
        *["not reached"] * 5,
    ]


def test_another_number_of_steps() -> None:
    verdict = compared(trace(step=np.arange(1, 4), loss=np.ones(3)))
    assert verdict.failed is verdict.rungs[0]
    assert details(verdict).startswith(
        "The original ran 5 steps (to global_step 5), the migrated program 3 (to global_step 3): "
    )


def test_another_number_of_steps_after_another_loss() -> None:
    """Early stopping and the like: the steps follow from the losses."""
    same, other = trace().loss[:3], trace().loss[:3] + np.array([0.0, 0.25, 0.5])
    assert "already differs" not in details(compared(trace(step=np.arange(1, 4), loss=same)))
    told = details(compared(trace(step=np.arange(1, 4), loss=other)))
    assert "The loss already differs at step 2: original " in told


def test_a_distribution_that_is_lost_is_a_difference() -> None:
    """The numbers are the same: one replica trains on the whole batch."""

    def on(replicas: int) -> Trace:
        return trace(meta={**trace().meta, "sessions": [{"replicas": replicas}]})

    verdict = compared(on(1), on(2))
    assert verdict.failed is verdict.rungs[0]
    assert details(verdict).startswith("The original trains on 2 towers or replicas, the migrated")
    assert compared(on(2), on(2)).same
    assert compared(on(2), on(1)).same
    assert compared(on(2), trace()).same


def test_global_step_counted_twice() -> None:
    verdict = compared(trace(step=np.arange(2, 2 * STEPS + 2, 2)))
    assert verdict.failed is verdict.rungs[0]
    assert "global_step counts differently" in details(verdict)


def test_trainable_variables_missing_added_or_of_another_shape() -> None:
    base = trace()
    meta = {**base.meta, "variables": [{**base.meta["variables"][0], "name": "dense_1/kernel"}]}
    initial = {**base.initial, "dense_1/kernel": base.initial["dense/kernel"]}
    text = details(compared(trace(meta=meta, initial=initial)))
    assert text == (
        "dense/kernel is only in the original.\ndense_1/kernel is only in the migrated program.\n"
        "Check variable scopes and layer names: checkpoints depend on them."
    )
    initial = {**base.initial, "dense/kernel": np.zeros((3, 2), np.float64)}
    assert details(compared(trace(initial=initial))) == (
        "dense/kernel is float32 [2, 3] in the original, float64 [3, 2] in the migrated program."
    )


def test_initial_values_are_compared_bit_for_bit() -> None:
    base = trace()
    initial = {**base.initial, "dense/kernel": np.nextafter(base.initial["dense/kernel"], 9)}
    verdict = compared(trace(initial=initial))
    assert verdict.failed is verdict.rungs[2]
    assert details(verdict) == (
        "The initial value of dense/kernel differs in 6 of 6 elements (100%), by up to 1.19e-07."
    )


def test_transferred_values_are_named() -> None:
    start = trace().initial["dense/kernel"]
    drawn = {"dense/kernel": start[::-1].copy()}
    meta = {**trace().meta, "transferred": ["dense/kernel"]}
    verdict = compared(trace(meta=meta, drawn=drawn))
    assert verdict.same
    outcome = verdict.rungs[2].outcome
    assert outcome is not None
    assert outcome.figure == "1 equal, 1 transferred, batch of 8 rows"
    assert outcome.details[0].startswith(
        "Initial values drawn from the same distribution, with different numbers: dense/kernel."
    )
    assert "have no draws of initializers" in outcome.details[1]  # nor has a made-up trace


@pytest.mark.parametrize(("factor", "name"), [(2.0, "2"), (0.5, "1/2")])
def test_a_loss_of_n_times_the_scale_is_called_out(factor: float, name: str) -> None:
    verdict = compared(trace(loss=trace().loss * factor, variables=scaled_updates(factor)))
    text = details(verdict)
    assert "The loss first differs at step 1: original 2, migrated" in text
    assert f"ratio {factor:g} = {name}, with 2 replicas: the batch or the loss scale" in text
    text = details(compared(trace(variables=scaled_updates(factor))))
    assert f"there the updates have ratio {factor:g} = {name}, with 2 replicas" in text


def test_another_ratio_is_not_called_out() -> None:
    text = details(compared(trace(loss=trace().loss * 1.5)))
    assert "ratio 1.5; it differs by 0.5 of its size, 0.0001 is allowed." in text
    assert "replicas" not in text


@pytest.mark.parametrize(
    ("replicas", "reason", "said"),
    [
        (1, "not found", "a different batch or a different loss."),
        (1, None, "a different loss."),
        (2, None, "a different loss. Check loss_reduction (TFM201)."),
        (
            2,
            "not found",
            "Check global_batch and loss_reduction (TFM201), then the input pipeline.",
        ),
    ],
)
def test_what_a_first_step_differs_by_is_what_was_not_compared(
    replicas: int, reason: str | None, said: str
) -> None:
    about = {"replicas": replicas, "batch": {"shapes": {}, "reason": reason}}
    original = replace(trace(), meta={**trace().meta, **about})
    migrated = replace(original, loss=original.loss * 1.5)
    line = compare_losses.losses(original, migrated, Tolerance()).details[-1]
    assert line.startswith(compare.FIRST_STEP_DIFFERS) and line.endswith(said)


def test_a_ratio_to_an_update_of_nearly_nothing_is_not_given() -> None:
    original = trace()
    (name, values), *_ = original.variables.items()
    old = np.cumsum(np.full_like(values, 1.0), axis=0)
    old[0].flat[0] = original.initial[name].flat[0] + 1e-6
    new = old.copy()
    new[0].flat[0] += 0.5
    pair = [replace(original, variables={name: each}) for each in (old, new)]
    assert "ratio" not in compare.variables(*pair, Tolerance()).details[0]


def test_only_the_later_steps_differ() -> None:
    loss = trace().loss.copy()
    loss[3:] += [0.5, 0.25]
    text = details(compared(trace(loss=loss)))
    assert "first differs at step 4" in text
    assert "Losses differ at 2 of 5 steps." in text
    assert "initial values are the same" not in text


def test_variables_name_the_step_the_variable_and_the_element() -> None:
    kernel = trace().variables["dense/kernel"].copy()
    kernel[2:, 1, 2] += 0.5  # the update of the third step
    verdict = compared(trace(variables={**trace().variables, "dense/kernel": kernel}))
    assert verdict.failed is verdict.rungs[4]
    text = details(verdict)
    assert "Variables first differ at step 3: 1 of 2 do, dense/kernel the most. " in text
    size = np.abs(np.diff(trace().variables["dense/kernel"], axis=0)[1]).max()
    assert f"Its update differs by {0.5 / size:.2g} of its size, 0.0001 is allowed" in text
    assert f"dense/kernel[1, 2] is {kernel[2, 1, 2] - 0.5:.5g}" in text


def test_a_missing_slot_is_a_difference() -> None:
    variables = {"dense/kernel": trace().variables["dense/kernel"]}
    verdict = compared(trace(variables=variables))
    assert verdict.failed is verdict.rungs[4]
    assert details(verdict).startswith(
        "bn/moving_mean is only in the original.\nCheck the optimizer"
    )


def test_averages_of_towers_in_no_order_are_compared_loosely_and_that_is_said() -> None:
    near = {**trace().variables, "bn/moving_mean": trace().variables["bn/moving_mean"] + 4e-3}
    verdict = compared(trace(variables=near))
    assert verdict.same
    outcome = verdict.rungs[4].outcome
    assert outcome is not None
    assert "1 variable matching *moving_mean (largest difference 4.0e-03)" in outcome.details[0]
    far = {**trace().variables, "bn/moving_mean": trace().variables["bn/moving_mean"] + 6e-3}
    assert not compared(trace(variables=far)).same
    ordered = {**trace().meta, "ordered_updates": ["bn/moving_mean"]}
    assert not compared(trace(variables=near), trace(meta=ordered)).same


def test_averages_of_towers_are_held_to_the_mean_of_both_orders() -> None:
    first = trace().variables["bn/moving_mean"]
    meta = {**trace().meta, "ordered_updates": ["bn/moving_mean"]}
    last = first + np.float32(0.02)
    original = trace(meta=meta, other_order={"bn/moving_mean": last})

    def with_update(share: float) -> Trace:
        """The update of each step is between that of both orders."""
        made = first + np.float32(0.02 * share)
        follow = {"forced": STEPS, "free": [], "missing": []}
        return trace(
            variables={**trace().variables, "bn/moving_mean": made},
            meta={**trace().meta, "follow": follow},
        )

    assert compared(original, original).same  # another run of it
    assert compared(with_update(0.5), original).same
    assert compared(with_update(0.51), original).same
    # Towers of a migrated program update it one after the other too, in one order or the other.
    assert compared(with_update(0.0), original).same
    assert compared(with_update(1.0), original).same
    for share in (-0.2, 0.3, 0.7, 1.2):
        assert not compared(with_update(share), original).same


def test_own_loose_rules() -> None:
    near = {**trace().variables, "dense/kernel": trace().variables["dense/kernel"] + 1e-3}
    rule = Loose("dense/*", 1e-2, "asked for")
    assert compared(trace(variables=near), loose=(rule,)).same
    assert not compared(trace(variables=near)).same


def test_metrics_and_predictions() -> None:
    metrics = [{"accuracy": np.float32(0.5), "loss": np.float32(1.0)}]
    text = details(compared(trace(evaluations=metrics)))
    assert text == (
        "evaluation 1: accuracy is 0.75 in the original, 0.5 in the migrated program, 0.33 of its "
        "size apart (0.0001 is allowed)."
    )
    assert "made 1 evaluation, the migrated program 0" in details(compared(trace(evaluations=[])))
    classes = [{"classes": np.array([0, 1, 0])}]
    assert "prediction 1: classes is 1" in details(compared(trace(predictions=classes)))
    strings = [{"classes": np.array([b"a", b"b"])}]
    same = trace(predictions=strings)
    assert climb(same, same, Tolerance()).same
    other = trace(predictions=[{"classes": np.array([b"a", b"c"])}])
    assert not climb(same, other, Tolerance()).same


def test_nan_equals_nan_and_nothing_else() -> None:
    broken = trace().loss.copy()
    broken[2] = np.nan
    assert compared(trace(loss=broken), trace(loss=broken)).same
    assert "first differs at step 3" in details(compared(trace(loss=broken)))
    weights = trace().variables["dense/kernel"].copy()
    weights[4, 0, 0] = np.nan
    assert not compared(trace(variables={**trace().variables, "dense/kernel": weights})).same


@pytest.mark.parametrize(
    ("old", "new", "size"),
    [
        ([1.0, 2.0], [1.0, 2.5], 0.5),
        ([np.inf], [np.inf], 0.0),
        ([np.inf], [-np.inf], np.inf),
        ([np.nan], [1.0], np.inf),
        ([], [], 0.0),
        ([1.0], [1.0, 2.0], np.inf),
        ([True, False], [True, True], 1.0),
    ],
)
def test_greatest_difference(old: list[float], new: list[float], size: float) -> None:
    assert greatest_difference(np.array(old), np.array(new)).size == size
