"""New texts that a second run does not change: passes are repeated until nothing changes."""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path

from tfmigrate.files.logical_lines import lines_before, split_lines
from tfmigrate.files.reading import decode_source
from tfmigrate.files.source import SourceFile, TextRefused, UnreadableFile
from tfmigrate.model.findings import Finding
from tfmigrate.resolve.module import Module

_PASSES = 5  # more than any chain of rules needs; rules that undo each other never end


# A place of a module as users count it: cell (0 for none), line and column.
Where = Callable[[Module, int, int], tuple[int, int, int]]


def where(module: Module, line: int, column: int) -> tuple[int, int, int]:
    """Returns the place of a line in the file that a module was read from."""
    return module.source.where(line, column)


@dataclass
class Pass:
    """The result of one pass over files.

    Attributes:
        texts: the new text of each file that changes.
        findings: returns what it reports.
        modules: the files that it looked at.
    """

    texts: dict[Path, str]
    findings: Callable[[Where], list[Finding]]
    modules: Sequence[Module] = ()


@dataclass
class Settled:
    """The result of further passes over new texts.

    Attributes:
        texts: the texts that another run leaves as they are.
        findings: those of each further pass, at places of the original texts; none where the
            first one changed nothing.
        unstable: the modules whose text keeps changing, with the reason.
        modules: the files with those texts, as far as they were parsed.
    """

    texts: dict[Path, str]
    findings: list[list[Finding]] = field(default_factory=list)
    unstable: list[tuple[Module, str]] = field(default_factory=list)
    modules: Sequence[Module] = ()


def settled(
    modules: Sequence[Module],
    texts: Mapping[Path, str],
    migrate: Callable[[Sequence[SourceFile]], Pass],
    waiting: Set[Module],
) -> Settled:
    """Runs passes over new texts until nothing changes.

    The texts are converted to the bytes of their files and read again as a second run would. Every
    module that keeps changing has a new text, so that taking those back comes to an end.

    Args:
        modules: all files of the run.
        texts: the new texts by path, at least one.
        migrate: one pass over files.
        waiting: modules that are held back in this run, whatever a pass makes of them.
    """
    result = Settled(dict(texts))
    unheeded = {module.source.path for module in waiting} - texts.keys()
    places = _Places(modules)
    places.follow(texts)
    seen = [result.texts]
    while True:
        files, problem = _read_again(modules, result.texts)
        if problem:
            return Settled(dict(texts), unstable=[problem])
        latest_pass = migrate(files)
        changed = {path: text for path, text in latest_pass.texts.items() if path not in unheeded}
        if changed or result.findings:
            result.findings.append(latest_pass.findings(places.original))
        if not changed:
            result.modules = latest_pass.modules
            return result
        result.texts = {**result.texts, **changed}
        if len(seen) == _PASSES or result.texts in seen:
            break
        seen.append(result.texts)
        places.follow(changed)
    rewritten = [module for module in modules if module.source.path in texts]
    blamed = [module for module in rewritten if module.source.path in changed]
    # A file that kept its text changes only because another one did not.
    reason = "a second run would change it again"
    return Settled(dict(texts), unstable=[(module, reason) for module in blamed or rewritten])


def merged(first: Sequence[Finding], later: Sequence[Sequence[Finding]]) -> list[Finding]:
    """Joins the findings of several passes: what was done in any, and what the last one leaves.

    What the first pass left stays reported unless a later one changed that line.
    """
    done = [finding for findings in later for finding in findings if finding.applied]
    changed_lines = {_line(finding) for finding in done}
    left = [f for findings in later[-1:] for f in findings if not f.applied]
    still = {_what(finding) for finding in left}
    still_true = [
        f for f in first if f.applied or _what(f) in still or _line(f) not in changed_lines
    ]
    known = {_what(finding) for finding in still_true} | {(*_line(f), f.code) for f in still_true}
    new = [f for f in left if not known & {_what(f), (*_line(f), f.code)}]
    return list(dict.fromkeys([*still_true, *done, *new]))


def _what(finding: Finding) -> tuple[str, str, str]:
    return finding.path, finding.code, finding.message


def _line(finding: Finding) -> tuple[str, int, int]:
    return finding.path, finding.cell, finding.line


def _read_again(
    modules: Sequence[Module], texts: Mapping[Path, str]
) -> tuple[list[SourceFile], tuple[Module, str] | None]:
    """Returns the files with their new texts, or the one that cannot be read again and why."""
    files: list[SourceFile] = []
    for module in modules:
        old = module.source
        if old.path not in texts:
            files.append(old)
            continue
        try:
            new = decode_source(old.encode(texts[old.path]), old.path, old.display)
            files.append(replace(new, converted=old.converted))
        except (UnicodeEncodeError, TextRefused):
            files.append(old)  # writing it will say what is wrong, and where
        except UnreadableFile as error:
            return files, (module, f"the new text cannot be read back ({error.reason})")
    return files, None


class _Places:
    """Where the lines of changed texts were in the original ones."""

    def __init__(self, modules: Sequence[Module]) -> None:
        self._sources = {module.source.path: module.source for module in modules}
        self._lines = {m.source.path: split_lines(m.source.text) for m in modules}
        self._origins = {path: list(range(1, len(x) + 2)) for path, x in self._lines.items()}

    def follow(self, texts: Mapping[Path, str]) -> None:
        """Records how a pass moves the lines of texts."""
        for path, text in texts.items():
            old, new = self._lines[path], split_lines(text)
            before = self._origins[path]
            self._lines[path] = new
            self._origins[path] = [*(before[row] for row in lines_before(old, new)), before[-1]]

    def original(self, module: Module, line: int, column: int) -> tuple[int, int, int]:
        """Returns the place of the original file that a line of a changed text comes from."""
        path = module.source.path
        origins = self._origins[path]
        return self._sources[path].where(origins[min(line, len(origins)) - 1], column)
