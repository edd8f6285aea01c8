"""What rounding does to a program, measured by one more run, and what that excuses."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from traces import trace
from trainer import STEPS, Trainer

from tfmigrate_runtime.verify.recorder.sessions import lock_step
from tfmigrate_runtime.verify.rounding.noise import further, may_be_small, measured
from tfmigrate_runtime.verify.rounding.tolerance import Noise, Tolerance
from tfmigrate_runtime.verify.rounding.update_lengths import length
from tfmigrate_runtime.verify.rungs.compare import variables
from tfmigrate_runtime.verify.traces.recording import Recording, with_starts
from tfmigrate_runtime.verify.traces.states_file import write_states
from tfmigrate_runtime.verify.traces.trace import Array, Trace

RATE = 0.01


def rounded(variant: int, rate: float = RATE, follow: Trace | None = None) -> Trace:
    """A program one of whose gradients is nothing but rounding, of which Adam takes the sign.

    It is that of a bias before batch normalization. What rounding makes of it depends on the last
    bits of all that it is computed from, and on the variant of the kernels.
    """
    made = Trainer("sgd", average=None).run(follow)
    bias = np.full(5, 0.1, np.float32)
    rows: list[Array] = []
    for step in range(STEPS):
        state = made.initial["one/kernel"] if step == 0 else made.variables["one/kernel"][step - 1]
        if follow is not None and step:
            state, bias = (
                follow.variables["one/kernel"][step - 1],
                follow.variables["bias"][step - 1],
            )
        seed = zlib.crc32(state.tobytes()) + variant
        signs = np.random.RandomState(seed).choice([-1, 1], 5).astype(np.float32)
        bias = bias - np.float32(rate) * signs
        rows.append(bias)
    entry = {"name": "bias", "shape": [5], "dtype": "float32", "trainable": True}
    return replace(
        made,
        meta={**made.meta, "variables": [*made.meta["variables"], entry]},
        initial={**made.initial, "bias": np.full(5, 0.1, np.float32)},
        variables={**made.variables, "bias": np.stack(rows)},
    )


def following(states: Path, run: Callable[[Trace], Trace], like: Trace) -> Recording:
    """Runs a program from the states in a file."""
    with np.load(states) as stored:
        held = {name: stored[f"variable/{name}"] for name in like.variables}
        initial = {name: stored[f"initial/{name}"] for name in like.initial}
    return Recording.of(run(replace(like, variables=held, initial=initial)))


def judged(migrated: Trace, original: Trace, folder: Path) -> Any:
    noise = measured(
        "original",
        (Recording.of(original), Recording.of(migrated)),
        lambda states: following(states, lambda held: rounded(0, follow=held), original),
        folder / "states.npz",
    )
    assert noise is not None
    return variables(original, migrated, Tolerance(of_tasks=noise).of_task(""))


def test_what_is_nothing_but_rounding_may_differ_as_much_as_it_does(tmp_path: Path) -> None:
    original = rounded(0)
    migrated = rounded(1, follow=original)
    assert not variables(original, migrated, Tolerance()).same
    found = judged(migrated, original, tmp_path)
    assert found.same, found
    assert "3 times what rounding changes in the original was allowed" in found.details[-1]


def test_more_than_rounding_does_is_no_rounding(tmp_path: Path) -> None:
    """The rate of that variable is eight times the original's; and another kernel is off."""
    original = rounded(0)
    assert not judged(rounded(1, 8 * RATE, original), original, tmp_path).same
    migrated = rounded(1, follow=original)
    migrated.variables["two/kernel"][3:] += np.float32(1e-4)
    found = judged(migrated, original, tmp_path)
    assert not found.same
    assert found.details[0].startswith("Variables first differ at step 4: 1 of 5 do, two/kernel")


@pytest.mark.parametrize("what", ["batch", "gradient", "steps"])
def test_a_program_that_draws_other_numbers_has_no_noise(what: str, tmp_path: Path) -> None:
    original = Trainer().run()

    def run(held: Trace) -> Trace:
        if what == "steps":
            return Trainer().run(held).up_to(3)
        made = Trainer(seed=5 if what == "batch" else 0).run(held)
        if what == "gradient":  # of which no loss of the same step shows anything
            rng = np.random.RandomState(3)
            for name in made.trainable:
                made.variables[name] += rng.normal(size=made.variables[name].shape).astype("f")
        return made

    path = tmp_path / "states.npz"
    pair = Recording.of(original), Recording.of(original)
    assert measured("original", pair, lambda states: following(states, run, original), path) is None
    right = measured(
        "original", pair, lambda states: following(states, Trainer().run, original), path
    )
    assert right is not None
    changes = right[""].moved.variables
    for name in original.trainable:
        update = np.abs(np.diff(original.variables[name], axis=0)).max()
        assert 0 < np.abs(changes[name]).max() < 1e-4 * update


