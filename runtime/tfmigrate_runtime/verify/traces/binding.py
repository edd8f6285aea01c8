"""Which program and arguments a stored trace belongs to."""

import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tfmigrate_runtime.verify.request import VerifyRequest
from tfmigrate_runtime.verify.running.cluster import Cluster
from tfmigrate_runtime.verify.traces.trace import TraceError, changed_sources, meta_of

_HINT = "Record it again, remove it to run the original, or use it anyway with --force-trace"


def check_trace(request: VerifyRequest, stored: Path, meta: Mapping[str, Any]) -> list[str]:
    """Refuses a trace of a different program, with different arguments or a different cluster.

    Args:
        request: what to verify.
        stored: the trace.
        meta: its ``meta``.

    Returns:
        What is wrong with it, where --force-trace uses it anyway.

    Raises:
        TraceError: it does not belong to the original as it would be run.
    """
    wrong = _mismatches(request, meta)
    jobs = str(Cluster(meta.get("cluster", {})))
    if request.cluster is not None and jobs != str(Cluster.parse(request.cluster)):
        wrong.append(f"was recorded with --cluster {jobs}")
    if wrong and not request.force_trace:
        raise TraceError(f"{stored} {'; it '.join(wrong)}. {_HINT}")
    return [f"{stored} {text}" for text in wrong]


def _mismatches(request: VerifyRequest, meta: Mapping[str, Any]) -> list[str]:
    original = request.original
    if not _is_of(original, meta):
        return [f"is a trace of {meta['script']}, not of {original.name}"]
    mismatches = []
    if changed := [path.name for path in changed_sources(original, _sources(original, meta))]:
        verb = "has" if len(changed) == 1 else "have"
        mismatches.append(
            f"is out of date: {', '.join(changed)} {verb} changed since it was recorded"
        )
    if request.arguments is not None and list(meta["args"]) != list(request.arguments):
        recorded = shlex.join(meta["args"]) or "none"
        mismatches.append(f"was recorded with different arguments: {recorded}")
    if request.replicas is not None and meta.get("replicas") != request.replicas:
        mismatches.append(
            f"was recorded with {_replicas(meta)}, not with --replicas {request.replicas}"
        )
    return mismatches


def _replicas(meta: Mapping[str, Any]) -> str:
    replicas = meta.get("replicas")
    return "the program's own devices" if replicas is None else f"--replicas {replicas}"


def trace_beside(original: Path, progress: Callable[[str], None]) -> Path | None:
    """Returns the trace that lies next to a program, or next to the folder of one with modules.

    That of a program with another name is ignored; an outdated one of this program is returned.
    """
    beside = original.with_name("trace.npz")
    if beside.is_file():
        meta = meta_of(beside)
        if _is_of(original, meta):
            return beside
        progress(f"not using {beside}: it is a trace of {meta['script']}")
        return None
    above = original.resolve().parent.with_name("trace.npz")
    if above.is_file():
        meta = meta_of(above)
        if _is_of(original, meta) and not changed_sources(original, _sources(original, meta)):
            return above
    return None


def _is_of(original: Path, meta: Mapping[str, Any]) -> bool:
    """Whether a trace is of this program or an older version of it: by its name or its text."""
    name = meta.get("script", original.name)
    renamed = {original.name: meta.get("sources", {}).get(name, "")}
    return bool(name == original.name or not changed_sources(original, renamed))


def _sources(original: Path, meta: Mapping[str, Any]) -> dict[str, str]:
    """Returns the digests of the program's files, by the name that its script has now."""
    name = meta.get("script")
    return {
        original.name if key == name else key: value
        for key, value in meta.get("sources", {}).items()
    }
