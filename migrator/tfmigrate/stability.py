"""Whether new texts stay as they are in a second run: what is asked before anything is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from pathlib import Path

from tfmigrate.module import Module
from tfmigrate.source import SourceFile, TextRefused, UnreadableFile, decode_source


def unstable(
    modules: Sequence[Module],
    texts: Mapping[Path, str],
    migrate: Callable[[Sequence[SourceFile]], Mapping[Path, str]],
    waiting: Set[Module],
) -> Iterator[tuple[Module, str]]:
    """Yields the modules whose new text another run would not leave as it is, and why.

    Every module that it yields has a new text, so that taking those back comes to an end. The new
    texts are turned into the bytes of their files and read again as a second run would.

    Args:
        modules: all files of the run.
        texts: the new texts by path, at least one.
        migrate: one pass over files, which returns the texts of those that change.
        waiting: modules that are held back in this run, which that pass does not know.
    """
    files = []
    for module in modules:
        old = module.source
        try:
            new = old.encode(texts.get(old.path, old.text))
            files.append(decode_source(new, old.path, old.display))
        except (UnicodeEncodeError, TextRefused):
            files.append(old)  # writing it will say what is wrong, and where
        except UnreadableFile as error:
            yield module, f"the new text could not be read again ({error.reason})"
            return
    unheeded = {module.source.path for module in waiting} - texts.keys()
    changed = migrate(files).keys() - unheeded
    rewritten = [module for module in modules if module.source.path in texts]
    blamed = [module for module in rewritten if module.source.path in changed]
    # A file that kept its text changes only because another one did not.
    for module in (blamed or rewritten) if changed else ():
        yield module, "a second run would change it again"
