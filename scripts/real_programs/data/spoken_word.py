"""Makes speech.wav: a third of a second of tones in noise.

Usage: python spoken_word.py FOLDER
"""

from __future__ import annotations

import sys
import wave
from pathlib import Path

import numpy as np

RATE = 16000
LENGTH = 6000


def main(folder):
    """Writes the file."""
    folder.mkdir(parents=True, exist_ok=True)
    times = np.arange(LENGTH) / RATE
    tones = np.sin(2 * np.pi * 300 * times) + np.sin(2 * np.pi * 1200 * times * (1 + times))
    noise = np.random.RandomState(1).normal(size=LENGTH)
    with wave.open(str(folder / "speech.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((4000 * tones + 400 * noise).astype("<i2").tobytes())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
