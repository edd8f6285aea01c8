"""The arguments that functions are called with: what they are, and how they are made.

It runs on TensorFlow 1.15 and Python 3.6 too. An argument is a list of JSON: what it is
("tensor", "python", ...), and of what type and shape.
"""

import re

import numpy as np
import tensorflow.compat.v1 as tf

_FLOATS = ["float32", "float64"]
_INTS = ["int32", "int64"]
_SHAPES = [[2, 3], [3], [], [2, 2], [2, 4, 4, 3], [1, 3, 4], [4]]
FUNCTIONS = {
    "first": lambda *given: given[0],
    "double": lambda *given: given[0] * 2,
    "sum": lambda *given: given[0] + given[-1],
    "constant": lambda *given: tf.constant([1.0, 2.0]),
    "less": lambda *given: tf.reduce_all(tf.less(given[0], 3)),
}


def _python(*values):
    return [["python", value] for value in values]


def _tensors(dtypes, *shapes):
    return [["tensor", dtype, shape] for shape in shapes for dtype in dtypes]


# What a parameter of a name is given, the first pattern that matches.
_BY_NAME = [
    ("keep_?dims|exclusive|reverse|adjoint|transpose|training|sorted", _python(True, False)),
    ("padding", _python("SAME", "VALID", "same", [[0, 1], [1, 0]])),
    ("^(ksize|strides?)$", _python([1, 1, 1, 1], [1, 2, 2, 1], 2, 1, [1, 1, 1], [1, 1, 1, 1, 1])),
    ("filters?$|kernel", [*_tensors(_FLOATS, [2, 2, 3, 2], [2, 3, 2]), *_python(2, 3)]),
    ("axis|axes|^dims?$|_dim$|reduction_indices|batch_dims", _python(0, 1, -1, [0], [1, 0])),
    (
        "(fn|func|function|body|cond|loop_vars|initializer|true_fn|false_fn)$",
        [["function", name] for name in sorted(FUNCTIONS)] + _tensors(["bool"], []),
    ),
    ("dtype|_type$|^Tout$", [["dtype", name] for name in ("float32", "int32", "int64", "float64")]),
    (
        "^(offset|target|crop|min_object|num|new)_|_(height|width|size|depth|classes|buckets)$"
        "|^(depth|k|n|units|num|size|count|pool_size|radius|rate|degree|block_size|maxlen)$",
        _python(1, 2, 3, [2, 2], [4, 4]),
    ),
    (
        "shape|multiples|begin|^size$|perm|split|repeats|shift",
        [*_python([2, 3], [3, 2], [1, 2], [0, 1], [2], 2), *_tensors(_INTS, [2], [])],
    ),
    ("segment_ids", _tensors(_INTS, [2], [3])),
    (
        "ind(ices|ex)$|^ids$|coords|positions|lengths?$|sequence",
        [*_tensors(_INTS, [2], [2, 1], [2, 2], [3]), *_python([0, 1])],
    ),
    ("images?$", [*_tensors(["float32", "uint8", "float64"], [2, 4, 4, 3], [4, 4, 3], [4, 4, 1])]),
    (
        "contrast|delta|factor|gamma|gain|lower|upper|max_|min_|_rate|prob|momentum|epsilon|decay"
        "|minval|maxval|mean|stddev|alpha|beta|scale|low|high|start|stop|limit|clip|rate|quality",
        _python(0.5, 1.0, 2, 0.1, 3),
    ),
    ("^(sp_|sparse|sp$)", [["sparse", "float32"], ["sparse", "int64"], ["sparse", "string"]]),
    ("bytes|pattern|filename|delimiter|separator|scope|string|^key|contents", _python("a", "b c")),
    ("labels", _tensors(["float32", "int32", "int64", "bool"], [2, 3], [2], [3])),
    ("logits", _tensors(_FLOATS, [2, 3], [3])),
]
_ALL = [*_FLOATS, *_INTS, "bool", "string", "uint8", "complex64"]


