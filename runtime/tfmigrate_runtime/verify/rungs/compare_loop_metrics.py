"""Comparing evaluations with those of a program without sessions that makes them in another way."""

from typing import Any

import numpy as np

from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.compare import Outcome
from tfmigrate_runtime.verify.rungs.compare_fetches import Run, runs_of
from tfmigrate_runtime.verify.traces.trace import Trace
from tfmigrate_runtime.verify.wording import counted

_STEP = "global_step"
# Metrics that both worlds compute alike, by words of their names. A loss may be with or without
# regularization, and Keras computes an AUC by another sum.
_WORDS = {
    "accuracy": "accuracy",
    "acc": "accuracy",
    "precision": "precision",
    "recall": "recall",
    "iou": "iou",
}
_MOST_RUNS = 64  # of one step, of which means are formed


def loop_metrics(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
    """Looks for each number of the original's evaluations among results of metrics of the loop.

    A loop may measure more, and call it by other names: a number is found if a metric has it at
    the same step; it differs if a metric of its name has a different one.
    """
    results = (migrated.meta.get("native") or {}).get("metrics", [])
    match_count, other, unseen = 0, [], []
    for number, metrics in enumerate(original.evaluations, start=1):
        step = int(metrics.get(_STEP, -1))
        there = [(name, value) for at, name, value, *_ in results if at == step]
        for name, value in metrics.items():
            if name == _STEP or np.ndim(value) or np.asarray(value).dtype.kind not in "fiu":
                continue
            near = [n for n, v in there if _is_near(float(value), v, tolerance)]
            named = [v for n, v in there if n == name]
            if near:
                match_count += 1
            elif named:
                other.append(
                    f"evaluation {number}: {name} is {float(value):.9g} in the original, "
                    f"{named[-1]:.9g} in the migrated program, at step {step}."
                )
            else:
                unseen.append(f"{name} of evaluation {number}")
    if other:
        return Outcome(False, f"{len(other)} differ", f"{tolerance.share:.0e}", tuple(other))
    count = counted(len(original.evaluations), "evaluation")
    if not match_count:
        text = (
            f"The original makes {count}, and no metric of the migrated program has any of their "
            "numbers at the same step: verify sees model.evaluate and results of keras.metrics."
        )
        return Outcome(True, "evaluations not seen", "", (text,), decided=False)
    figure = f"{counted(match_count, 'metric')} of {count}"
    return Outcome(True, figure, f"{tolerance.share:.0e}", not_compared=tuple(unseen))


def session_metrics(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome | None:
    """Looks for metrics of a Keras program's, or a loop's, evaluations among those of session runs.

    A metric differs if the original returns numbers of its name at the same steps, and at none of
    these steps one that is the metric's: neither alone nor as a mean of runs. None if all is well.
    """
    seen: dict[str, list[bool]] = {}
    first: dict[str, str] = {}
    for evaluation in migrated.evaluations or _of_loop(migrated):
        step = int(evaluation.get(_STEP, -1))
        runs = [run for run in runs_of(original) if run[0] == step]
        for name, value in evaluation.items():
            word = _word(name)
            theirs = [] if word is None else _numbers(runs, word)
            if word is None or not theirs or np.ndim(value):
                continue
            is_found = any(_is_near(each, float(value), tolerance) for each in _means(theirs))
            seen.setdefault(name, []).append(is_found)
            first.setdefault(
                name,
                f"{name} of the evaluation at step {step} is {float(value):.9g} in the migrated "
                f"program; session runs of the original return {theirs[-1]:.9g} there.",
            )
    if not (other := tuple(first[name] for name, hits in seen.items() if not any(hits))):
        return None
    return Outcome(False, f"{len(other)} differ", f"{tolerance.share:.0e}", other)


def _of_loop(migrated: Trace) -> list[dict[str, Any]]:
    """Returns the results of metrics that measure what follows a step, as evaluations."""
    results = (migrated.meta.get("native") or {}).get("metrics", [])
    # Traces recorded before have no start: a metric of training is not told from an evaluation.
    return [{_STEP: at, name: value} for at, name, value, *start in results if start == [at] and at]


def stated_results(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome | None:
    """Looks for the numbers that a port passes as its evaluations among the original's.

    The original may make them in sessions, under any name: a number is found if a run at the same
    step returns it, alone or as a mean of runs. None where the port passes none.
    """
    stated = (migrated.meta.get("native") or {}).get("stated", ())
    if not (results := [migrated.evaluations[number] for number in stated]):
        return None
    other, unseen, match_count = [], [], 0
    for number, evaluation in enumerate(results, start=1):
        step = int(evaluation[_STEP])
        named = [e for e in original.evaluations if int(e.get(_STEP, -1)) == step]
        runs = [run for run in runs_of(original) if run[0] == step]
        for name, value in evaluation.items():
            if name == _STEP:
                continue
            theirs = [float(e[name]) for e in named if name in e] or _means(_single(runs))
            if any(_is_near(each, float(value), tolerance) for each in theirs):
                match_count += 1
            elif theirs:
                near = min(theirs, key=lambda each: abs(each - float(value)))
                other.append(
                    f"evaluation {number}: {name} is {float(value):.9g} in the migrated program, "
                    f"at step {step}; the nearest number of the original there is {near:.9g}."
                )
            else:
                unseen.append(f"{name} of evaluation {number} (the original has no number then)")
    limit = f"{tolerance.share:.0e}"
    if other:
        return Outcome(False, f"{len(other)} differ", limit, tuple(other))
    figure = f"{counted(match_count, 'metric')} of {counted(len(results), 'evaluation')}"
    return Outcome(True, figure, limit, skipped=not match_count, not_compared=tuple(unseen))


def _single(runs: list[Run]) -> list[float]:
    """Returns the single numbers that runs return, those of one form one after another."""
    values = [pair for _, of_run in runs[-_MOST_RUNS:] for pair in of_run]
    forms = list(dict.fromkeys(str(form) for form, _ in values))
    singles = [(str(form), float(n[0])) for form, n in values if len(n) == 1]
    return [number for wanted in forms for form, number in singles if form == wanted]


def _word(name: str) -> str | None:
    """Returns the kind of metric that a name is of."""
    words = name.replace("/", "_").lower().replace("io_u", "iou").split("_")
    return next((_WORDS[word] for word in words if word in _WORDS), None)


def _numbers(runs: list[Run], word: str) -> list[float]:
    """Returns the single numbers of one kind of metric that runs return."""
    return [
        float(numbers[0])
        for _, values in runs[-_MOST_RUNS:]
        for form, numbers in values
        if len(numbers) == 1 and _word(form[0]) == word
    ]


def _means(numbers: list[float]) -> list[float]:
    """Returns the means of all numbers that follow each other: batches of one evaluation."""
    sums = np.concatenate([[0.0], np.cumsum(numbers)])
    count = len(numbers)
    pairs = [(i, j) for i in range(count) for j in range(i + 1, count + 1)]
    return [float((sums[j] - sums[i]) / (j - i)) for i, j in pairs]


def _is_near(old: float, new: float, tolerance: Tolerance) -> bool:
    judged = tolerance.results([np.array(old, np.float32)], [np.array(new, np.float32)])
    return not len(judged.beyond)
