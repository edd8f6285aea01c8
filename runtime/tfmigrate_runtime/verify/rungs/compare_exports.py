"""Comparing exports: their signatures, assets and places, and what they compute."""

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any

from tfmigrate_runtime.verify.rounding.tolerance import Finding, Tolerance
from tfmigrate_runtime.verify.rungs.compare import Outcome, not_recorded, worst_figures
from tfmigrate_runtime.verify.rungs.differences import first_lines, greatest_difference
from tfmigrate_runtime.verify.traces.trace import Trace
from tfmigrate_runtime.verify.wording import SIDES, counted

_OF_PORTS = "exports (a port writes no SavedModel)"
Export = Mapping[str, Any]
_Place = tuple[str | None, bool]  # the folder, and whether it is kept


def exports(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
    """The same SavedModels, in the same folders, which compute the same from the same inputs."""
    if migrated.is_port:
        return Outcome(True, "not compared", "", skipped=True, not_compared=(_OF_PORTS,))
    recorded = [trace.meta.get("exports") for trace in (original, migrated)]
    if (lacking := not_recorded("exports", *recorded)) is not None:
        return lacking
    old, new = recorded[0] or [], recorded[1] or []
    if not old and not new:
        return Outcome(True, "none written", "", skipped=True)
    details = [*_other_places(old, new, "native" in migrated.meta)]
    for number, (first, second) in enumerate(zip(old, new, strict=False), start=1):
        details += [f"Export {number}: {line}" for line in _other_contents(first, second)]
    if details:
        return Outcome(False, f"{len(old)} and {len(new)} exports", "", first_lines(details))
    results: list[Finding] = []
    notes = [*_unread(old), *_additions(old, new)]
    for number, (first, second) in enumerate(zip(old, new, strict=True), start=1):
        for name, sides in _runs(first, second):
            values, differs, reason = _compared(sides, (original, migrated), tolerance)
            results += values
            details += [f"Export {number}, {name!r}: {line}" for line in differs]
            if reason:
                notes.append(f"Export {number}, {name!r}: outputs were not compared: {reason}.")
    shown, limit = worst_figures(results)
    figure = counted(len(new), "export") + (f", {shown}" if shown else "")
    return Outcome(not details, figure, limit, first_lines(details or notes))


def _other_places(old: list[Export], new: list[Export], is_native: bool) -> Iterator[str]:
    for number, pair in enumerate(zip_longest(old, new), start=1):
        places = [None if one is None else (_folder_of(one), one["kept"]) for one in pair]
        if places[0] == places[1] or (is_native and _is_same_below(*places)):
            continue
        texts = []
        for name, place in zip(SIDES, places, strict=True):
            if place is None:
                texts.append(f"the {name} does not write it")
                continue
            removal = "" if place[1] else ", and removes it"
            texts.append(f"the {name} writes it to {place[0] or 'a different folder'}{removal}")
        yield f"Export {number}: {'; '.join(texts)}."


def _is_same_below(old: _Place | None, new: _Place | None) -> bool:
    """Whether folders are the same, of which an Estimator's begins with its model_dir.

    That of a Keras program begins with a folder above.
    """
    if old is None or new is None or None in (old[0], new[0]):
        return False
    return old[1] == new[1] and f"/{new[0]}".endswith(f"/{old[0]}")


def _folder_of(export: Export) -> str | None:
    """Returns the folder of an export without the time; that of an Estimator is recorded so."""
    folder: str | None = export["folder"]
    if folder is None:
        return None
    parent, _, name = folder.rpartition("/")
    return (parent or ".") if name == "<time>" else folder


def _other_contents(old: Export, new: Export) -> Iterator[str]:
    """Describes how the assets, tags and signatures of two exports differ."""
    if old["assets"] != new["assets"]:
        names = sorted(
            name
            for name in {**old["assets"], **new["assets"]}
            if old["assets"].get(name) != new["assets"].get(name)
        )
        yield f"the assets {', '.join(names)} differ."
    tags = [[",".join(graph["tags"]) for graph in one["graphs"]] for one in (old, new)]
    if tags[0] != tags[1]:
        yield f"tags are {tags[0]} in the original, {tags[1]} in the migrated program."
        return
    for first, second in zip(old["graphs"], new["graphs"], strict=True):
        known = first["signatures"], second["signatures"]
        for name in sorted({*known[0], *known[1]}):
            if name not in known[1]:
                yield f"the signature {name!r} is only in the original."
            elif name in known[0]:
                lines = _other_form(known[0][name], known[1][name])
                yield from (f"{name!r}: {line}" for line in lines)


def _other_form(old: Export, new: Export) -> Iterator[str]:
    if old["method"] != new["method"]:
        yield (
            f"its method is {old['method']} in the original, {new['method']} in the migrated "
            "program."
        )
    for kind in ("inputs", "outputs"):
        for name in sorted({*old[kind], *new[kind]}):
            first, second = old[kind].get(name), new[kind].get(name)
            if first is None and kind == "outputs":
                continue
            if first is None or second is None:
                yield f"the {kind[:-1]} {name!r} is only in the {SIDES[first is None]}."
            elif first[0] != second[0] or not _fits(first[1], second[1], kind == "outputs"):
                yield (
                    f"the {kind[:-1]} {name!r} is {_shown(first)} in the original, "
                    f"{_shown(second)} in the migrated program."
                )


def _unread(old: list[Export]) -> Iterator[str]:
    """Names exports that could not be read; those of both programs where the forms are equal."""
    for number, export in enumerate(old, start=1):
        if export.get("error") and not export["graphs"]:
            yield f"Export {number} was not compared: it could not be read ({export['error']})."


def _additions(old: list[Export], new: list[Export]) -> Iterator[str]:
    """Names what only the migrated program's exports have: their users see no change."""
    for number, (first, second) in enumerate(zip(old, new, strict=True), start=1):
        for graph, other in zip(first["graphs"], second["graphs"], strict=True):
            for name, signature in other["signatures"].items():
                if (known := graph["signatures"].get(name)) is None:
                    yield f"Export {number}: only the migrated program has the signature {name!r}."
                for output in signature["outputs"] if known is not None else ():
                    if output not in known["outputs"]:
                        text = f"Export {number}, {name!r}: only the migrated program"
                        yield f"{text} returns {output!r}."


def _fits(old: list[int] | None, new: list[int] | None, open_sizes: bool) -> bool:
    """Whether shapes are the same; of outputs, versions of TensorFlow infer more or less."""
    if old == new or (open_sizes and (old is None or new is None)):
        return True
    if not open_sizes or old is None or new is None or len(old) != len(new):
        return False
    return all(a == b or -1 in (a, b) for a, b in zip(old, new, strict=True))


def _shown(kind: list[Any]) -> str:
    return f"{kind[0]} {'of any shape' if kind[1] is None else kind[1]}"


def _runs(old: Export, new: Export) -> Iterator[tuple[str, tuple[Export, Export]]]:
    """Yields the signatures of two exports, with why the whole export could not be run."""
    for first, second in zip(old["graphs"], new["graphs"], strict=True):
        for name, signature in first["signatures"].items():
            sides = [signature, second["signatures"][name]]
            for index, one in enumerate((old, new)):
                if one.get("error"):
                    sides[index] = {**sides[index], "error": one["error"]}
            yield name, (sides[0], sides[1])


def _compared(
    sides: tuple[Export, Export], traces: tuple[Trace, Trace], tolerance: Tolerance
) -> tuple[list[Finding], list[str], str]:
    """Compares what a signature computes; describes what differs, and why nothing is compared."""
    if sides[0].get("error") and "values" in sides[0].get("shared", {}):
        # Towers divide what they predict: the original takes only batches of their multiples.
        shared = [side.get("shared", {"error": side.get("error")}) for side in sides]
        return _compared((shared[0], shared[1]), traces, tolerance)
    errors = [side.get("error") for side in sides]
    if errors[0] and errors[1]:
        return [], [], f"generated inputs cause {errors[0]}"
    if errors[0] or errors[1]:
        which = SIDES[0 if errors[0] else 1]
        return [], [f"only the {which} fails on generated inputs ({errors[0] or errors[1]})."], ""
    if any("values" not in side for side in sides):
        return [], [], "only the first exports of a program are run"
    results, details = [], []
    for name, key in sides[0]["values"].items():
        keys = [key, sides[1]["values"].get(name)]
        if None in keys:
            if keys[0] != keys[1]:
                details.append(f"{name!r} is reproducible only in the {SIDES[keys[0] is None]}.")
            continue
        old, new = (trace.exported[key] for trace, key in zip(traces, keys, strict=True))
        worst = greatest_difference(old, new)
        if old.shape != new.shape:
            details.append(
                f"{name!r} is {list(old.shape)} in the original, {list(new.shape)} in the migrated "
                "program."
            )
            continue
        runs = [[run.exported[key]] for run in tolerance.runs if key in run.exported]
        finding = tolerance.results([old], [new], runs)
        results.append(finding)
        if len(finding.beyond):
            details.append(
                f"{name!r} differs by {worst.size:.3g} on the same generated inputs (original "
                f"{worst.original:.9g}, migrated {worst.migrated:.9g})."
            )
    return results, details, ""