def by_name(name):
    """Returns what a parameter of a name is given; nothing where its name says nothing."""
    return next((values for pattern, values in _BY_NAME if re.search(pattern, name)), [])


def group(random):
    """Returns a type and a shape, for all parameters of which the name says nothing."""
    dtype = random.choice(_ALL if random.random() < 0.5 else _FLOATS + _INTS)
    return dtype, random.choice(_SHAPES)


def others(argument):
    """Returns what says the same as an argument, in other types and forms."""
    kind, value = argument[0], argument[1]
    if kind == "tensor":
        dtype, shape = argument[1:]
        same = {"float32": ["float64", "float16"], "int32": ["int64"], "int64": ["int32"]}
        found = [["tensor", other, shape] for other in same.get(dtype, [])]
        found += [[form, dtype, shape] for form in ("array", "placeholder", "nested", "variable")]
        return found
    if kind == "python" and isinstance(value, bool):
        return [["python", not value], ["of", "bool", value]]
    if kind == "python" and isinstance(value, (int, float, list)) and value != []:
        types = _INTS if np.asarray(value).dtype.kind == "i" else _FLOATS
        found = [[form, dtype, value] for form in ("of", "array of") for dtype in types]
        more = [["python", float(value)]] if isinstance(value, int) else []
        return found + more + ([["python", -1]] if isinstance(value, int) else [])
    if kind == "dtype":
        return [["dtype", name] for name in ("int64", "float64", "int32") if name != value]
    return []


def in_form(argument, form):
    """Returns an argument as an integer tensor of a type, or as one of unknown rank."""
    kind, value = argument[0], argument[1]
    if form == "unknown":
        return ["unknown"] + argument[1:] if kind == "tensor" else argument
    if kind == "python" and not isinstance(value, bool) and isinstance(value, (int, list)):
        return ["of", form, value] if np.asarray(value).dtype.kind == "i" else argument
    return ["tensor", form, argument[2]] if kind == "tensor" and value in _INTS else argument


def of_default(name, default):
    """Returns what an optional parameter is given besides its default."""
    if name in ("name", "scope", "seed", "reuse", "collections", "graph"):
        return []
    if isinstance(default, bool):
        return _python(not default)
    if isinstance(default, (int, float)):
        return _python(default + 1, default * 2)
    if isinstance(default, str):
        return []
    if default is None:
        return by_name(name) + _tensors(["float32"], [], [2, 3], [2])
    return by_name(name)


def made(argument):
    """Returns the argument itself, and what is fed."""
    kind, value = argument[0], argument[1]
    if kind == "python":
        return value, {}
    if kind == "dtype":
        return getattr(tf, value), {}
    if kind == "function":
        return FUNCTIONS[value], {}
    if kind in ("of", "array of"):
        array = np.asarray(argument[2], value)
        return (tf.constant(array) if kind == "of" else array), {}
    if kind == "sparse":
        values = _array(value, [3])
        places = np.array([[0, 0], [0, 2], [1, 1]], np.int64)
        return tf.SparseTensor(places, tf.constant(values), [2, 3]), {}
    array = _array(*argument[1:])
    if kind in ("placeholder", "unknown"):
        tensor = tf.placeholder(value, [None] * array.ndim if kind == "placeholder" else None)
        return tensor, {tensor: array}
    if kind == "variable":
        return tf.Variable(array), {}
    if kind == "nested":
        return array.tolist(), {}
    return (array if kind == "array" else tf.constant(array)), {}


def _array(dtype, shape):
    size = int(np.prod(shape)) if shape else 1
    places = np.arange(size)
    if dtype == "string":
        values = np.array([["a", "b c", "1.5"][i % 3] for i in places], object)
    elif dtype == "bool":
        values = places % 2 == 0
    elif dtype in ("int32", "int64"):
        values = np.array([0, 1, 1, 2, 0, 1])[places % 6].astype(dtype)
    elif dtype == "uint8":
        values = (places * 37 % 256).astype(np.uint8)
    else:
        values = (0.1 + np.abs(np.sin(places * 1.3))).astype(dtype)
    return values.reshape(shape)
