"""What a report is about: the project, its commit and the day."""

import os
import subprocess
from datetime import datetime, timezone
from pathlib import Path


def origin(untouched: bool) -> str:
    """Returns the project of the current folder, its commit and the date, as one line.

    Without git, or without a commit, the folder is the project. ``SOURCE_DATE_EPOCH`` sets the
    date, for reports that are to be the same on another day.

    Args:
        untouched: Whether the run wrote nothing, so that changes are those of somebody else.
    """
    seconds = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(seconds), timezone.utc) if seconds.isdecimal() else None
    date = (now or datetime.now()).strftime("%Y-%m-%d")
    root, commit = _git("rev-parse", "--show-toplevel"), _git("rev-parse", "--short", "HEAD")
    project = (Path(root) if root else Path.cwd()).name
    if not commit:
        return f"{project}, {date}"
    is_changed = untouched and _git("status", "--porcelain", "--untracked-files=no")
    changed = " with uncommitted changes" if is_changed else ""
    return f"{project}, commit {commit}{changed}, {date}"


def _git(*arguments: str) -> str:
    """Returns what git prints, "" where it fails."""
    try:
        done = subprocess.run(
            ["git", *arguments], capture_output=True, text=True, timeout=30, errors="replace"
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
