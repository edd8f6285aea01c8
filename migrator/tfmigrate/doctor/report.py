"""The report of ``tfmigrate doctor``, as text and as JSON."""

import json
from itertools import groupby
from typing import Any

from tfmigrate.doctor.diagnose import Diagnosis, MissingName
from tfmigrate.model.statuses import Status
from tfmigrate.report.terminal import Printer, printable


def print_diagnosis(diagnosis: Diagnosis, printer: Printer) -> None:
    """Prints each missing name with its first place, what is known about it, and the summary."""
    for _, group in groupby(diagnosis.missing, key=lambda name: name.path):
        names = list(group)
        width = max(len(place_of(name)) for name in names)
        for name in names:
            more = len(name.places) - 1
            count = f" (and {more} more {'place' if more == 1 else 'places'})" if more else ""
            place = printable(place_of(name)).ljust(width)
            printer.line(place, "  ", (short(name.name), "bold"), f" not found{count}")
            printer.line((f"    {known_of(name)}", "dim"))
        printer.line()
    printer.line((summary(diagnosis), "bold red" if diagnosis.exit_code else "bold green"))


def summary(diagnosis: Diagnosis) -> str:
    """Returns the last line."""
    tensorflow = f"TensorFlow {diagnosis.versions.get('tensorflow', '')}".strip()
    files = _count(diagnosis.parsed, "file")
    failed = len({error.path for error in diagnosis.errors})
    unread = f"; {_count(failed, 'file')} could not be read" if failed else ""
    if not diagnosis.names:
        return f"Nothing to look up: no TensorFlow names in {files}{unread}."
    if not diagnosis.missing:
        names = _count(diagnosis.names, "name")
        return f"All {names} of {files} are in {tensorflow}{unread}."
    names = _count(len({name.name for name in diagnosis.missing}), "name")
    affected = _count(len({name.path for name in diagnosis.missing}), "file")
    return f"{names} in {affected} (of {diagnosis.parsed}) not found with {tensorflow}{unread}."


def as_json(diagnosis: Diagnosis) -> str:
    """Returns the diagnosis as JSON."""
    return json.dumps(
        {
            "versions": diagnosis.versions,
            "files": diagnosis.parsed,
            "names": diagnosis.names,
            "missing": [_entry(name) for name in diagnosis.missing],
            "errors": [
                {"path": e.path, "line": e.line, "column": e.column, "message": e.message}
                for e in diagnosis.errors
            ],
        },
        indent=2,
    )


def place_of(name: MissingName) -> str:
    """Returns the first place of a name, as it is shown."""
    cell, line, column = name.places[0]
    return f"{name.path}:cell {cell}:{line}:{column}" if cell else f"{name.path}:{line}:{column}"


def known_of(name: MissingName) -> str:
    """Returns what is known about a missing name, one line."""
    if (known := name.symbol) is None:
        return f"{name.reason} ({name.rule})" if name.rule else name.reason
    by_rule = f" ({known.rule})" if known.rule else ""
    if known.status is Status.GONE:
        return (known.advice or "removed from TensorFlow, without a replacement") + by_rule
    advice = f"; {known.advice}" if known.advice else ""
    if name.name in (known.equivalent, known.equivalent.replace(".compat.v1", "")):
        where = "tf.compat.v1" if known.equivalent != name.name else ""
        availability = f"available in {where}{by_rule}" if where else name.reason
        return f"{availability}{advice}"
    if known.equivalent:
        return f"use {short(known.equivalent)}{by_rule}{advice}"
    return f"run tfmigrate to migrate it{by_rule}{advice}"


def short(name: str) -> str:
    """Returns a name as people write it."""
    return "tf" + name[len("tensorflow") :] if name.startswith("tensorflow.") else name


def _entry(name: MissingName) -> dict[str, Any]:
    known = name.symbol
    return {
        "path": name.path,
        "places": [
            {"cell": cell, "line": line, "column": column} for cell, line, column in name.places
        ],
        "name": name.name,
        "reason": name.reason,
        "status": known.status.value if known else None,
        "equivalent": known.equivalent if known else "",
        "rule": name.rule,
        "advice": known.advice if known else "",
    }


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
