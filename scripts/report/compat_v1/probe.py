"""Calls functions of TensorFlow and writes what came of it, one line of JSON a call.

python probe.py find NAMES.json OUT.jsonl      finds calls that work (TensorFlow 1.15)
python probe.py repeat CALLS.jsonl OUT.jsonl   makes calls that were found
python probe.py signatures NAMES.json OUT.jsonl

It runs on TensorFlow 1.15 and Python 3.6 too.
"""

import inspect
import itertools
import json
import os
import random
import signal
import sys
import tempfile
import time
import warnings
import zlib

os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
warnings.simplefilter("ignore")

import numpy as np  # noqa: E402
import tensorflow.compat.v1 as tf  # noqa: E402

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import arguments as pool  # noqa: E402

ATTEMPTS, WORKING, VARIANTS = 150, 2, 36
SECONDS = 8
SECONDS_A_NAME = 15
_WANTED = inspect.Parameter.empty


def reached(dotted):
    """Returns what a name means; None where it is not there."""
    value = tf
    for part in dotted.split("."):
        try:
            value = getattr(value, part)
        except Exception:
            return None
    return value


def parameters(function):
    """Returns the parameters of a function: name, kind and default."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p for p in found if p.name != "self"]


def call(name, given):
    """Calls a function in a graph of its own; returns what came of it."""
    tf.reset_default_graph()
    tf.set_random_seed(11)
    signal.alarm(SECONDS)
    try:
        feeds, values = {}, {}
        for key in sorted(given):
            values[key], fed = pool.made(given[key])
            feeds.update(fed)
        made = reached(name)(**values)
        tensors = [part for part in _flat(made) if isinstance(part, tf.Tensor)]
        if not tensors:
            return {"result": _plain(made)}
        static = [[t.dtype.base_dtype.name, _static(t)] for t in tensors]
        fetched = [t for t in tensors if t.dtype not in (tf.resource, tf.variant)]
        gradients = _gradients(fetched, values)
        with tf.Session() as session:
            options = tf.RunOptions(timeout_in_ms=4000)
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            session.run(tf.tables_initializer())
            arrays = session.run(fetched, feeds, options=options)
            slopes = None if gradients is None else session.run(gradients, feeds, options=options)
        found = {"static": static, "values": [_short(array) for array in arrays]}
        if slopes is not None:
            found["gradients"] = [_short(array) for array in slopes]
        return found
    except (Exception, SystemExit) as error:
        text = str(error).strip().splitlines()
        told = [line for line in text if line and not line.startswith("Graph execution error")]
        return {"error": type(error).__name__, "text": told[0][:160] if told else ""}
    finally:
        signal.alarm(0)


def _flat(made):
    parts = []
    for part in tf.nest.flatten(made):
        if isinstance(part, tf.SparseTensor):
            parts += [part.indices, part.values, part.dense_shape]
        elif isinstance(part, tf.IndexedSlices):
            parts += [part.values, part.indices]
        elif isinstance(part, tf.RaggedTensor):
            parts += [part.flat_values]
        elif isinstance(part, tf.Variable):
            parts.append(tf.convert_to_tensor(part))
        elif callable(part) and hasattr(part, "get_config"):  # an initializer
            parts.append(tf.convert_to_tensor(part([3, 4], dtype=tf.float32)))
        else:
            parts.append(part)
    return parts


def _static(tensor):
    return None if tensor.shape.ndims is None else tensor.shape.as_list()


def _gradients(tensors, given):
    """Returns the gradients of what is float with respect to arguments that are float tensors."""
    outputs = [t for t in tensors if t.dtype in (tf.float32, tf.float64)]
    inputs = [v for _, v in sorted(given.items()) if isinstance(v, tf.Tensor)]
    inputs = [t for t in inputs if t.dtype in (tf.float32, tf.float64)]
    if not outputs or not inputs:
        return None
    found = tf.gradients([tf.reduce_sum(tf.square(t)) for t in outputs], inputs)
    return [tf.convert_to_tensor(g) for g in found if g is not None]


def _plain(made):
    if made is None or isinstance(made, (bool, int, float, str)):
        return made
    if isinstance(made, (list, tuple)) and len(made) < 20:
        return [_plain(part) for part in made]
    if isinstance(made, np.ndarray):
        return _short(made)
    return type(made).__name__


def _short(array):
    array = np.asarray(array)
    if array.dtype.kind in "OSU":
        texts = [t.decode("latin-1") if isinstance(t, bytes) else str(t) for t in array.ravel()]
        return {"shape": list(array.shape), "texts": texts[:40]}
    values = array.ravel()
    if values.dtype.kind == "c":
        values = np.concatenate([values.real, values.imag])
    values = values.astype(np.float64)
    if values.size > 24:
        values = np.array([np.sum(values * np.cos(k * np.arange(values.size))) for k in range(4)])
    return {"shape": list(array.shape), "values": [float("%.6g" % value) for value in values]}


def attempts(name):
    """Yields arguments for a function, the likely ones first."""
    found = parameters(reached(name))
    drawn = random.Random(zlib.crc32(name.encode()))
    required = [p.name for p in found if p.default is _WANTED and p.kind in (1, 3)]
    base = {p.name: ["python", 7] for p in found if p.name == "seed"}
    optional = [p for p in found if p.default is None and p.name not in ("name", "seed")]
    for number in range(ATTEMPTS):
        dtype, shape = pool.group(drawn)
        names = list(required)
        # Functions that say "labels=None" want some of them all the same.
        if number % 3 == 2 and optional:
            names += [p.name for p in optional[:3] if drawn.random() < 0.7]
        given = dict(base)
        for parameter in names:
            values = pool.by_name(parameter)
            if values and drawn.random() < 0.9:
                given[parameter] = drawn.choice(values)
            else:
                given[parameter] = ["tensor", dtype, shape]
        yield given


def variants(name, given):
    """Yields calls that differ in one argument, or in one way in all, from one that works."""
    for form in ("int64", "int32", "unknown"):
        yield {key: pool.in_form(value, form) for key, value in given.items()}
    for parameter in sorted(given):
        if parameter != "seed":
            for other in pool.others(given[parameter]):
                yield dict(given, **{parameter: other})
    for p in parameters(reached(name)):
        if p.name not in given and p.kind in (1, 3):
            for other in pool.of_default(p.name, p.default):
                yield dict(given, **{p.name: other})


def find(name):
    """Yields the calls of a function that work, with what came of them."""
    seen, working, began = set(), [], time.time()
    for given in attempts(name):
        key = json.dumps(given, sort_keys=True)
        if key in seen:
            continue
        if len(working) >= WORKING or time.time() - began > SECONDS_A_NAME:
            break
        seen.add(key)
        came = call(name, given)
        if "error" not in came:
            working.append(given)
            yield given, came
    count = 0
    for given in itertools.chain.from_iterable(variants(name, given) for given in working):
        key = json.dumps(given, sort_keys=True)
        if key not in seen and count < VARIANTS and time.time() - began < 2 * SECONDS_A_NAME:
            seen.add(key)
            came = call(name, given)
            if "error" not in came:
                count += 1
                yield given, came


def signature(name):
    """Returns the parameters of a function, or of a class and its public methods."""
    value = reached(name)
    found = {}
    parts = {"": value}
    if inspect.isclass(value):
        parts = {"": value.__init__}
        for attribute in dir(value):
            if not attribute.startswith("_") and inspect.isfunction(getattr(value, attribute)):
                parts["." + attribute] = getattr(value, attribute)
    for part, function in parts.items():
        listed = [[p.name, int(p.kind), _default(p.default)] for p in parameters(function)]
        if listed:
            found[part] = listed
    return found


def _default(default):
    if default is _WANTED:
        return "(required)"
    if inspect.isfunction(default) or inspect.isclass(default) or "object at" in repr(default):
        return "(object)"
    return repr(default)


def main(what, source, target):
    """Writes one line for each call or name; goes on behind what is written already."""
    signal.signal(signal.SIGALRM, _too_long)
    if hasattr(tf, "disable_v2_behavior"):
        tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.FATAL)
    os.chdir(tempfile.mkdtemp())
    with open(source) as file:
        jobs = [json.loads(line) for line in file]
    names = {}
    with open(target, "a") as out:
        for index, job in jobs:
            # A line that a crash leaves without an answer says which job it was.
            out.write(json.dumps({"job": index}) + "\n")
            out.flush()
            same = what == "find" and names.setdefault(id(reached(job)), job)
            if same and same != job:
                lines = [{"alias": same}]
            elif what == "signatures":
                lines = [{"signature": signature(job)}]
            elif what == "repeat":
                lines = [call(job["name"], job["given"])]
            else:
                lines = ({"given": given, "came": came} for given, came in find(job))
            for line in lines:
                out.write(json.dumps(dict(line, job=index, done=True)) + "\n")
                out.flush()


def _too_long(number, frame):
    raise RuntimeError("took too long")


if __name__ == "__main__":
    main(*sys.argv[1:])
