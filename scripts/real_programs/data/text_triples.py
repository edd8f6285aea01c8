"""Makes queries, candidates and answers of numbered words for train and dev, and vocabularies.

Usage: python text_triples.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

WORDS = 20
SIZES = {"train": 80, "dev": 8}


def main(folder):
    """Writes all files: each answer is the query, reversed."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(9)
    for name, count in sorted(SIZES.items()):
        lines = {"query": [], "candidate": [], "target": []}
        for _ in range(count):
            words = [f"w{number}" for number in random.randint(WORDS, size=random.randint(3, 9))]
            lines["query"].append(" ".join(words))
            lines["candidate"].append(" ".join(sorted(words)))
            lines["target"].append(" ".join(words[::-1]))
        for kind, texts in lines.items():
            (folder / f"{name}.{kind}").write_text("\n".join(texts) + "\n")
    vocabulary = "".join(f"w{number}\t{WORDS - number}\n" for number in range(WORDS))
    for kind in ("query", "candidate", "target"):
        (folder / f"vocab.{kind}").write_text(vocabulary)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
