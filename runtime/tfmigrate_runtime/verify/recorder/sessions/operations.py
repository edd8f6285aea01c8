"""The ops that training steps run, with their settings.

``meta["operations"]`` (of every model) is ``{"text": [line, ...]}``: of each op, in the order in
which the program made them, a line of four parts between tabs:

* its name, without the numbers that tell ops of one name apart,
* its type,
* its settings as a JSON object: a number, a list or a string by the name of the attribute. The
  value of a small constant is ``value``,
* the line of the program that made it, as ``train.py:34``, "" where that is not known. Before it
  stands ``contrib `` where a function of tf.contrib, or of the runtime, is between the two:
  their ops need not be the same.

Left out are the ops of ``tf.gradients``, which follow from the others, and what holds, reads and
passes on values: versions of TensorFlow differ there. ``graph_differences.py`` compares the lines
where updates do not show a cause: a dropout of 0.32 in place of 0.3 changes each update in another
direction, but in the graph it is one constant.
"""

import json
import os
import pathlib
import re
from typing import Any, Dict, Iterator, List, Set, Tuple

from . import graph_training, graph_variables

_MOST_NUMBERS = 8  # of a constant whose value is kept
_MOST_OPERATIONS = 30000
_HERE = str(pathlib.Path(os.path.abspath(__file__)).parents[3]) + os.sep
_OF_PACKAGES = ("/site-packages/", "/dist-packages/")
_NUMBER = re.compile(r"_\d+(?=/|$)")
_GRADIENTS = re.compile(r"(^|/)gradients(_\d+)?(/|$)")
_PASSES_ON = {
    "Identity", "IdentityN", "NoOp", "Variable", "VariableV2", "VarHandleOp", "ReadVariableOp",
    "VarIsInitializedOp", "Placeholder", "PlaceholderWithDefault", "Enter", "RefEnter", "Exit",
    "RefExit", "Switch", "RefSwitch", "Merge", "RefMerge", "NextIteration", "LoopCond", "Assert",
    "PreventGradient",
}  # fmt: skip
# What differs between programs that compute the same: names of resources, seeds, which have a rung
# of their own, and what TensorFlow derives.
_NO_SETTINGS = {"container", "shared_name", "seed", "seed2", "use_locking", "validate_shape"}


def operations_of(graph: Any) -> Dict[str, Any]:
    """Returns the entry ``operations`` for ``meta``, {} of a graph that no optimizer trains."""
    training = graph_training.training_of(graph)
    starts = list(training.operations) + [loss.op for loss in training.losses]
    if not starts:
        return {}
    starts += _other_writes(graph)
    run: Set[int] = {id(operation) for operation in graph_variables.run_by(starts)}
    lines = [
        _line(operation)
        for operation in graph.get_operations()
        if id(operation) in run
        and operation.type not in _PASSES_ON
        and not _GRADIENTS.search(operation.name)
    ]
    return {"text": lines} if len(lines) <= _MOST_OPERATIONS else {}


def _other_writes(graph: Any) -> List[Any]:
    """Returns what else writes variables, as weights that are clipped between steps."""
    return [
        operation
        for operation in graph.get_operations()
        if operation.type.startswith(graph_variables.WRITES)
        and not _initializes(operation)
        and not any(tensor.op.type.startswith("Restore") for tensor in operation.inputs)
    ]


def _initializes(operation: Any) -> bool:
    """Whether an op gives a variable its initial value, by its name.

    Its variable has it as ``initializer``, but that of a mirrored variable is a new op each time it
    is asked for, and the graph of a session is final.
    """
    variable = graph_variables.written_by(operation)
    return variable is not None and operation.name == variable.name + "/Assign"


def _line(operation: Any) -> str:
    settings = _constant(operation) if operation.type == "Const" else _settings(operation)
    name = _NUMBER.sub("", operation.name)
    text = json.dumps(settings, sort_keys=True)
    return "\t".join([name, operation.type, text, _place(operation)])


def _place(operation: Any) -> str:
    """Returns the line of the program that made an op."""
    is_of_contrib = False
    for name, line in frames_of(operation):
        if name.startswith(_HERE) or "/tensorflow_core/contrib/" in name:
            is_of_contrib |= "/verify/recorder/" not in name
        elif "/tensorflow/contrib/" in name:
            is_of_contrib = True
        elif is_of_program(name):
            kind = "contrib " if is_of_contrib else ""
            return "%s%s:%d" % (kind, os.path.basename(name), line)
    return ""


def frames_of(operation: Any) -> Iterator[Tuple[str, int]]:
    """Yields the file and the line of each call that made an op, the innermost first."""
    try:
        # That of 1.15 as it is kept: the public property reads every file for its text.
        frames = list(getattr(operation, "_traceback", None) or operation.traceback)
    except AttributeError:
        return
    for frame in reversed(frames):
        name = getattr(frame, "filename", None)
        yield (frame[0], frame[1]) if name is None else (name, getattr(frame, "lineno", 0))


def is_of_program(name: str) -> bool:
    """Returns whether a file is of the program, not of a package or the runtime."""
    is_package = any(folder in name for folder in _OF_PACKAGES)
    return not is_package and not name.startswith((_HERE, "<"))


def _constant(operation: Any) -> Dict[str, Any]:
    from tensorflow.python.framework import tensor_util

    value = tensor_util.MakeNdarray(operation.get_attr("value"))
    if value.size > _MOST_NUMBERS or value.dtype.kind not in "fiub":
        return {"shape": list(value.shape)}
    # float32 numbers as they are written in a program: 0.1, not 0.10000000149.
    numbers = [float(str(n)) if value.dtype.kind == "f" else n.item() for n in value.ravel()]
    return {"value": numbers if value.ndim else numbers[0]}


def _settings(operation: Any) -> Dict[str, Any]:
    settings = {}
    for name, attribute in operation.node_def.attr.items():
        kind = attribute.WhichOneof("value")
        if name.startswith("_") or name in _NO_SETTINGS:
            continue
        if kind in ("i", "f", "b"):
            value = getattr(attribute, kind)
            settings[name] = float("%.7g" % value) if kind == "f" else value
        elif kind == "s":
            settings[name] = attribute.s.decode("utf-8", "replace")
        elif kind == "list" and (attribute.list.i or attribute.list.f):
            settings[name] = [float("%.7g" % n) for n in attribute.list.f] or list(attribute.list.i)
    return settings
