"""Makes sentences of numbered words, each of which tells the next, and lists of the words.

vocab.txt and train.txt are for ELMo, the others have the names of the 1 billion word benchmark.

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
    """Writes both pairs of files."""
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
    counted = [f"{word} 1" for word in ["<UNK>", "<S>", *words]]
    (folder / "1b_word_vocab.txt").write_text("\n".join(counted) + "\n")
    tokenized = folder / "training-monolingual.tokenized.shuffled"
    tokenized.mkdir(exist_ok=True)
    (tokenized / "news").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
