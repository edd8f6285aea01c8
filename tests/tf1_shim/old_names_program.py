"""A program of old names of TensorFlow, NumPy and Python; prints what they gave, as JSON."""

import asyncio
import base64
import collections
import fractions
import inspect
import json
import sys
import threading
import time
import unittest

import numpy as np
import tensorflow as tf
from tensorflow.keras.utils import multi_gpu_model

said = {"errors": {}}


def error_of(code, function):
    try:
        function()
    except (AttributeError, ImportError, ValueError) as error:
        said["errors"][code] = str(error)


def old_numpy():
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    array.itemset((0, 1), 9)
    array.itemset(5, np.float(7))
    return {
        "array": array.tolist(),
        "bytes": array.tostring() == array.tobytes(),
        "ptp": array.ptp(axis=0).tolist(),
        "types": [np.int, np.float, np.object, np.str, np.complex]
        == [int, float, object, str, complex],
        "scalars": [np.float_, np.unicode_, np.bool8] == [np.float64, np.str_, np.bool_],
        "values": [np.Inf, np.NINF, np.PZERO, np.asscalar(np.array([3]))],
        "functions": [
            np.product([2, 3]).item(),
            np.cumproduct([2, 3]).tolist(),
            np.in1d([1, 2], [2]).tolist(),
            np.sometrue([0, 1]).item(),
            np.alltrue([0, 1]).item(),
            np.round_(2.6).item(),
            np.msort([[2, 1], [1, 3]]).tolist(),
            np.asfarray([1, 2], dtype=np.int32).dtype.name,
            np.trapz([1, 2, 3]).item(),
        ],
        "common": [
            np.dtype(np.find_common_type(arrays, scalars)).name
            for arrays, scalars in (
                ([np.float32], [np.int64, np.float64]),
                ([np.int64], [np.float32]),
                ([], ["i4", "f4"]),
            )
        ],
        "sctypes": [np.float64 in np.sctypes["float"], np.obj2sctype("f4").__name__],
    }


def old_python():
    class Case(unittest.TestCase):
        def test(self):
            self.assertEqual(1, 1)
            self.assertRaisesRegex(ValueError, "x", int, "x")
            self.assertRegex("abc", "b")

    done = unittest.TestResult()
    Case("test").run(done)
    return {
        "collections": isinstance({}, collections.Mapping)
        and collections.Iterable.__name__ == "Iterable",
        "getargspec": list(inspect.getargspec(lambda a, b=1, *c, **d: 0)),
        "gcd": [fractions.gcd(12, -8), fractions.gcd(12, 8), fractions.gcd(0, 0)],
        "clock": time.clock() > 0,
        "alive": threading.current_thread().isAlive(),
        "base64": base64.decodestring(base64.encodestring(b"abc")).decode(),
        "coroutine": callable(asyncio.coroutine(lambda: None)),
        "interval": sys.setcheckinterval(100),
        "assertions": [done.testsRun, len(done.errors) + len(done.failures)],
    }


def on_two_gpus(whole):
    """Trains a copy on one device and on "two GPUs"; returns the weights and predictions."""
    session = tf.keras.backend.get_session()
    devices = session.list_devices()
    gpus = [
        type(devices[0])(devices[0].name.replace("CPU:0", f"GPU:{i}"), "GPU", 1, i)
        for i in range(2)
    ]
    type(session).list_devices = lambda self: devices + gpus  # /gpu:0 is placed softly
    x = np.random.RandomState(0).rand(10, 3).astype(np.float32)
    y = x.sum(axis=1, keepdims=True)
    found = []
    for parallel in (False, True):
        model = tf.keras.models.clone_model(whole)
        model.set_weights(whole.get_weights())
        trained = multi_gpu_model(model, 2) if parallel else model
        trained.compile(tf.keras.optimizers.SGD(0.1), "mse")
        trained.fit(x, y, batch_size=5, epochs=2, shuffle=False, verbose=0)
        weights = [value.tolist() for value in model.get_weights()]
        found.append([weights, trained.predict(x).tolist(), trained.output_names])
    devices_of = {
        op.device for op in trained.output.graph.get_operations() if "replica_1" in op.name
    }
    return found, sorted(devices_of)


def calls():
    """Returns the arguments of the calls of layers whose ops are counted: Keras looks at them."""
    keras, cells = tf.keras.layers, tf.nn.rnn_cell
    kinds = (keras.Dense, keras.Conv2D, keras.Flatten, cells.GRUCell, cells.LSTMCell)
    return [inspect.getfullargspec(kind.call)[:3] for kind in kinds]


def weights_of_recurrent_layers():
    """Returns the names of the weights of layers with cells, and of a class with a digit."""
    keras = tf.keras.layers
    with tf.Graph().as_default():
        sequences = tf.zeros([4, 5, 3])
        keras.LSTM(2)(sequences)
        keras.Bidirectional(keras.GRU(2, name="both"))(sequences)
        keras.RNN([keras.LSTMCell(2), keras.SimpleRNNCell(2)])(sequences)
        keras.ConvLSTM2D(1, 2)(tf.zeros([2, 3, 4, 4, 1]))
        return [variable.op.name for variable in tf.global_variables()]


def images():
    """Returns boxes by int64 positions, and the static ranks of flipped images."""
    with tf.Graph().as_default(), tf.Session() as session:
        image = tf.reshape(tf.range(16), [4, 4, 1])
        box = tf.image.crop_to_bounding_box(image, *tf.unstack(tf.constant([1, 2, 2, 1], tf.int64)))
        decoded = tf.image.decode_image(tf.image.encode_png(tf.cast(image, tf.uint8)))
        turned = [tf.image.random_flip_left_right(decoded), tf.image.rot90(decoded)]
        return session.run(box).ravel().tolist(), [image.shape.ndims for image in turned]


said["images"] = images()
said["calls"] = calls()
said["recurrent"] = weights_of_recurrent_layers()
said["numpy"] = old_numpy()
said["python"] = old_python()
said["devices"] = tf.config.experimental_list_devices()
inputs = tf.keras.Input([3])
whole = tf.keras.Model(inputs, tf.keras.layers.Dense(1, name="out")(inputs))
error_of("one GPU", lambda: multi_gpu_model(whole, 1))
error_of("no GPUs", lambda: multi_gpu_model(whole, [0, 3]))
for name in ("keras.utils.HDF5Matrix", "keras.wrappers", "data.experimental.StatsAggregator"):
    error_of(name, lambda name=name: eval("tf." + name))
error_of("keras.nothing", lambda: tf.keras.nothing)
error_of("getargspec", lambda: inspect.getargspec(lambda *, a: 0))
said["gpus"] = on_two_gpus(whole)
print(json.dumps(said))
