"""Records what TensorFlow 1.15 computes for the lines of tests/native/native_*cases.py.

    python scripts/record/record_native.py [--all]

Run with an interpreter that has TensorFlow 1.15. Writes tests/native/recorded.npz: outputs,
gradients of the inputs, variables and regularization losses of layers and operations, quantiles of
initializers, learning rates, variables after updates, losses with gradients, and metrics.
Of lines that are recorded already, only with --all.
"""

import functools
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "native"), str(ROOT / "migrator")]

import native_cases as cases  # noqa: E402
import native_training_cases as training  # noqa: E402
import tensorflow as tf  # noqa: E402
from native_arrays import pack, sketch, unpack  # noqa: E402


def forward(code):
    """Returns what a line makes of its inputs: once, or in training and then out of it."""
    found = {}
    with tf.Graph().as_default(), tf.Session() as session:
        names = cases.names_of(code)
        places = {}
        for name in names:
            value = cases.INPUTS[name]
            places[name] = tf.placeholder(value.dtype, [None, *list(value.shape[1:])])
        flag = tf.placeholder(tf.bool, [])
        result = eval(code, {"tf": tf, "training": flag, **places})
        outputs = result if isinstance(result, list) else [result]
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        if "initializer" not in code:
            for index, variable in enumerate(tf.global_variables()):
                name = variable.op.name.rpartition("/")[2]
                shape = tuple(variable.shape.as_list())
                variable.load(cases.starting_value(index, name, shape), session)
        floats = [places[n] for n in names if places[n].dtype == tf.float32]
        total = [tf.reduce_sum(o * weights(o)) for o in outputs if o.dtype == tf.float32]
        gradients = tf.gradients(total, floats) if total and floats else []
        penalties = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
        fetched = {
            "output": outputs,
            "gradient": [tf.convert_to_tensor(g) for g in gradients if g is not None],
            "regularization": [tf.add_n(penalties)] if penalties else [],
        }
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        for mode in (True, False) if cases.follows_mode(code) else (False,):
            feed = {places[n]: cases.INPUTS[n] for n in names}
            feed[flag] = mode
            values = session.run(fetched, feed)
            if mode:
                session.run(updates, feed)
            values["variable"] = session.run(tf.global_variables())
            for kind, arrays in values.items():
                for index, array in enumerate(arrays):
                    found[f"{mode}/{kind}/{index}"] = np.asarray(array)
    return found


def weights(tensor):
    """Returns what an output is multiplied by before its gradient is taken."""
    numbers = tf.cast(tf.range(tf.size(tensor)), tf.float32)
    return tf.reshape(tf.cos(numbers), tf.shape(tensor))


def law(code):
    """Returns a sketch of the numbers that an initializer makes."""
    found = {}
    for name, shape in cases.SHAPES.items():
        with tf.Graph().as_default(), tf.Session() as session:
            tf.set_random_seed(3)
            made = eval(code, {"tf": tf})
            made = made() if isinstance(made, type) else made
            found[name] = sketch(session.run(made(shape, dtype=tf.float32)))
    return found


def dropout(code):
    """Returns which numbers dropout makes of ones, and their mean."""
    found = {}
    for mode in (True, False):
        with tf.Graph().as_default(), tf.Session() as session:
            tf.set_random_seed(3)
            output = eval(code, {"tf": tf, "training": mode, "x": tf.ones([300, 200])})
            values = session.run(output)
        found[f"{mode}/values"] = np.unique(values)
        found[f"{mode}/mean"] = values.mean()
    return found


def schedule(code):
    """Returns the learning rate in each step."""
    rates = []
    with tf.Graph().as_default(), tf.Session() as session:
        step = tf.train.get_or_create_global_step()
        rate = eval(code, {"tf": tf, "step": step})
        for number in range(training.STEPS):
            step.load(number, session)
            rates.append(session.run(rate))
    return {"rates": np.array(rates, np.float32)}


