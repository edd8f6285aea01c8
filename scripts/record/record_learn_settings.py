"""Records the RunConfigs and HParams that TensorFlow 1.15 makes of the cases in tests/learn.

    python scripts/record/record_learn_settings.py

Run with an interpreter that has TensorFlow 1.15. Writes tests/learn/run_configs.json and
tests/learn/hparams.json.
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests" / "learn"
sys.path.insert(0, str(TESTS))

import hparams_cases  # noqa: E402
import run_config_cases  # noqa: E402
import tensorflow as tf  # noqa: E402


def write(name, value):
    """Writes one case a line."""
    lines = [f"{json.dumps(k)}: {json.dumps(v, sort_keys=True)}" for k, v in value.items()]
    (TESTS / name).write_text("{\n" + ",\n".join(lines) + "\n}\n")


def main():
    """Records all cases."""
    tf.logging.set_verbosity(tf.logging.ERROR)
    make = tf.contrib.learn.RunConfig
    found = {name: run_config_cases.properties(make, name) for name in run_config_cases.CASES}
    for name in run_config_cases.UID_CASES:
        found["uid: " + name] = run_config_cases.has_same_uid(make, name)
    write("run_configs.json", found)
    found = hparams_cases.results(tf.contrib.training)
    write("hparams.json", dict(found, serialized=hparams_cases.serialized(tf.contrib.training)))


if __name__ == "__main__":
    main()
