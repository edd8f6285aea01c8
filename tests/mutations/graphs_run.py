"""Runs a program and writes down which graphs its sessions ran, and with which feeds.

    TFMIGRATE_GRAPHS=DIR python graphs_run.py SCRIPT.py ARGUMENTS

Two programs that run the same graphs with the same feeds compute the same: what was changed between
them is not a wrong migration. Of each run what its fetches depend on is written down, but for
summaries, which nothing else depends on; runs without feeds are a set, those with are in order.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import runpy
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

FOLDER = "TFMIGRATE_GRAPHS"
# Names of temporary folders and files, of which each run has its own of the same length.
_OF_ONE_RUN = re.compile(rb"tfmigrate-(verify|cluster)-\w{8}|_temp_[0-9a-f]{32}")


class GraphsRun:
    """The graphs that the sessions of this process ran."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, tuple[str, ...]], str] = {}
        self._kept: list[Any] = []  # graphs whose id must not be given to another
        self.unfed: set[str] = set()
        self.fed: list[str] = []

    def saw(self, graph: Any, fetched: Iterable[Any], feeds: dict[Any, Any]) -> None:
        """Adds one run of a session.

        Args:
            graph: the session's.
            fetched: tensors and operations.
            feeds: arrays by the reference of a tensor.
        """
        roots = {getattr(one, "op", one) for one in fetched}
        key = (id(graph), tuple(sorted(root.name for root in roots)))
        if key not in self._known:
            self._kept.append(graph)
            self._known[key] = _digest(_nodes(roots) + _functions(graph))
        if not feeds:
            self.unfed.add(self._known[key])
            return
        values = [
            tensor.deref().name.encode() + (value.tobytes() if value.dtype.kind in "biuf" else b"")
            for tensor, value in feeds.items()
        ]
        self.fed.append(_digest([self._known[key].encode(), *sorted(values)]))

    def write(self, folder: str) -> None:
        """Writes a file of its own: several processes may belong to one run."""
        told = json.dumps({"unfed": sorted(self.unfed), "fed": self.fed})
        Path(folder, f"{os.getpid()}.json").write_text(told)


def _nodes(roots: Iterable[Any]) -> list[bytes]:
    """Returns what operations depend on, in the order of names."""
    found: dict[str, bytes] = {}
    waiting = list(roots)
    while waiting:
        operation = waiting.pop()
        if operation.name in found or "Summary" in operation.type:
            continue
        definition = operation.node_def.SerializeToString(deterministic=True)
        found[operation.name] = _OF_ONE_RUN.sub(b"", definition)
        waiting += [tensor.op for tensor in operation.inputs]
        waiting += operation.control_inputs
    return [found[name] for name in sorted(found)]


def _functions(graph: Any) -> list[bytes]:
    library = graph.as_graph_def().library.function
    return sorted(function.SerializeToString(deterministic=True) for function in library)


def _digest(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(b"%d:" % len(part) + part)
    return digest.hexdigest()[:20]


def observe(seen: GraphsRun) -> None:
    """Has every session of this process tell what it runs."""
    from tensorflow.python.client import session

    run = session.BaseSession._do_run

    def observed(
        self: Any, handle: Any, targets: Any, fetches: Any, feeds: Any, *others: Any
    ) -> Any:
        seen.saw(self.graph, [*targets, *fetches], feeds)
        return run(self, handle, targets, fetches, feeds, *others)

    session.BaseSession._do_run = observed


def main() -> None:
    """Runs the program."""
    seen = GraphsRun()
    observe(seen)
    sys.argv = sys.argv[1:]
    sys.path[0] = str(Path(sys.argv[0]).resolve().parent)
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    finally:
        seen.write(os.environ[FOLDER])


if __name__ == "__main__":
    main()
