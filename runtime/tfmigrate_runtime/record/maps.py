"""``--map`` of a port: a file that says which variables are those of the original.

It is read by the process that compares, too: before the port is run.
"""

import json
from pathlib import Path

from tfmigrate_runtime.record.layouts import Layout, LayoutError, layout_of


class PairingError(Exception):
    """Variables cannot be paired; the text is one line."""


def read_map(path: Path | str) -> dict[str, Layout | None]:
    """Reads a map.

    Raises:
        PairingError: it is not a valid one.
    """
    try:
        entries = json.loads(Path(path).read_text("utf-8"))
        if not isinstance(entries, dict):
            raise PairingError(f"--map {path}: expected a JSON object")
        return {name: layout_of(name, entry) for name, entry in entries.items()}
    except OSError as error:
        raise PairingError(f"--map {path}: {error.strerror}") from error
    except ValueError as error:
        raise PairingError(f"--map {path} is not JSON: {error}") from error
    except LayoutError as error:
        raise PairingError(f"--map {path}: {error}") from error