def test_states_that_are_written_can_be_followed(tmp_path: Path) -> None:
    original = replace(trace(), models=[trace()])
    original.meta["models"] = [{}]
    written = write_states(tmp_path / "states.npz", original)
    for states in lock_step.states_of(str(written)):
        assert states.has(1)
        kernel = original.variables["dense/kernel"]
        assert (states.next(2)["dense/kernel"] == kernel[1]).all()


def test_workers_in_turn_begin_with_what_the_others_left() -> None:
    states = {"kernel": np.arange(8, dtype=np.float32).reshape(4, 2)}

    def task(steps: list[int], device: str = "/job:ps/task:0") -> Trace:
        made = trace(step=np.array(steps), loss=np.zeros(len(steps)), variable_step=np.array(steps))
        rows = {"kernel": states["kernel"][np.array(steps) - 1], "own": np.zeros((len(steps), 1))}
        placement = {"kernel": device, "own": f"/job:worker/task:{steps[0]}"}
        start = {"kernel": np.full(2, 9, np.float32), "own": np.zeros(1)}
        meta = {**made.meta, "placement": placement}
        return replace(made, meta=meta, variables=rows, initial=start)

    tasks = with_starts({"worker/0": task([1, 3]), "worker/1": task([2, 4])})
    assert tasks["worker/0"].starts["kernel"].tolist() == [[9, 9], [2, 3]]
    assert tasks["worker/1"].starts["kernel"].tolist() == [[0, 1], [4, 5]]
    assert tasks["worker/1"].starts.keys() == {"kernel"}
    alone = with_starts({"worker/0": task([1, 2]), "worker/1": task([1, 2])})
    assert not any(each.starts for each in alone.values())  # each counts its own steps


def test_noise_that_cancels_in_one_run_is_noise_of_the_length_all_the_same() -> None:
    original = rounded(0)
    migrated = rounded(1, follow=original)
    bias = original.variables["bias"]
    # Each element is as far away as in the migrated program, and the sum of all is 0.
    signs = np.resize([1, -1], bias.shape) * np.sign(bias - 0.1)
    changes = {**original.variables, "bias": np.float32(RATE) * signs}
    noise = Noise("original", original, replace(original, variables=changes))
    found = length("bias", original, migrated, Tolerance(noise=noise))
    assert found is not None
    assert found.quotient < 1 < length_without(original, migrated)


def test_noise_of_one_element_that_is_small_by_chance_is_measured_again() -> None:
    original = Trainer("sgd", average=None).run()
    name = "one/kernel"

    def changes(share: float) -> Array:
        """Changes of one element of one update, by a share of the update."""
        values = original.variables[name]
        changed = np.zeros_like(values)
        changed[2].flat[3] = share * np.abs(values[2] - values[1]).max()
        return changed

    def run(variables: dict[str, Array]) -> Trace:
        follow = {"forced": STEPS, "free": [], "missing": []}
        meta = {**original.meta, "follow": follow}
        return replace(original, meta=meta, variables=variables)

    def off(share: float) -> Trace:
        return run({**original.variables, name: original.variables[name] + changes(share)})

    def known(*shares: float) -> Tolerance:
        found: dict[str, Noise] = {}
        for share in shares:
            moved = run({each: np.zeros_like(v) for each, v in original.variables.items()})
            moved.variables[name] = changes(share)
            found = further(found, {"": Noise("original", original, moved)})
        return Tolerance(noise=found[""], of_tasks=found)

    pair = original, off(4e-3)
    recordings = Recording.of(pair[0]), Recording.of(pair[1])
    for shares, is_same in (((1e-3,), False), ((1e-3, -2e-3), True), ((2e-3, 1e-3), True)):
        assert variables(*pair, known(*shares).of_task("")).same is is_same
        assert may_be_small(*recordings, known(*shares)) is not is_same
    wrong = Recording.of(original), Recording.of(off(4e-2))
    assert not may_be_small(*wrong, known(1e-3))


def length_without(original: Trace, migrated: Trace) -> float:
    found = length("bias", original, migrated, Tolerance())
    assert found is not None
    return found.quotient


def test_programs_without_a_common_step_are_not_near() -> None:
    """A wrong number of steps for each count of the global step: verify ended with an error."""
    original = Trainer("sgd").run()
    later = replace(original, step=original.step + 99, variable_step=original.variable_step + 99)
    assert not may_be_small(Recording.of(original), Recording.of(later), Tolerance())
