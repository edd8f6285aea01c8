"""Comparing a program with one that trains without sessions: Keras, or a loop with a GradientTape.

The recorder gives its variables the original's names. What the two cannot have in common (hooks, a
Saver's checkpoints, fetches of sessions) is not compared; the verdict lists it.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs import metric_names
from tfmigrate_runtime.verify.rungs.compare import Check, Outcome
from tfmigrate_runtime.verify.rungs.compare_loop_metrics import (
    loop_metrics,
    session_metrics,
    stated_results,
)
from tfmigrate_runtime.verify.rungs.compare_printed import printed_results
from tfmigrate_runtime.verify.traces.trace import Array, Results, Trace
from tfmigrate_runtime.verify.wording import SIDES, counted, first_of

_WAYS = {
    "map": "by --map",
    "name": "by name",
    "shape": "by shape",
    "layer": "by their layers",
    "order": "by shape and order of creation",
    "steps": "as step counters",
    "slot": "as slots of paired variables",
    "average": "as averages of paired variables",
}
_FILES = "Files and hooks were not compared: a Keras program has no session hooks or event files."
_CONSTANT = "it never changes"
_COUNTS = "it counts steps"
_MOST_SHOWN = 6


def as_far_as_native(original: Trace, migrated: Trace) -> Trace:
    """Returns the original's trace without the variables that a Keras program need not have.

    They are those that the map leaves out, slots that no number depends on, and variables that
    are not trained and never change, or count the steps.
    """
    if not migrated.is_native or "map" not in migrated.meta:
        return original
    names = left_out(original, migrated)
    models = [
        as_far_as_native(old, replace(new, meta={**new.meta, "native": {}}))
        for old, new in zip(original.models, migrated.models, strict=False)
    ]
    models += original.models[len(models) :]
    variables = [v for v in original.meta["variables"] if v["name"] not in names]
    return replace(
        original,
        meta={**original.meta, "variables": variables, "left_out": names},
        initial=_without(original.initial, names),
        variables=_without(original.variables, names),
        ends={step: _without(values, names) for step, values in original.ends.items()},
        models=models,
    )


def left_out(original: Trace, migrated: Trace) -> dict[str, str]:
    """Returns why variables of the original are not compared, by their names."""
    reasons: dict[str, str] = dict(migrated.meta["map"]["left_out"])
    for name, values in original.variables.items():
        if name in migrated.initial or name in original.trainable or name in reasons:
            continue
        if (values == original.initial[name]).all():
            reasons[name] = _CONSTANT
        elif _counts(original.initial[name], values):
            reasons[name] = _COUNTS
    return reasons


def _counts(initial: Array, values: Array) -> bool:
    """Returns whether each step adds the same to a number, as a program does in Python."""
    is_number = values.dtype.kind in "iuf" and initial.size == 1 and len(values) > 1
    return is_number and len(set(np.diff(values, axis=0, prepend=initial[np.newaxis]).flat)) == 1


def _without(results: Results, names: dict[str, str]) -> Results:
    return {name: value for name, value in results.items() if name not in names}


def with_map(check: Check) -> Check:
    """Returns a comparison that lists which variables were paired."""

    def check_and_list(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
        outcome = check(original, migrated, tolerance)
        if (pairing := migrated.meta.get("map")) is None or not pairing["pairs"]:
            return outcome
        names: dict[str, str] = original.meta.get("left_out", {})
        by_reason: dict[str, list[str]] = {}
        for name, reason in names.items():
            by_reason.setdefault(reason, []).append(name)
        missing = tuple(
            f"variable{'s' * (len(some) > 1)} {first_of(some, _MOST_SHOWN)} ({reason})"
            for reason, some in by_reason.items()
        )
        return replace(
            outcome,
            details=outcome.details + _pairs(pairing),
            not_compared=outcome.not_compared + missing,
        )

    return check_and_list


def _pairs(pairing: dict[str, Any]) -> tuple[str, ...]:
    """Describes how variables were paired, with the first pairs of each kind."""
    lines = []
    for how, words in _WAYS.items():
        name_pairs = [(name, pair[0]) for name, pair in pairing["pairs"].items() if pair[1] == how]
        if not name_pairs:
            continue
        shown = first_of([f"{name} is {other}" for name, other in name_pairs], _MOST_SHOWN)
        lines.append(f"Variables paired {words} ({len(name_pairs)}): {shown}.")
    if reshaped := pairing.get("reshaped"):
        names = first_of(reshaped, _MOST_SHOWN)
        lines.append(
            f"Variables whose neighboring axes one program has joined ({len(reshaped)}): {names}. "
            'If their numbers have another order, pass --map FILE with "transpose" and "reshape".'
        )
    if pairing["extra"]:
        names = first_of(pairing["extra"], _MOST_SHOWN)
        lines.append(
            f"Variables of the migrated program without a counterpart, not compared: {names}."
        )
    return tuple(lines)


def with_native_results(check: Check) -> Check:
    """Returns a comparison of calls and results that also holds for Keras programs."""

    def check_results(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
        if not migrated.is_native or original.is_native:
            return check(original, migrated, tolerance)
        if (stated := stated_results(original, migrated, tolerance)) is not None:
            return stated
        old, new, missing = _alike(original, migrated)
        if original.evaluations and not _uses_models(migrated):
            outcome = loop_metrics(original, migrated, tolerance)
            return replace(outcome, not_compared=outcome.not_compared + missing)
        if not _uses_models(original):
            differs = session_metrics(original, migrated, tolerance)
            if differs is not None:
                return differs
            by_print = printed_results(original, migrated, tolerance)
            if by_print is not None:
                return replace(by_print, not_compared=missing)
        if not old.calls and not new.calls and not old.evaluations and not old.predictions:
            return Outcome(True, "none in common", "", skipped=True, not_compared=missing)
        new, names = metric_names.with_names_of(old, new)
        outcome = check(old, new, tolerance)
        return replace(
            outcome, details=outcome.details + names, not_compared=outcome.not_compared + missing
        )

    return check_results


def _alike(original: Trace, migrated: Trace) -> tuple[Trace, Trace, tuple[str, ...]]:
    """Returns both without what the other has no counterpart of, and a list of that."""
    missing = []
    if runs := (original.meta.get("fetches") or {}).get("runs"):
        count = counted(len(runs), "session run")
        missing.append(f"{count} without training (the migrated program has none)")
    if steps := (original.meta.get("step_fetches") or {}).get("steps"):
        count = counted(sum(map(len, steps)), "training step")
        missing.append(f"what {count} returned (the migrated program runs no sessions)")
    empty = {
        "fetches": {"forms": [], "runs": [], "left_out": 0},
        "step_fetches": {"forms": [], "steps": [], "left_out": 0},
    }
    changes: list[dict[str, Any]] = [{**empty}, {**empty}]
    results: list[dict[str, Any]] = [{}, {}]
    for side, trace in enumerate((original, migrated)):
        if trace.calls is not None:
            changes[side]["calls"] = _joined(trace.calls)
    if not all(_uses_models(trace) for trace in (original, migrated)):
        for side, trace in enumerate((original, migrated)):
            changes[side]["calls"] = []
            results[side] = {"evaluations": [], "predictions": []}
            which = SIDES[1 - side]
            if _uses_models(trace):
                more_kinds = ", evaluations" if side or not original.evaluations else ""
                missing.append(f"calls{more_kinds} and predictions (the {which} makes none)")
    old, new = (
        replace(trace, meta={**trace.meta, **changes[side]}, **results[side])
        for side, trace in enumerate((original, migrated))
    )
    if old.evaluations and all("global_step" not in metrics for metrics in old.evaluations):
        evaluations = [_without(m, {"global_step": ""}) for m in new.evaluations]
        new = replace(new, evaluations=evaluations)
    return old, _with_names_of(old, _with_whole_predictions(old, new)), tuple(missing)


def _uses_models(trace: Trace) -> bool:
    return bool(trace.calls or trace.evaluations or trace.predictions)


def _joined(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns calls with those of training that follow each other as one, and without exports.

    Exports have their own rung.
    """
    merged: list[dict[str, Any]] = []
    for call in in_order_of_steps(calls):
        if call["kind"] == "export":
            continue
        last = merged[-1] if merged else None
        if last is not None and call["kind"] == last["kind"] == "train":
            merged[-1] = {**last, "after": call["after"]}
        elif call["kind"] != "train" or call["before"] != call["after"]:
            merged.append({**call, "name": None})
    return merged


