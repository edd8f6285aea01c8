"""What a program uses that differs in every run, as the recorder sees it."""

from __future__ import annotations

import os
import random
import runpy
import threading
from pathlib import Path

import pytest

from tfmigrate_runtime.verify.recorder.program.chance_sources import Chance

NOTHING = """
import random, secrets, tempfile, uuid
import numpy as np
np.random.RandomState(1), np.random.default_rng(2), random.Random(3)
np.random.normal(), random.random(), uuid.uuid4(), tempfile.gettempprefix()
next(tempfile._RandomNameSequence())
"""


@pytest.mark.parametrize(
    ("code", "found"),
    [
        (NOTHING, []),
        ("import numpy as np; np.random.default_rng()", ["entropy"]),
        ("import numpy as np; np.random.RandomState()", ["entropy"]),
        ("import random; random.Random()", ["entropy"]),
        ("import random; random.seed()", ["entropy"]),
        ("import os; os.urandom(4)", ["entropy"]),
        ("import threading; threading.Thread(target=str).start()", ["threads"]),
        (
            "from concurrent.futures import ThreadPoolExecutor\n"
            "with ThreadPoolExecutor() as pool: pool.submit(str)",
            ["threads"],
        ),
    ],
    ids=["nothing", "default_rng", "RandomState", "Random", "seed", "urandom", "thread", "pool"],
)
def test_entropy_and_threads_of_the_program_are_seen(
    code: str, found: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for owner, name in (
        (os, "urandom"),
        (random, "_urandom"),
        (random, "seed"),
        (random.Random, "seed"),
        (threading.Thread, "start"),
    ):
        monkeypatch.setattr(owner, name, getattr(owner, name))  # put back afterwards
    state = random.getstate()
    chance = Chance()
    chance.install()
    script = tmp_path / "program.py"
    script.write_text(code)
    runpy.run_path(str(script), run_name="__main__")
    random.setstate(state)
    assert chance.meta() == {"chance": found}