def optimizer(code):
    """Returns a variable after each tenth update by dense and by sparse gradients."""
    found = {}
    for kind in ("dense", "sparse"):
        with tf.Graph().as_default(), tf.Session() as session:
            step = tf.train.get_or_create_global_step()
            variable = tf.get_variable("v", initializer=training.gradient(99))
            values = tf.placeholder(tf.float32, [None, 3])
            rows = tf.placeholder(tf.int32, [None])
            given = values if kind == "dense" else tf.IndexedSlices(values, rows, [5, 3])
            made = eval(code, {"tf": tf})
            update = made.apply_gradients([(given, variable)], step)
            session.run(tf.global_variables_initializer())
            for number in range(training.UPDATES):
                if kind == "dense":
                    feed = {values: training.gradient(number)}
                else:
                    feed = {}
                    feed[values], feed[rows] = training.sparse_gradient(number)
                session.run(update, feed)
                if number % 10 == 9:
                    found[f"{kind}/{number}"] = session.run(variable)
    return found


def optimized_loss(code):
    """Returns a variable after each tenth update by ``optimize_loss``."""
    found = {}
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.get_or_create_global_step()
        variable = tf.get_variable("v", initializer=training.gradient(99))
        gradient = tf.placeholder(tf.float32, [5, 3])
        names = {"tf": tf, "functools": functools, "loss": tf.reduce_sum(variable * gradient)}
        update = eval(code, names)
        session.run(tf.global_variables_initializer())
        for number in range(training.UPDATES):
            session.run(update, {gradient: training.gradient(number)})
            if number % 10 == 9:
                found[str(number)] = session.run(variable)
    return found


def loss(code, kind):
    """Returns the loss of each batch and its gradient by the output."""
    found = {}
    for number, size in enumerate(training.BATCHES[1:]):
        with tf.Graph().as_default(), tf.Session() as session:
            output = tf.constant(training.OUTPUTS[kind](size))
            labels = tf.constant(training.LABELS[kind](size))
            value = eval(code.strip(), {"tf": tf, "labels": labels, "output": output})
            (gradient,) = tf.gradients(value, output)
            found[f"loss/{number}"], found[f"gradient/{number}"] = session.run([value, gradient])
    return found


def metric(code, kind):
    """Returns the value of a metric after all batches."""
    with tf.Graph().as_default(), tf.Session() as session:
        labels_of, output_of = training.LABELS[kind], training.OUTPUTS[kind]
        output = tf.placeholder(tf.float32, [None, *list(output_of(2).shape[1:])])
        labels = tf.placeholder(labels_of(2).dtype, [None, *list(labels_of(2).shape[1:])])
        names = {"tf": tf, "labels": labels, "output": output}
        value, update = eval(code.strip(), names)
        session.run(tf.local_variables_initializer())
        for shift, size in enumerate(training.BATCHES):
            given = {labels: labels_of(size), output: np.roll(output_of(size), shift, 0)}
            session.run(update, given)
        return {"value": session.run(value)}


def main():
    """Records all lines."""
    tf.logging.set_verbosity(tf.logging.ERROR)
    path = ROOT / "tests" / "native" / "recorded.npz"
    found = {}
    jobs = [(forward, code) for code in cases.forward()]
    jobs += [(law, code) for code in cases.LAWS]
    jobs += [(dropout, code) for code in cases.DROPOUT]
    jobs += [(schedule, code) for code in training.SCHEDULES]
    jobs += [(optimizer, code) for code in training.OPTIMIZERS]
    jobs += [(optimized_loss, code) for code in training.OPTIMIZED_LOSSES]
    jobs += [(loss, *item) for item in training.LOSSES.items()]
    jobs += [(metric, *item) for item in training.METRICS.items()]
    old = unpack(path) if path.exists() and "--all" not in sys.argv else {}
    failed = []
    for record, *arguments in jobs:
        prefix = f"{record.__name__}|{arguments[0]}|"
        known = {name: array for name, array in old.items() if name.startswith(prefix)}
        if known:
            found.update(known)
            continue
        try:
            arrays = record(*arguments)
        except Exception as error:
            failed.append(arguments[0])
            print(arguments[0], type(error).__name__, str(error)[:200], flush=True)
            continue
        found.update({prefix + k: v for k, v in arrays.items()})
    pack(path, found)
    sys.exit(f"{len(failed)} lines failed" if failed else 0)


if __name__ == "__main__":
    main()
