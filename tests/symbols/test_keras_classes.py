"""The list of Keras classes that TensorFlow 2 replaced is what the installed tf-keras has."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from tfmigrate.tables.internal_keras import differs_in_v2

ASK = """
import inspect
import json
import tensorflow

found = {}
for part in ("backend", "callbacks", "initializers", "layers", "optimizers"):
    old = getattr(tensorflow.compat.v1.keras, part)
    new = getattr(tensorflow.keras, part)
    names = [n for n in dir(old) if n[0] != "_" and not inspect.ismodule(getattr(old, n))]
    for name in names:
        if hasattr(new, name):
            found[f"{part}.{name}"] = getattr(old, name) is not getattr(new, name)
print(json.dumps(found))
"""


def test_classes_that_differ_are_listed() -> None:
    environment = {**os.environ, "TF_USE_LEGACY_KERAS": "1", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(
        [sys.executable, "-c", ASK], capture_output=True, text=True, env=environment, check=True
    )
    differs: dict[str, bool] = json.loads(done.stdout)
    # v1 shows other subpackages as well, none of which is a class.
    assert {n for n, other in differs.items() if other} == {n for n in differs if differs_in_v2(n)}