def in_order_of_steps(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns calls with the evaluations that hooks made in training between its parts."""
    ordered: list[dict[str, Any]] = []
    for call in calls:
        place = max((i for i, c in enumerate(ordered) if c["kind"] == "train"), default=-1)
        training = ordered[place] if place >= 0 else {"before": 0, "after": 0}
        step = training["after"] if call.get("step") is None else call["step"]
        if call["kind"] == "evaluate" and training["before"] <= step < training["after"]:
            parts = [{**training, "after": step}, call, {**training, "before": step}]
            ordered[place : place + 1] = parts[step == training["before"] :]
        else:
            ordered.append(call)
    return ordered


def _with_whole_predictions(original: Trace, migrated: Trace) -> Trace:
    """Joins predictions of single batches where the original has the same rows in one."""
    left = [(rows, len(next(iter(rows.values()), ()))) for rows in migrated.predictions]
    joined: list[Results] = []
    for old in original.predictions:
        wanted = len(next(iter(old.values()), ()))
        parts: list[Results] = []
        while left and wanted > 0 and (not parts or list(left[0][0]) == list(parts[0])):
            wanted -= left[0][1]
            parts.append(left.pop(0)[0])
        if wanted or not parts:
            return migrated
        joined.append({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})
    if left:
        return migrated
    counts = [len(next(iter(rows.values()), ())) for rows in joined]
    return replace(migrated, predictions=joined, meta={**migrated.meta, "prediction_rows": counts})


def _with_names_of(original: Trace, migrated: Trace) -> Trace:
    """Gives the one output of a model, which Keras does not name, the name that it has."""
    named = []
    for old, new in zip(original.predictions, migrated.predictions, strict=False):
        alone = len(old) == 1 and list(new) == ["predictions"]
        named.append(dict.fromkeys(old, new["predictions"]) if alone else new)
    return replace(migrated, predictions=named + migrated.predictions[len(named) :])


def written(check: Check) -> Check:
    """Returns a comparison of files and hooks, which Keras programs do not have."""

    def check_written(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
        if not migrated.is_native:
            return check(original, migrated, tolerance)
        if migrated.is_port:
            missing: tuple[str, ...] = ("files and hooks (a port has other ones)",)
            return Outcome(True, "not compared", "", skipped=True, not_compared=missing)
        missing = ("files and hooks (the migrated program uses Keras)",)
        return Outcome(True, "not compared", "", (_FILES,), skipped=True, not_compared=missing)

    return check_written
