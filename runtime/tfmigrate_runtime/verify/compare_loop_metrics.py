"""Comparing evaluations of an Estimator with what a loop without ``evaluate`` measures."""

from __future__ import annotations

import numpy as np

from tfmigrate_runtime.verify.compare import Outcome
from tfmigrate_runtime.verify.tolerance import Tolerance
from tfmigrate_runtime.verify.trace import Trace
from tfmigrate_runtime.verify.wording import counted

_STEP = "global_step"


def loop_metrics(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
    """Looks for each number of the original's evaluations among results of metrics of the loop.

    A loop may measure more, and call it by other names: a number is found if a metric has it at
    the same step; it differs if a metric of its name has a different one.
    """
    results = (migrated.meta.get("native") or {}).get("metrics", [])
    found, other, unseen = 0, [], []
    for number, metrics in enumerate(original.evaluations, start=1):
        step = int(metrics.get(_STEP, -1))
        there = [(name, value) for at, name, value in results if at == step]
        for name, value in metrics.items():
            if name == _STEP or np.ndim(value) or np.asarray(value).dtype.kind not in "fiu":
                continue
            near = [n for n, v in there if _is_near(float(value), v, tolerance)]
            named = [v for n, v in there if n == name]
            if near:
                found += 1
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
    if not found:
        text = (
            f"The original makes {count}, and no metric of the migrated program has any of their "
            "numbers at the same step: verify sees model.evaluate and results of keras.metrics."
        )
        return Outcome(True, "evaluations not seen", "", (text,), decided=False)
    figure = f"{counted(found, 'metric')} of {count}"
    return Outcome(True, figure, f"{tolerance.share:.0e}", not_compared=tuple(unseen))


def _is_near(old: float, new: float, tolerance: Tolerance) -> bool:
    judged = tolerance.results([np.array(old, np.float32)], [np.array(new, np.float32)])
    return not len(judged.beyond)
