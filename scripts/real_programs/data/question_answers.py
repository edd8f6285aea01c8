"""Makes WikiQA-train.txt: a question, an answer and whether it fits, with a tab between them.

Usage: python question_answers.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

ROWS = 48
WORDS = 40


def main(folder):
    """Writes the file: an answer that fits has a word of the question."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(4)
    lines = []
    for row in range(ROWS):
        question, answer = random.randint(WORDS, size=6), random.randint(WORDS, size=9)
        if row % 3 == 0:
            answer[0] = question[0]
        texts = [" ".join(f"w{number}" for number in words) for words in (question, answer)]
        lines.append("\t".join([*texts, str(int(question[0] in answer))]))
    (folder / "WikiQA-train.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
