"""Git's ignore rules for the folders of a walk.

pathspec turns the globs into matchers. Which pattern decides is settled here, entry by entry as
git does: a walk asks for a folder before it asks for what is in it, so a pattern that matched the
folder must not match its files a second time (``*`` followed by ``!*/``).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tfmigrate.files.git_index import git_folder

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec
    from pathspec.pattern import Pattern


@dataclass(frozen=True)
class _Glob:
    """One line of an ignore file."""

    matcher: Pattern
    folders_only: bool
    anywhere: bool  # matches the last components of a path, not the whole of it
    depth: int  # how many path components it matches, 0 for any number

    def matches(self, relative: str, is_folder: bool) -> bool:
        if self.folders_only and not is_folder:
            return False
        components = relative.split("/")
        if self.anywhere:
            components = components[-self.depth :]
        if self.depth and len(components) != self.depth:
            return False
        subject = "/".join(components) + ("/" if self.folders_only else "")
        return self.matcher.match_file(subject) is not None


class Patterns:
    """Patterns in gitignore syntax; the last one that matches decides."""

    def __init__(self, lines: Iterable[str], strict: bool = False) -> None:
        """Compiles the lines of an ignore file.

        Args:
            lines: The patterns, one an element; blank lines and comments are passed over.
            strict: Whether a pattern without a meaning is an error; git passes over it.

        Raises:
            ValueError: ``strict`` is set and a pattern has no meaning.
        """
        from pathspec import GitIgnoreSpec

        self._globs: list[_Glob] = []
        usable = []
        for line in lines:
            if not line.strip() or line.startswith("#"):
                continue
            try:
                matcher = GitIgnoreSpec.from_lines([line]).patterns[0]
            except ValueError:
                if strict:
                    raise
                continue
            usable.append(line)
            self._globs.append(_glob(line, matcher))
        self._any: GitIgnoreSpec = GitIgnoreSpec.from_lines(usable)

    def decide(self, relative: str, is_folder: bool) -> bool | None:
        """Returns True for ignored, False for re-included by a ``!`` pattern, None for no match.

        Args:
            relative: The path below the folder of the ignore file, separated by slashes; the
                folders on the way to it are not ignored.
            is_folder: Whether the path is a folder.
        """
        # Most paths match nothing, which pathspec checks for all patterns at once.
        if self._any.check_file(relative + "/" if is_folder else relative).include is None:
            return None
        for glob in reversed(self._globs):
            if glob.matches(relative, is_folder):
                return glob.matcher.include
        return None


def _glob(line: str, matcher: Pattern) -> _Glob:
    body = line.strip().removeprefix("!")
    folders_only = body.endswith("/")
    body = body.removesuffix("/")
    # gitignore(5): a pattern without a slash matches at every level, as "**/pattern" does.
    anywhere = "/" not in body or body.startswith("**/")
    components = body.removeprefix("**/").removeprefix("/").split("/")
    depth = 0 if "**" in components and len(components) > 1 else len(components)
    return _Glob(matcher, folders_only, anywhere and depth > 0, depth)


@dataclass(frozen=True)
class IgnoreRules:
    """The ignore files that hold in a folder: (folder, patterns), the most important last."""

    layers: tuple[tuple[str, Patterns], ...] = ()

    def entering(self, folder: str) -> IgnoreRules:
        """Returns the rules inside ``folder``: these, and those of its own ``.gitignore``.

        Raises:
            OSError: The folder has a ``.gitignore`` that cannot be read.
        """
        return self.with_file(folder, Path(folder, ".gitignore"))

    def with_file(self, base: str, file: Path) -> IgnoreRules:
        """Returns the rules with those of an ignore file, if there is one, added for ``base``.

        Raises:
            OSError: The file cannot be read.
        """
        if not file.is_file():
            return self
        text = file.read_bytes().decode("utf-8-sig", "surrogateescape")
        patterns = Patterns(line.removesuffix("\r") for line in text.split("\n"))
        return IgnoreRules((*self.layers, (base, patterns)))

    def ignores(self, path: str, is_folder: bool) -> bool:
        """Returns whether git ignores the path; the innermost file that matches decides."""
        for base, patterns in reversed(self.layers):
            relative = os.path.relpath(path, base).replace(os.sep, "/")
            if (decision := patterns.decide(relative, is_folder)) is not None:
                return decision
        return False


def repository_root(folder: str) -> str | None:
    """Returns the root of the git repository that ``folder`` is in, or None outside of one."""
    for candidate in (Path(folder), *Path(folder).parents):
        if os.path.exists(candidate / ".git"):  # noqa: PTH110 - False where it may not be asked
            return str(candidate)
    return None


def rules_above(folder: str, repository: str) -> IgnoreRules:
    """Returns the rules that a repository has for ``folder``, the folder's own file not included.

    A folder that the repository ignores was named for a reason: no rule above it holds then.

    Args:
        folder: An absolute path without links, inside ``repository``.
        repository: The root of the repository.

    Raises:
        OSError: An ignore file cannot be read.
    """
    common = _common_git_folder(Path(repository, ".git"))
    rules = IgnoreRules().with_file(repository, common / "info" / "exclude")
    current = repository
    for part in Path(folder).relative_to(repository).parts:
        rules = rules.entering(current)
        current = str(Path(current, part))
        if rules.ignores(current, is_folder=True):
            return IgnoreRules()
    return rules


def _common_git_folder(entry: Path) -> Path:
    """Returns the folder with a repository's own files, for worktrees that of the main one."""
    folder = git_folder(entry)
    common = folder / "commondir"
    if entry.is_file() and common.is_file():
        return folder / common.read_text(encoding="utf-8", errors="surrogateescape").strip()
    return folder
