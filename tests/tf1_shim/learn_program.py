"""An original program that calls everything of tf.contrib.learn, for TensorFlow 1.15.

    learn_program.py RESULTS.json [TABLES.npz]

Writes what each case of ``CASES`` did: calls on the Estimator, seconds slept, what was returned or
raised. The clock is the program's own: it goes on by a second with every training step and by what
is slept. With TABLES, the cases of tests/learn are run too. Python 3.7.
"""

import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import learn_export_cases  # noqa: F401 - fills CASES
import learn_head_cases  # noqa: F401
import learn_input_cases  # noqa: F401
import learn_model_cases  # noqa: F401
import learn_monitor_cases  # noqa: F401
import learn_runner_cases  # noqa: F401
import learn_schedule_cases  # noqa: F401
import learn_text_cases  # noqa: F401
import numpy as np
import tensorflow as tf
from learn_program_support import CASES, CLOCK, Server
from tensorflow.python.training import server_lib

learn = tf.contrib.learn


def main():
    results, tables = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    tf.logging.set_verbosity(tf.logging.FATAL)
    os.environ.pop("TF_CONFIG", None)
    if tables:
        write_tables(tables)
    time.time, time.sleep = CLOCK.time, CLOCK.sleep
    tf.train.Server = server_lib.Server = Server
    found = {}
    wanted = os.environ.get("LEARN_CASES", "").split() or CASES
    for name in wanted:
        folder = tempfile.mkdtemp()
        os.environ.pop("TF_CONFIG", None)
        begun = time.perf_counter()
        with tf.Graph().as_default():
            found[name] = as_json(CASES[name](folder))
        shutil.rmtree(folder)
        print(name, time.perf_counter() - begun, flush=True)
    lines = [f"{json.dumps(name)}: {value}" for name, value in found.items()]
    Path(results).write_text("{\n" + ",\n".join(lines) + "\n}\n")


def as_json(value):
    """Returns JSON of what may hold numbers of NumPy."""
    return json.dumps(value, sort_keys=True, default=lambda number: number.item())


def write_tables(path):
    """Runs the cases of tests/learn."""
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "learn"))
    import contrib_estimator_cases
    import run_config_cases

    arrays = {}
    for name, run_case in contrib_estimator_cases.CASES.items():
        folder = tempfile.mkdtemp()
        for key, value in run_case(learn, folder, None).items():
            arrays[f"{name}/{key}"] = np.asarray(value)
        shutil.rmtree(folder)
    make = learn.RunConfig
    settings = {name: run_config_cases.properties(make, name) for name in run_config_cases.CASES}
    for name in run_config_cases.UID_CASES:
        settings["uid: " + name] = run_config_cases.has_same_uid(make, name)
    arrays["run_configs"] = np.asarray(json.dumps(settings))
    np.savez(path, **arrays)


if __name__ == "__main__":
    main()
