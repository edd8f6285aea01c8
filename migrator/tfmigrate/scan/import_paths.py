"""Which files on the disk the imports of a file load."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tfmigrate.scan.imports_of_bytes import imported

MAX_PARENTS = 8  # how far up from a file its imports are looked for
# The folders that a file adds to the path of modules: sys.path.append(os.path.join(ROOT, "lib")).
_ADDS = re.compile(rb"\bsys\.path\.(?:append|extend|insert)\((.*)")
# A package that loads modules by names that it computes, mostly all of its own.
_BY_NAME = re.compile(
    rb"""\b(?:walk_packages|iter_modules)\s*\(|\b(?:__import__|import_module)\s*\(\s*(?:"""
    rb"""[^\s"')]|["'][^"'\n]*["']\s*[+%])"""
)
_ALL = "**"  # in the place of a name: every module of a package
_LITERAL = re.compile(rb"""["']([^"'\n]+)["']""")


def names_imported(path: str, data: bytes) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yields the dotted names that a file imports, each with the number of dots before it."""
    yield from ((clause.parts, clause.level) for clause in imported(data))
    yield from modules_by_name(path, data)


def modules_by_name(path: str, data: bytes) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yields a name for all modules of a package, where its ``__init__`` loads what it finds."""
    if path.endswith("__init__.py") and _BY_NAME.search(data):
        yield (_ALL,), 1


class ImportFiles:
    """Looks imports up on the disk, and caches the results."""

    def __init__(self, roots: Sequence[Path] = ()) -> None:
        self._roots = {os.path.realpath(root) for root in roots}
        self._listings: dict[str, dict[str, bool]] = {}
        self._found: dict[tuple[str, tuple[str, ...], int], list[str]] = {}
        self._added: dict[str, list[str]] = {}

    def of_data(self, importer: str, data: bytes) -> list[str]:
        """Returns the files that the contents of a file import, each once."""
        return self.of(importer, names_imported(importer, data))

    def of(self, importer: str, names: Iterable[tuple[tuple[str, ...], int]]) -> list[str]:
        """Returns the files that imports load, each once.

        Args:
            importer: the real path of the file that has the imports.
            names: dotted names, each with the number of dots before it.
        """
        folder = os.path.dirname(importer)  # noqa: PTH120 - called for every file of a tree
        targets: dict[str, None] = {}
        for parts, level in names:
            if not (files := self._find(folder, parts, level)) and not level:
                files = self._find_on_path(importer, parts)
            targets.update(dict.fromkeys(files))
        return list(targets)

    def _find_on_path(self, importer: str, parts: tuple[str, ...]) -> list[str]:
        """Returns the files that an import loads from a folder that its file adds to the path."""
        for folder in self._folders_added(importer):
            if files := self._files_of(folder, parts):
                return files
        return []

    def _folders_added(self, importer: str) -> list[str]:
        """Returns the folders that a file adds to the path of modules, as far as it spells them."""
        if importer not in self._added:
            try:
                data = Path(importer).read_bytes()
            except OSError:
                data = b""
            spelled: dict[str, None] = {}
            for call in _ADDS.findall(data):
                literals = [part.decode("utf-8", "replace") for part in _LITERAL.findall(call)]
                spelled.update(dict.fromkeys(["/".join(literals), *literals]))
            folders = [self._folder_near(importer, name) for name in spelled if name]
            self._added[importer] = [folder for folder in folders if folder]
        return self._added[importer]

    def _folder_near(self, importer: str, name: str) -> str:
        """Returns the folder of a name next to a file, or above it; "" where there is none."""
        for parent in self._folders_up(importer):
            folder = os.path.normpath(os.path.join(parent, name))  # noqa: PTH118
            if self._listing(folder):
                return folder
        return ""

    def around(self, paths: Iterable[str]) -> list[str]:
        """Returns the Python files next to some files and above them, up to a root, sorted."""
        folders = {folder for path in paths for folder in self._folders_up(path)}
        return [
            os.path.realpath(path)
            for folder in sorted(folders)
            for path in sorted(Path(folder).glob("*.py"))
            if path.is_file()
        ]

    def _folders_up(self, path: str) -> Iterator[str]:
        """Yields the folder of a file and those above it, up to a root."""
        for parent in list(Path(path).parents)[:MAX_PARENTS]:
            if not any(parent.is_relative_to(root) for root in self._roots):
                return
            yield str(parent)

    def _find(self, folder: str, parts: tuple[str, ...], level: int) -> list[str]:
        """Returns the files that an import loads: the module and the packages above it."""
        key = (folder, parts, level)
        if key not in self._found:
            self._found[key] = self._look(folder, parts, level)
        return self._found[key]

    def _look(self, folder: str, parts: tuple[str, ...], level: int) -> list[str]:
        if level:
            for _ in range(level - 1):
                folder = os.path.dirname(folder)  # noqa: PTH120
            return self._files_of(folder, parts)
        for _ in range(MAX_PARENTS):
            if files := self._files_of(folder, parts):
                return files
            if folder in self._roots and self._listing(folder).get(".git", False):
                break
            parent = os.path.dirname(folder)  # noqa: PTH120
            if parent == folder:
                break
            folder = parent
        return []

    def _files_of(self, folder: str, parts: tuple[str, ...]) -> list[str]:
        files = []
        if parts == (_ALL,):
            names = [name.removesuffix(".py") for name in sorted(self._listing(folder))]
            return [file for name in names for file in self._files_of(folder, (name,))]
        for part in parts:
            listing = self._listing(folder)
            if f"{part}.py" in listing and not listing[f"{part}.py"]:
                files.append(os.path.join(folder, f"{part}.py"))  # noqa: PTH118
                break
            if not listing.get(part, False):
                break
            folder = os.path.join(folder, part)  # noqa: PTH118
            if self._listing(folder).get("__init__.py") is False:
                files.append(os.path.join(folder, "__init__.py"))  # noqa: PTH118
        return files

    def _listing(self, folder: str) -> dict[str, bool]:
        """Returns the Python files of a folder, with False, and the folders in it, with True."""
        if folder not in self._listings:
            listing: dict[str, bool] = {}
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        if entry.is_dir():
                            listing[entry.name] = True
                        elif entry.name.endswith(".py") and entry.is_file():
                            listing[entry.name] = False
            except OSError:
                listing = {}  # what cannot be looked into cannot be imported from
            self._listings[folder] = listing
        return self._listings[folder]
