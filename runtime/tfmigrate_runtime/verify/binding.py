"""Which program and arguments a stored trace belongs to."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tfmigrate_runtime.verify.trace import TraceError, changed_sources, meta_of

_HINT = "Record it again, leave it out so that the original is run, or insist by --force-trace"


def check_trace(
    options: argparse.Namespace, stored: Path, meta: Mapping[str, Any], cluster: str = ""
) -> list[str]:
    """Refuses a trace of another program, or of other arguments.

    Args:
        options: the command line.
        stored: the trace.
        meta: what it says about itself.
        cluster: the jobs that it was recorded with, where the command line has others.

    Returns:
        What is wrong with it, where --force-trace insists on it.

    Raises:
        TraceError: it does not belong to the original as the command line runs it.
    """
    wrong = _mismatches(options, meta)
    wrong += [f"was recorded with --cluster {cluster}"] if cluster else []
    if wrong and not options.force_trace:
        raise TraceError(f"{stored} {'; it '.join(wrong)}. {_HINT}")
    return [f"{stored} {text}" for text in wrong]


def _mismatches(options: argparse.Namespace, meta: Mapping[str, Any]) -> list[str]:
    original: Path = options.original
    if meta.get("script", original.name) != original.name:
        return [f"is a trace of {meta['script']}, not of {original.name}"]
    found = []
    changed = [path.name for path in changed_sources(original, meta["sources"])]
    if changed:
        verb = "has" if len(changed) == 1 else "have"
        found.append(f"is out of date: {', '.join(changed)} {verb} changed since it was recorded")
    if options.arguments is not None and list(meta["args"]) != list(options.arguments):
        recorded = shlex.join(meta["args"]) or "none"
        found.append(f"was recorded with other arguments: {recorded}")
    if options.replicas is not None and meta.get("replicas") != options.replicas:
        found.append(f"was recorded with {_replicas(meta)}, not with --replicas {options.replicas}")
    return found


def _replicas(meta: Mapping[str, Any]) -> str:
    replicas = meta.get("replicas")
    return "the devices that the program has" if replicas is None else f"--replicas {replicas}"


def trace_beside(original: Path, tell: Callable[[str], None]) -> Path | None:
    """Returns the trace that lies beside a program, or beside the folder of one with modules.

    One of a program of another name is left alone; an old one of this program is returned.
    """
    beside = original.with_name("trace.npz")
    if beside.is_file():
        name = _name_in(beside, original)
        if name == original.name:
            return beside
        tell(f"not using {beside}: it is a trace of {name}")
        return None
    above = original.resolve().parent.with_name("trace.npz")
    if above.is_file() and _name_in(above, original) == original.name:
        return None if changed_sources(original, meta_of(above)["sources"]) else above
    return None


def _name_in(trace: Path, original: Path) -> str:
    return str(meta_of(trace).get("script", original.name))
