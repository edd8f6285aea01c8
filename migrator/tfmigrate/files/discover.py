"""From the paths of a command line to the Python files and notebooks to look at."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tfmigrate.files import ignore
from tfmigrate.files.environments import kind_of
from tfmigrate.files.git_index import Tracked, tracked
from tfmigrate.files.launchers import is_launcher
from tfmigrate.files.skipped import LINK, Skipped
from tfmigrate.files.temporary_files import PREFIX
from tfmigrate.model.findings import UNREADABLE_FILE, UNREADABLE_FOLDER, Finding, Severity

# Third-party code: virtual environments, installed packages, build output, caches.
SKIPPED_FOLDERS = frozenset(
    {"__pycache__", "__pypackages__", "_build", "build", "dist", "node_modules", "site-packages"}
    | {"venv", "tfmigrate_vendored"}
)
# The files that are taken from searched folders.
SUFFIXES = (".py", ".ipynb")


class UsageError(Exception):
    """The command line is wrong; the message is one line."""


@dataclass(frozen=True)
class Candidate:
    """A file of the run.

    Attributes:
        path: Where the file is, as named or as found below a named folder.
        display: The path as shown to the user.
        named: Whether the file itself was named; such files are parsed whatever they hold.
    """

    path: Path
    display: str
    named: bool


@dataclass(frozen=True)
class Exclusions:
    """Patterns of excluded files, and what they are relative to.

    Attributes:
        patterns: In gitignore syntax.
        base: The folder they are relative to, absolute.
        origin: What to name where a pattern has no meaning.
    """

    patterns: tuple[str, ...]
    base: Path
    origin: str = "--exclude"


@dataclass
class Discovery:
    """The files of a command line's paths.

    Attributes:
        candidates: The files, each once, in the order they were named and sorted in folders.
        findings: Folders that could not be read, severity ERROR.
        roots: The named folders, and the folders of the named files, each once.
        skipped: Links to files that are not in a named folder.
        ignored: How many files and folders an ignore file or a pattern left out.
        leftovers: Files that look like those of a run that was killed.
        others: Files of the named folders that list packages or start programs.
    """

    candidates: list[Candidate] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    roots: list[Path] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    ignored: int = 0
    leftovers: list[Path] = field(default_factory=list)
    others: list[Path] = field(default_factory=list)


def discover(
    paths: Sequence[str],
    exclude: Sequence[str] = (),
    exclusions: Sequence[Exclusions] = (),
    force_exclude: bool = False,
) -> Discovery:
    """Finds the Python files and notebooks of the paths.

    Named files are always taken. Below a named folder these are left out: what git ignores and
    does not track, hidden folders, virtual environments, build output, links to folders and to
    files elsewhere, repositories inside a repository (submodules), and what ``exclude`` matches.

    Args:
        paths: Files and folders, relative to the current folder or absolute.
        exclude: Patterns in gitignore syntax, relative to the current folder (for paths outside
            of it, to the named folder).
        exclusions: More of them, relative to other folders.
        force_exclude: Whether they hold for named paths as well.

    Raises:
        UsageError: A path does not exist, or a pattern has no meaning.
    """
    excluded = _compiled([Exclusions(tuple(exclude), Path.cwd()), *exclusions])
    discovery = Discovery()
    seen: dict[str, int] = {}
    links: list[Path] = []
    folders: list[str] = []
    for name in paths:
        path = Path(name)
        kind = _kind(path, name)
        if force_exclude and _is_named_one_excluded(path, kind == "folder", excluded):
            continue
        _add_root(discovery, path if kind == "folder" else path.parent)
        if kind == "file":
            _add(discovery, seen, Candidate(path, shown(path), named=True))
        else:
            folders.append(os.path.realpath(path))
            for file_path in _Walk(path, excluded, discovery, links).files():
                _add(discovery, seen, Candidate(file_path, shown(file_path), named=False))
    _follow(links, folders, discovery, seen)
    for folder in {candidate.path.parent for candidate in discovery.candidates if candidate.named}:
        discovery.leftovers += folder.glob(f"{PREFIX}*")
    return discovery


def _compiled(exclusions: Sequence[Exclusions]) -> list[tuple[Path, ignore.Patterns]]:
    """Returns the compiled patterns with the folders they are relative to.

    Raises:
        UsageError: A pattern has no meaning.
    """
    compiled = []
    for exclusion in exclusions:
        try:
            if exclusion.patterns:
                compiled.append((exclusion.base, ignore.Patterns(exclusion.patterns, strict=True)))
        except ValueError as error:
            raise UsageError(f"{exclusion.origin}: {error}") from error
    return compiled


def _is_named_one_excluded(
    path: Path, is_folder: bool, excluded: Sequence[tuple[Path, ignore.Patterns]]
) -> bool:
    """Returns whether patterns match a named path, or a folder that contains it."""
    for base, patterns in excluded:
        parts = Path(os.path.relpath(path, base)).parts
        if parts[:1] == ("..",):
            continue  # outside of what the patterns are relative to
        for length in range(1, len(parts) + 1):
            of_folder = is_folder or length < len(parts)
            if patterns.decide("/".join(parts[:length]), of_folder) is True:
                return True
    return False


def shown(path: Path) -> str:
    """Returns the path as it is shown: relative if it is inside the current folder."""
    try:
        return path.relative_to(Path.cwd()).as_posix()
    except ValueError:
        return path.as_posix()


def _kind(path: Path, name: str) -> str:
    """Returns "folder" or "file".

    Raises:
        UsageError: The path does not exist or cannot be used.
    """
    try:
        path.stat()
    except FileNotFoundError as error:
        raise UsageError(f"no such file or folder: {name}") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot use the path {name}: {reason}") from error
    return "folder" if path.is_dir() else "file"


def _add_root(discovery: Discovery, root: Path) -> None:
    if root not in discovery.roots:
        discovery.roots.append(root)


def _add(discovery: Discovery, seen: dict[str, int], candidate: Candidate) -> None:
    """Adds a file unless it was added under this or another name; a named one stays named."""
    if (key := os.path.realpath(candidate.path)) not in seen:
        seen[key] = len(discovery.candidates)
        discovery.candidates.append(candidate)
    elif candidate.named:
        discovery.candidates[seen[key]] = replace(discovery.candidates[seen[key]], named=True)


def _follow(
    links: Sequence[Path], roots: Sequence[str], discovery: Discovery, seen: dict[str, int]
) -> None:
    """Adds the targets of links, unless they are outside all roots or excluded."""
    for link in links:
        if (target := os.path.realpath(link)) in seen:
            continue
        root = next((root for root in roots if Path(target).is_relative_to(root)), None)
        if root is None:
            discovery.skipped.append(Skipped(shown(link), LINK, target))
        # The search has already excluded the others.
        elif not target.endswith(SUFFIXES) and not any(
            map(is_foreign, Path(target).relative_to(root).parts[:-1])
        ):
            _add(discovery, seen, Candidate(link, shown(link), named=False))


@dataclass(frozen=True)
class _Place:
    """Where a walk is.

    Attributes:
        real: The folder, without links.
        rules: The ignore rules that hold in it.
        repository: The root of its repository; None outside of one.
        is_ignored: Whether it is ignored, so that only tracked files in it count.
    """

    real: str
    rules: ignore.IgnoreRules
    repository: str | None
    is_ignored: bool = False


class _Walk:
    """The Python files below one named folder."""

    def __init__(
        self,
        root: Path,
        excluded: Sequence[tuple[Path, ignore.Patterns]],
        discovery: Discovery,
        links: list[Path],
    ) -> None:
        self._root, self._excluded, self._discovery = root, excluded, discovery
        self._links = links
        self._tracked: dict[str, Tracked] = {}

    def files(self) -> Iterator[Path]:
        """Yields the files, folder by folder in sorted order."""
        # Links are resolved once, at the root, so that the repository above it is the right one.
        real = os.path.realpath(self._root)
        repository = ignore.repository_root(real)
        try:
            rules = ignore.rules_above(real, repository) if repository else ignore.IgnoreRules()
            listing = _listing(self._root)
            rules = rules.entering(real)
        except OSError as error:
            self._unreadable(self._root, error)
            return
        yield from self._files(self._root, listing, _Place(real, rules, repository))

    def _below(self, folder: Path, place: _Place) -> Iterator[Path]:
        """Yields the files of a folder found on the way, unless its contents are third-party."""
        try:
            listing = _listing(folder)
            if "pyvenv.cfg" in listing or (".git" in listing and place.repository):
                return
            rules, repository = place.rules, place.repository
            if ".git" in listing:
                rules, repository = ignore.rules_above(place.real, place.real), place.real
            rules = rules.entering(place.real)
        except OSError as error:
            self._unreadable(folder, error)
            return
        place = replace(place, rules=rules, repository=repository)
        yield from self._files(folder, listing, place)

    def _files(
        self, folder: Path, listing: dict[str, os.DirEntry[str]], place: _Place
    ) -> Iterator[Path]:
        for name, entry in listing.items():
            path, real = folder / name, os.path.join(place.real, name)  # noqa: PTH118
            try:
                is_folder = entry.is_dir(follow_symlinks=False)
                is_file = name.endswith(SUFFIXES) and not is_folder and entry.is_file()
            except OSError as error:  # a link that leads back to itself
                self._unreadable(path, error, UNREADABLE_FILE)
                continue
            if name.startswith(PREFIX) and not is_folder:
                self._discovery.leftovers.append(path)
            is_other = not is_folder and not is_file and _is_other(path)
            if not (is_folder or is_file or is_other) or (is_folder and is_foreign(name)):
                continue
            if self._is_excluded(path, is_folder):
                self._discovery.ignored += 1
                continue
            is_ignored = place.is_ignored or place.rules.ignores(real, is_folder)
            if is_ignored and not self._is_tracked(real, place.repository):
                self._discovery.ignored += 1
            elif is_other:
                self._discovery.others.append(path)
            elif is_folder:
                yield from self._below(path, replace(place, real=real, is_ignored=is_ignored))
            elif entry.is_symlink():
                self._links.append(path)
            else:
                yield path

    def _is_tracked(self, real: str, repository: str | None) -> bool:
        """Returns whether git tracks a file, or one in a folder: it does not ignore those."""
        if repository is None:
            return False
        if repository not in self._tracked:
            self._tracked[repository] = tracked(repository, SUFFIXES)
        tracked_paths = self._tracked[repository]
        return real in tracked_paths.files or real in tracked_paths.folders

    def _is_excluded(self, path: Path, is_folder: bool) -> bool:
        for base, patterns in self._excluded:
            relative = os.path.relpath(path, base).replace(os.sep, "/")
            if relative.startswith("../"):
                relative = path.relative_to(self._root).as_posix()
            if patterns.decide(relative, is_folder) is True:
                return True
        return False

    def _unreadable(self, path: Path, error: OSError, code: str = UNREADABLE_FOLDER) -> None:
        what = "file" if code == UNREADABLE_FILE else "folder"
        message = f"cannot read the {what}: {error.strerror or error}"
        self._discovery.findings.append(
            Finding(shown(path), 1, 1, code, Severity.ERROR, message, "", applied=False)
        )


def _listing(folder: Path) -> dict[str, os.DirEntry[str]]:
    """Returns the entries of a folder by name, sorted."""
    with os.scandir(folder) as entries:
        return {entry.name: entry for entry in sorted(entries, key=lambda entry: entry.name)}


def _is_other(path: Path) -> bool:
    """Returns whether a file of this name, which is not a program, may say how programs are run."""
    return kind_of(path) is not None or is_launcher(path.name)


def is_foreign(name: str) -> bool:
    """Returns whether a folder of this name holds third-party code, or no source code."""
    return name.startswith(".") or name in SKIPPED_FOLDERS or name.endswith(".egg-info")
