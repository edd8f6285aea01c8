"""What is said of files that need graph mode and that no known script starts."""

import os
from collections.abc import Collection, Sequence
from pathlib import PurePath

from tfmigrate.files.discover import Candidate
from tfmigrate.files.quiet_parse import quiet_parse
from tfmigrate.files.reading import read_bytes
from tfmigrate.files.source import UnreadableFile
from tfmigrate.model.findings import first_of
from tfmigrate.scan.start_files import imported_words

_NAMED = 5  # how many files a note names


def notes(files: Sequence[str], candidates: Sequence[Candidate] = ()) -> list[str]:
    """Returns the notes on such files: on those that scripts import which cannot be parsed, too."""
    imported = {
        candidate.display: _imported_by(candidate, files)
        for candidate in (candidates if files else ())
        if candidate.path.suffix == ".py"
    }
    waiting = {file for names in imported.values() for file in names}
    scripts = [script for script, names in imported.items() if names]
    messages = []
    if scripts:
        messages.append(
            f"cannot parse {first_of(scripts, _NAMED)}, which may start "
            f"{first_of(sorted(waiting), _NAMED)}: convert to Python 3 in the same run (--py2)"
        )
    if unimported := [file for file in files if file not in waiting]:
        messages.append(
            f"found no script that runs {first_of(unimported, _NAMED)}; in the script that imports "
            f"{'it' if len(unimported) == 1 else 'them'}, call "
            "tf.compat.v1.disable_v2_behavior() before any other TensorFlow call"
        )
    return messages


def _imported_by(script: Candidate, files: Collection[str]) -> list[str]:
    """Returns which files a script names in its imports, if it cannot be parsed."""
    try:
        data = read_bytes(script.path)
    except UnreadableFile:
        return []
    words = imported_words(data)
    imported = [file for file in files if os.fsencode(PurePath(file).stem) in words]
    try:
        return [] if not imported or quiet_parse(data) else imported
    except (SyntaxError, ValueError):
        return imported
