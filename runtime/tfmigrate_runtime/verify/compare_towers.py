"""Comparing the losses of towers that a session program builds in a loop."""

from tfmigrate_runtime.verify import compare
from tfmigrate_runtime.verify.causes import FirstDifference
from tfmigrate_runtime.verify.compare import Outcome
from tfmigrate_runtime.verify.differences import greatest_difference
from tfmigrate_runtime.verify.tolerance import Tolerance
from tfmigrate_runtime.verify.trace import Trace


def losses(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
    """Rung 4: the same loss at every step, and where both recorded them, of every tower.

    The mean of the towers hides which batch went to which tower.
    """
    if "losses" not in original.meta and migrated.meta.get("losses", {}).get("differ"):
        reason = "The original's trace is of an earlier version, which recorded one of its losses."
        return Outcome(True, "not recorded", "", (reason,), skipped=True)
    outcome = compare.losses(original, migrated, tolerance)
    old, new = original.tower_loss, migrated.tower_loss
    if outcome.same and old is not None and new is not None:
        new = compare.without_factor(original, migrated, tolerance)[0].tower_loss
    if not outcome.same or old is None or new is None:
        return outcome
    if old.shape[1] != new.shape[1]:
        counts = f"{old.shape[1]} and {new.shape[1]} towers"
        details = (
            f"The original has {old.shape[1]} towers, the migrated program {new.shape[1]} "
            "replicas.",
        )
        return Outcome(False, counts, "", details)
    finding = tolerance.losses(old, new, "tower_loss")
    if not len(finding.beyond):
        return outcome
    step = int(finding.beyond[0])
    worst = greatest_difference(old[step], new[step])
    figure, limit = compare.figures(finding)
    (tower,) = worst.index
    details = (
        f"The mean loss is the same, but not that of each tower: at step "
        f"{int(original.step[step])} tower {tower} has {worst.original:.9g} in the original, "
        f"{worst.migrated:.9g} in the migrated program. Check that each tower gets the same part "
        "of the batch.",
    )
    place = FirstDifference(
        int(original.step[step]), None, (tower,), worst.original, worst.migrated
    )
    return Outcome(False, figure, limit, details, first=place)
