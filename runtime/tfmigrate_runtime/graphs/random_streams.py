"""Random numbers that go on from call to call, whichever function draws them.

A kernel of TensorFlow 1.x that draws random numbers counts how many it has drawn. A session has one
kernel for an operation; here every function has one, and each would begin the stream of a seed
anew: a dropout would drop the same units in `run(train_op)` and in `run([train_op, summary])`. So
the count is moved into a variable, which all functions share, and the kernel is replaced by the
one of TensorFlow 2 that takes the count as an argument. Both are Philox and both skip 256 for each
number, so the numbers are those of the session, bit for bit (tests/graphs/test_random_streams.py).

Operations without any seed stay: their kernels begin at random places anyway.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.train.graph_parts import functions_of

_PHILOX = 1  # tf.random.Algorithm.PHILOX
# By type: the kernel that takes the count, the attribute that has the type of its numbers.
_WITH_COUNT = {
    "RandomUniform": ("StatelessRandomUniformV2", "dtype"),
    "RandomStandardNormal": ("StatelessRandomNormalV2", "dtype"),
    "TruncatedNormal": ("StatelessTruncatedNormalV2", "dtype"),
    "RandomUniformInt": ("StatelessRandomUniformIntV2", "Tout"),
}


class RandomStreams:
    """The counts of one runner."""

    def __init__(self, name_of: Callable[[str], str]) -> None:
        """Takes the function that names the resource of an operation."""
        self._name_of = name_of
        self._begun: set[str] = set()

    def continue_in(self, definition: Any) -> None:
        """Has the operations of a GraphDef that draw by a seed continue their streams.

        Args:
            definition: is changed, together with the functions in its library.
        """
        self._rewrite(definition, "", in_function=False)
        changed = {}
        called = _called(definition)
        for function in definition.library.function:
            old = function.signature.name
            if old in called and self._rewrite(function, f"{old}/", in_function=True):
                changed[old] = self._name_of(old).replace("/", "_")
        if changed:
            _rename(definition, changed, self._name_of)

    def _rewrite(self, owner: Any, scope: str, in_function: bool) -> bool:
        nodes = owner.node_def if in_function else owner.node
        drawing = [node for node in nodes if _draws_by_seed(node)]
        names = {node.name for node in nodes} if drawing else set()
        for node in drawing:
            name = self._name_of(f"{scope}{node.name}/count")
            seeds = [node.attr[which].i for which in ("seed", "seed2")]
            new = list(_with_count(node, name, names, in_function))
            self._begin(name, node.device, seeds)
            nodes.remove(node)
            nodes.extend(new)
        return bool(drawing)

    def _begin(self, name: str, device: str, seeds: list[int]) -> None:
        """Sets a count to 0, once: the state is the count, then the key of both seeds."""
        if name in self._begun:
            return
        self._begun.add(name)
        with tf.init_scope(), tf.device(device or None):
            handle = tf.raw_ops.VarHandleOp(shape=[3], dtype=tf.int64, shared_name=name)
            state = tf.constant([0, seeds[1], seeds[0]], tf.int64)
            tf.raw_ops.AssignVariableOp(resource=handle, value=state)


def _called(definition: Any) -> set[str]:
    """Returns the functions that calls execute, and not iterators.

    The kernels of a Dataset's functions live in the iterator, whichever call takes a batch of it,
    and begin anew where it is initialized again.
    """
    functions = {f.signature.name: f for f in definition.library.function}
    called_names: set[str] = set()
    waiting = list(definition.node)
    while waiting:
        node = waiting.pop()
        if "Dataset" in node.op:
            continue
        new = {function.name for function in functions_of(node)} - called_names
        called_names |= new
        waiting += [inner for name in new & functions.keys() for inner in functions[name].node_def]
    return called_names


def _draws_by_seed(node: Any) -> bool:
    return node.op in _WITH_COUNT and bool(node.attr["seed"].i or node.attr["seed2"].i)


def _with_count(node: Any, resource: str, known: set[str], in_function: bool) -> Iterator[Any]:
    """Yields the nodes that stand for one that draws numbers.

    They read the count and add to it, in one operation, then draw:

        state = RngReadAndSkip(count, size of the shape);  numbers = Stateless...(shape, state)
    """
    shape = node.input[0]
    waits = [name for name in node.input if name.startswith("^")]
    # What has no input of a loop or of a branch has to wait for something in it, to be in it.
    producer = shape.partition(":")[0]
    begins = list(dict.fromkeys([*waits, *([f"^{producer}"] if producer in known else [])]))

    def new_node(suffix: str, op: str, inputs: list[str], **attributes: Any) -> Any:
        new = tf.NodeDef(name=f"{node.name}/{suffix}", op=op, device=node.device)
        new.input.extend(inputs)
        for key, value in attributes.items():
            new.attr[key].CopyFrom(_attribute(value))
        return new

    def out(suffix: str, output: str, index: int = 0) -> str:
        """Returns how an output is called: functions name outputs, graphs count them."""
        if in_function:
            return f"{node.name}/{suffix}:{output}:{index}"
        return f"{node.name}/{suffix}:{index}"

    def constant(suffix: str, value: Any) -> Any:
        array = np.asarray(value)
        kind = tf.as_dtype(array.dtype)
        return new_node(suffix, "Const", begins, dtype=kind, value=tf.make_tensor_proto(array))

    sizes = node.attr["T"].type
    yield new_node("count", "VarHandleOp", begins, dtype=tf.int64, shape=[3], shared_name=resource)
    yield constant("axis", np.array([0], np.int32))
    inputs = [shape, out("axis", "output")]
    yield new_node("size", "Prod", inputs, T=tf.as_dtype(sizes), Tidx=tf.int32, keep_dims=False)
    yield new_node(
        "added", "Cast", [out("size", "output")], SrcT=tf.as_dtype(sizes), DstT=tf.uint64
    )
    yield constant("algorithm", np.int32(_PHILOX))
    inputs = [out("count", "resource"), out("algorithm", "output"), out("added", "y")]
    yield new_node("state", "RngReadAndSkip", [*inputs, *waits])
    yield constant("lengths", np.array([2, 1], np.int32))
    yield constant("dimension", np.int32(0))
    inputs = [out("state", "value"), out("lengths", "output"), out("dimension", "output")]
    yield new_node("parts", "SplitV", inputs, T=tf.int64, Tlen=tf.int32, num_split=2)
    for index, part in enumerate(("counter", "key")):
        inputs = [out("parts", "output", index)]
        yield new_node(part, "Bitcast", inputs, T=tf.int64, type=tf.uint64)
    kind, attribute = _WITH_COUNT[node.op]
    new = tf.NodeDef(name=node.name, op=kind, device=node.device)
    drawn = [out("key", "output"), out("counter", "output"), out("algorithm", "output")]
    limits = [name for name in node.input[1:] if not name.startswith("^")]
    new.input.extend([shape, *drawn, *limits, *waits])
    new.attr["Tshape"].type = sizes
    new.attr["dtype"].type = node.attr[attribute].type
    if "_output_shapes" in node.attr:
        new.attr["_output_shapes"].CopyFrom(node.attr["_output_shapes"])
    yield new


def _attribute(value: Any) -> Any:
    attribute = tf.AttrValue()
    if isinstance(value, tf.DType):
        attribute.type = value.as_datatype_enum
    elif isinstance(value, bool):
        attribute.b = value
    elif isinstance(value, int):
        attribute.i = value
    elif isinstance(value, str):
        attribute.s = value.encode()
    elif isinstance(value, list):
        attribute.shape.CopyFrom(tf.TensorShape(value).as_proto())
    else:
        attribute.tensor.CopyFrom(value)
    return attribute


def _rename(definition: Any, changed: dict[str, str], name_of: Callable[[str], str]) -> None:
    """Renames functions that changed, and those that call them: a process has one of a name."""
    functions = {f.signature.name: f for f in definition.library.function}
    waiting = True
    while waiting:
        callers = [
            name
            for name, function in functions.items()
            if name not in changed and _calls(function.node_def, changed)
        ]
        changed |= {name: name_of(name).replace("/", "_") for name in callers}
        waiting = bool(callers)
    for name, function in functions.items():
        function.signature.name = changed.get(name, name)
        _call(function.node_def, changed)
    _call(definition.node, changed)


def _calls(nodes: Any, names: dict[str, str]) -> bool:
    return any(function.name in names for node in nodes for function in functions_of(node))


def _call(nodes: Any, names: dict[str, str]) -> None:
    for node in nodes:
        for function in functions_of(node):
            function.name = names.get(function.name, function.name)
