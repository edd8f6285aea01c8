"""Comparing the graph-level seeds of two programs, which the recorder replaces in both.

``tf.set_random_seed`` and ``tf_random_seed`` decide what a program draws in production. Operations
with a seed of their own draw other numbers as soon as the graph has another one. Those without
count the graph's operations, too, which differ between versions: of them the seed decides whether
each run draws the same numbers. A program that is seeded although its original is not makes one of
the original's runs.
"""

from collections.abc import Mapping

from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.compare import Outcome
from tfmigrate_runtime.verify.traces.trace import Trace

_NONE = ""  # the key of operations in a graph without a seed


def graph_seeds(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
    """Compares the graph-level seeds; they are the same where one trace has none recorded."""
    both = [trace.meta.get("graph_seeds") for trace in (original, migrated)]
    lines: dict[str, None] = {}
    for kind in ("own", "other") if all(both) else ():
        old, new = (each[kind] for each in both if each is not None)
        # An original without a seed draws other numbers in each run anyway.
        is_free = kind == "other" and {*old} == {_NONE}
        if old and new and {*old} != {*new} and not is_free:
            lines[_line(old, new)] = None
    figure, cause = ("other seed", "seed") if lines else ("", "")
    return Outcome(not lines, figure, "", tuple(lines), cause=cause)


def _line(old: Mapping[str, int], new: Mapping[str, int]) -> str:
    text = (
        f"The graph-level seed is {_shown(old)} in the original, {_shown(new)} in the migrated "
        "program (tf.set_random_seed, or tf_random_seed of a RunConfig): "
    )
    if _NONE in new and _NONE not in old:
        return text + "not every run draws the same random numbers any more."
    return text + "it draws other random numbers than the original."


def _shown(seeds: Mapping[str, int]) -> str:
    return " and ".join(seed or "not set" for seed in sorted(seeds))
