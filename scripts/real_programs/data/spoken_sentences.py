"""Makes sentences with spectrograms in the files of a Tacotron, and an empty `librosa`.

The program imports librosa for the audio that it writes at checkpoints, of which none is reached.

Usage: python spoken_sentences.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

SENTENCES = 12
MELS, FREQUENCIES = 8, 17


def main(folder):
    """Writes the list, the spectrograms and the module."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(1)
    words = ["the", "a", "bird", "river", "stone", "sings", "runs", "falls", "over", "under"]
    lines = []
    for number in range(SENTENCES):
        frames = random.randint(12, 24)
        names = f"linear{number}.npy", f"mel{number}.npy"
        for name, size in {names[0]: FREQUENCIES, names[1]: MELS}.items():
            np.save(folder / name, random.uniform(size=(frames, size)).astype(np.float32))
        text = " ".join(random.choice(words, size=random.randint(3, 7)))
        lines.append("|".join([*names, str(frames), text]))
    (folder / "train.txt").write_text("\n".join(lines) + "\n")
    (folder / "librosa").mkdir(exist_ok=True)
    (folder / "librosa/__init__.py").touch()
    (folder / "librosa/filters.py").touch()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
