"""Makes vocab.txt and train.txt of sentences of numbered words, each of which tells the next.

Usage: python numbered_sentences.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

WORDS = 60
SENTENCES = 300
MARKS = ["<S>", "</S>", "<UNK>"]


def main(folder):
    """Writes both files."""
    folder.mkdir(parents=True, exist_ok=True)
    words = [f"w{number}" for number in range(WORDS)]
    (folder / "vocab.txt").write_text("\n".join(MARKS + words) + "\n")
    random = np.random.RandomState(5)
    lines = []
    for _ in range(SENTENCES):
        first, step = random.randint(WORDS), random.randint(1, 4)
        numbers = (first + step * number for number in range(random.randint(4, 12)))
        lines.append(" ".join(words[number % WORDS] for number in numbers))
    (folder / "train.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
