"""Two programs that run the same graphs with the same feeds are known as such."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PROGRAM = """\
import numpy as np
import tensorflow.compat.v1 as tf
unused = 1.0
with tf.Graph().as_default(), tf.Session() as session:
    x = tf.placeholder(tf.float32, [2])
    tf.summary.scalar("mean", tf.reduce_mean(x))
    not_run = x * 2.0
    y = x * 3.0
    for _ in range(2):
        session.run(y, feed_dict={x: np.ones(2)})
    session.run(tf.summary.merge_all(), feed_dict={x: np.ones(2)})
"""


DRIVER = f"""\
import json, sys
sys.path.insert(0, {str(HERE)!r})
import tensorflow
from graphs_run import GraphsRun, observe
found = dict()
for name, text in json.loads(sys.stdin.read()).items():
    seen = GraphsRun()
    observe(seen)
    exec(text, dict())
    found[name] = [sorted(seen.unfed), list(seen.fed)]
print(json.dumps(found))
"""


def graphs_of(forms: dict[str, str], folder: Path) -> dict[str, list[list[str]]]:
    """Runs programs one after the other; returns what each ran."""
    driver = folder / "driver.py"
    driver.write_text(DRIVER)
    command = [sys.executable, str(driver)]
    done = subprocess.run(
        command, input=json.dumps(forms), stdout=subprocess.PIPE, text=True, check=True
    )
    found: dict[str, list[list[str]]] = json.loads(done.stdout)
    return found


def test_what_changes_the_computation_or_its_feeds_is_seen_and_nothing_else(tmp_path: Path) -> None:
    forms = {
        "as it is": PROGRAM,
        "again": PROGRAM.replace("unused = 1.0", "unused = 2.0"),
        "not run": PROGRAM.replace("x * 2.0", "x * 2.5"),
        "summary": PROGRAM.replace("reduce_mean", "reduce_sum"),
        "graph": PROGRAM.replace("x * 3.0", "x * 3.5"),
        "feed": PROGRAM.replace("y, feed_dict={x: np.ones(2)}", "y, feed_dict={x: np.zeros(2)}"),
        "runs": PROGRAM.replace("range(2)", "range(3)"),
    }
    seen = graphs_of(forms, tmp_path)
    assert len(seen["as it is"][1]) == 3
    same = [name for name in forms if seen[name] == seen["as it is"]]
    assert same == ["as it is", "again", "not run", "summary"]
