"""The files of a run, split into independent pieces.

What becomes of a file depends on the files that it imports and that import it, through whatever
other files. Two files are of one piece where that may join them: each piece is migrated for
itself, in any process, and what comes of a run does not depend on how many there are.
"""

import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tfmigrate.files.discover import Candidate
from tfmigrate.files.workers import each
from tfmigrate.model.reached import reached
from tfmigrate.scan.import_paths import ImportFiles, names_imported
from tfmigrate.scan.select_files import Selection
from tfmigrate.tables.family_names import LOCAL_NAMES

_SEEDS = tuple(name.encode() for name in LOCAL_NAMES)


@dataclass(frozen=True)
class Piece:
    """Files that may depend on each other, and on no other file of the run.

    Attributes:
        files: the files, in the order they were found.
        starts: those among them that do not name TensorFlow; they are left out where they do not
            parse.
        imports: who imports whom among them, directly or through other files: lines of paths, the
            same for the same files in any folder.
        outside: the files around them that are not of the run and import them: lines of path and
            digest; empty if not requested.
    """

    files: tuple[Candidate, ...]
    starts: frozenset[Path]
    imports: tuple[str, ...]
    outside: tuple[str, ...] = ()


def pieces(
    selection: Selection, roots: Sequence[Path], jobs: int = 1, outside: bool = False
) -> list[Piece]:
    """Splits the files of a run into pieces.

    Args:
        selection: the files.
        roots: where the search for imported files ends upwards.
        jobs: how many processes may read files.
        outside: whether to look for files that are not of the run and import its files.

    Returns:
        The pieces that hold a chosen file; each of those is in one.
    """
    files = [*selection.chosen, *selection.beside, *selection.starts]
    by_path = {os.path.realpath(candidate.path): candidate for candidate in files}
    graph = _Graph(by_path, roots, jobs)
    leader: dict[str, str] = {}

    def find(path: str) -> str:
        while leader.setdefault(path, path) != path:
            leader[path] = leader[leader[path]]
            path = leader[path]
        return path

    for path, targets in graph.edges.items():
        for target in targets:
            leader[find(target)] = find(path)
    members: dict[str, list[Candidate]] = {}
    for path, candidate in by_path.items():
        members.setdefault(find(path), []).append(candidate)
    edges: dict[str, list[str]] = {}
    for path, targets in graph.edges.items():
        if targets:
            edges.setdefault(find(path), []).append(graph.line(path, targets))
    starts = frozenset(candidate.path for candidate in selection.starts)
    order = {candidate.path: index for index, candidate in enumerate(files)}
    chosen = {candidate.path for candidate in selection.chosen}
    importers = graph.importers_outside() if outside else {}
    return [
        Piece(
            tuple(sorted(group, key=lambda candidate: order[candidate.path])),
            starts.intersection(candidate.path for candidate in group),
            tuple(sorted(edges.get(first, ()))),
            _digests({path for c in group for path in importers.get(os.path.realpath(c.path), ())}),
        )
        for first, group in members.items()
        if any(candidate.path in chosen for candidate in group)
    ]


class _Graph:
    """The imports between files from which files of the run are reached.

    Attributes:
        edges: the files that each file imports.
    """

    def __init__(self, files: dict[str, Candidate], roots: Sequence[Path], jobs: int) -> None:
        self._lookup = ImportFiles(roots)
        self._around: set[str] = set()
        self._files, self._jobs = files, jobs
        self._all: dict[str, list[str]] = {}
        seeds = [path for path in self._follow(files, self._all) if path in files]
        # A main program outside the run may connect the files of its program.
        if len(seeds) > 1:
            self._around = set(self._lookup.around(seeds)) - set(files)
            self._follow(sorted(self._around), self._all)
        self.edges = _towards(files, self._all)

    def importers_outside(self) -> dict[str, set[str]]:
        """Returns, for files of the run, the files outside the run that import them."""
        edges = dict(self._all)
        outside = set(self._lookup.around(self._files)) - set(self._files)
        self._follow(sorted(outside), edges)
        towards = _towards(self._files, edges)
        importers: dict[str, set[str]] = {}
        for importer in outside & towards.keys():
            seen = reached([importer], lambda path: towards.get(path, ()))
            for path in self._files.keys() & set(seen):
                importers.setdefault(path, set()).add(importer)
        return importers

    def _follow(self, paths: Iterable[str], edges: dict[str, list[str]]) -> list[str]:
        """Adds what files import, and what those do; returns those that name a seed."""
        seeds: list[str] = []
        # Each file once.
        while wave := [path for path in dict.fromkeys(paths) if path not in edges]:
            scanned = each(_scan, wave, self._jobs, 100)
            for path, (names, is_seed) in zip(wave, scanned, strict=True):
                edges[path] = self._lookup.of(path, names)
                seeds += [path] if is_seed else []
            paths = [target for path in wave for target in edges[path]]
        return seeds

    def line(self, path: str, targets: Iterable[str]) -> str:
        """Returns one file and what it imports as a line of text."""
        names = [os.path.relpath(name) for name in (path, *targets)]
        return "\0".join(["around" if path in self._around else "", *names])


def _digests(paths: Iterable[str]) -> tuple[str, ...]:
    """Returns a line for each of some files, with its path and its contents."""
    return tuple(
        f"{os.path.relpath(path)}\0{hashlib.sha256(_read(path)).hexdigest()}"
        for path in sorted(paths)
    )


def _towards(wanted: Iterable[str], edges: dict[str, list[str]]) -> dict[str, list[str]]:
    """Returns the edges of the files from which a wanted file is reached, towards such files."""
    importers: dict[str, list[str]] = {}
    for path, targets in edges.items():
        for target in targets:
            importers.setdefault(target, []).append(path)
    reaching = set(reached(wanted, lambda path: importers.get(path, ())))
    return {
        path: [target for target in targets if target in reaching]
        for path, targets in edges.items()
        if path in reaching
    }


def _scan(path: str) -> tuple[list[tuple[tuple[str, ...], int]], bool]:
    """Returns what a file imports, and whether it names a wrapper or an optimizer of towers."""
    data = _read(path)
    names = dict.fromkeys(names_imported(path, data))
    return list(names), any(seed in data for seed in _SEEDS)


def _read(path: str) -> bytes:
    """Reads a file; one that cannot be read imports nothing."""
    try:
        data = Path(path).read_bytes()
    except OSError:
        return b""
    if path.endswith(".ipynb"):
        # The lines of a notebook's cells are strings of its JSON.
        return data.replace(b"\\n", b"\n").replace(b'"', b"\n")
    return data
