"""Compares the updates of all variables: step by step, and the length of all steps together."""

from collections.abc import Iterable

from tfmigrate_runtime.verify.rounding import scaled_updates, switches, update_lengths, updates
from tfmigrate_runtime.verify.rounding.tolerance import Finding, Tolerance
from tfmigrate_runtime.verify.traces.trace import Trace


def of_variables(
    original: Trace, migrated: Trace, tolerance: Tolerance
) -> tuple[dict[str, Finding], list[str]]:
    """Compares the variables that both have; returns by name what was found, and other shapes."""
    findings, other = {}, []
    for name, values in original.variables.items():
        if (new := migrated.variables.get(name)) is None:
            continue
        if values.shape == new.shape:
            findings[name] = _of_variable(name, original, migrated, tolerance)
        else:
            shapes = [f"{list(each.shape[1:])} in the" for each in (values, new)]
            other.append(f"{name} is {shapes[0]} original, {shapes[1]} migrated program.")
    if tolerance.noise is not None and tolerance.noise.wide:
        findings = switches.allowed(
            findings, _moved_by_more(findings, original, migrated, tolerance)
        )
    return findings, other


def _of_variable(name: str, original: Trace, migrated: Trace, tolerance: Tolerance) -> Finding:
    finding = updates.compared(name, original, migrated, tolerance)
    if tolerance.noise is None or not updates.is_by_rule(name, original, tolerance):
        return finding
    if name in original.other_order:  # what towers update in no order has no update of its own
        return finding
    of_steps = updates.UpdatesOfSteps(name, original, migrated, tolerance.noise)
    return scaled_updates.without_noise(finding, of_steps, tolerance.share)


def _moved_by_more(
    names: Iterable[str], original: Trace, migrated: Trace, tolerance: Tolerance
) -> dict[str, updates.UpdatesOfSteps]:
    """Returns the updates of variables that runs from states moved by more have, too."""
    by_name = {
        name: updates.UpdatesOfSteps(name, original, migrated, tolerance.noise)
        for name in names
        if updates.is_by_rule(name, original, tolerance)
    }
    return {name: each for name, each in by_name.items() if each.at(slice(1)).wide}


def lengths(original: Trace, migrated: Trace, tolerance: Tolerance) -> dict[str, Finding]:
    """Compares the length of all updates of each trained variable together."""
    return {
        name: each
        for name, values in original.variables.items()
        if name in migrated.variables and values.shape == migrated.variables[name].shape
        if (each := update_lengths.length(name, original, migrated, tolerance)) is not None
    }
