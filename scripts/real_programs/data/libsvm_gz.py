"""Makes gzipped files of libsvm lines (`+1 3:1.0 17:1.0 ...`), as split from a9a.

The label of a row follows from a fixed weight of each of its features. Beside them lies a
configuration of Python's logging, log.ini.

Usage: python libsvm_gz.py FOLDER
"""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import numpy as np

FEATURES = 123
ACTIVE = 14
FILES = 1
ROWS = 160
LOGGING = """[loggers]
keys=root
[handlers]
keys=console
[formatters]
keys=plain
[logger_root]
level=INFO
handlers=console
[handler_console]
class=StreamHandler
formatter=plain
args=(sys.stderr,)
[formatter_plain]
format=%(message)s
"""


def line(random, weights):
    """Returns one row: its label and 14 of 123 features that are 1."""
    features = np.sort(random.choice(FEATURES, size=ACTIVE, replace=False))
    label = "+1" if weights[features].sum() > 0 else "-1"
    return label + " " + " ".join(f"{feature + 1}:1.0" for feature in features)


def packed(content):
    """Returns gzipped bytes, the same in every run."""
    stream = io.BytesIO()
    with gzip.GzipFile(fileobj=stream, mode="wb", mtime=0) as packing:
        packing.write(content)
    return stream.getvalue()


def main(folder):
    """Writes the files."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(1)
    weights = random.normal(size=FEATURES)
    for number in range(FILES):
        rows = "".join(line(random, weights) + "\n" for _ in range(ROWS))
        (folder / f"part_{number}.gz").write_bytes(packed(rows.encode()))

    (folder / "log.ini").write_text(LOGGING)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
