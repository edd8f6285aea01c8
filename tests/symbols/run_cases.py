"""Runs programs in this process, one after the other, and writes what they computed.

python run_cases.py RESULTS.json PROGRAM.py ...

Each program leaves numbers, arrays or strings in a dictionary ``result``. Results that a session
fetched have gradients: those of the groups in expected.json, or with RECORDS_GRADIENTS=1 of all.
With GRAPHS_AS_BUILT=1 sessions run graphs without optimizing them first: optimizing takes a third
of the time, since each graph is run once or twice.
It runs on TensorFlow 1.15 and Python 3.6 too. A program that fails does not end the others: its
traceback is its result.
"""

import json
import os
import runpy
import sys
import tempfile
import traceback
from pathlib import Path

import numpy as np
import tensorflow as tf

sys.path.insert(0, str(Path(__file__).parent))
from case_gradients import watching

STARTED = "case: "
GRADIENTS = "(gradients)"


def as_json(value):
    """Returns a value as what JSON can say: its type, its shape and its numbers."""
    array = np.asarray(value)
    if array.dtype.kind in "OSU":
        texts = [t.decode("utf-8") if isinstance(t, bytes) else str(t) for t in array.ravel()]
        return {"dtype": "str", "shape": list(array.shape), "values": texts}
    values = array.ravel().tolist()
    return {"dtype": array.dtype.name, "shape": list(array.shape), "values": values}


def known_groups(path):
    """Returns the results to differentiate together, None to find out which can be."""
    if os.environ.get("RECORDS_GRADIENTS"):
        return None
    return stored(path).get(GRADIENTS, {}).get("groups", [])


def stored(path):
    """Returns what is stored of a program."""
    expected = Path(path).with_name("expected.json")
    return json.loads(expected.read_text()) if expected.exists() else {}


def run(path):
    """Runs one program in a graph of its own; returns its results by name."""
    # The last line says where a process that never ended stood.
    print(STARTED + path, file=sys.stderr, flush=True)
    tf.compat.v1.reset_default_graph()
    folder = Path.cwd()
    sys.argv = [path]
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        try:
            with watching(path) as watched:
                found = runpy.run_path(path, run_name="__main__")["result"]
                results = {name: as_json(value) for name, value in found.items()}
                gradients = watched.gradients(found, known_groups(path))
            if os.environ.get("RECORDS_GRADIENTS") or GRADIENTS in stored(path):
                # Also where there are none: a case says that nothing of it can be differentiated.
                results[GRADIENTS] = {"groups": gradients}
            return results
        except (Exception, SystemExit):
            return {"traceback": traceback.format_exc()}
        finally:
            os.chdir(folder)


def run_graphs_as_built():
    """Makes all sessions of this process run graphs without optimizing them first."""
    base = tf.compat.v1.Session.__mro__[1]
    initialize = base.__init__

    def initialize_unoptimized(self, target="", graph=None, config=None):
        changed = tf.compat.v1.ConfigProto()
        if config is not None:
            changed.CopyFrom(config)
        changed.graph_options.rewrite_options.disable_meta_optimizer = True
        initialize(self, target, graph, changed)

    base.__init__ = initialize_unoptimized


def main():
    """Runs the programs named on the command line."""
    target, paths = sys.argv[1], sys.argv[2:]
    if os.environ.get("GRAPHS_AS_BUILT"):
        run_graphs_as_built()
    results = {path: run(str(Path(path).resolve())) for path in paths}
    with Path(target).open("w") as file:
        json.dump(results, file)


if __name__ == "__main__":
    main()
