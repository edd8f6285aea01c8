"""The queues of TensorFlow 1.x as Datasets: what fills them, reads their files and batches them.

TensorFlow 1.x joined the rows of all epochs and then batched them, without the last part.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tfmigrate.families.native.conversion import (
    Conversion,
    called,
    free_name,
    refuse,
    root_of_tensorflow,
)
from tfmigrate.model.edits import Code
from tfmigrate.resolve.calls import argument, has_star_arguments
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.origins import definition_of, origins

SLICES = "tensorflow.train.slice_input_producer"
FILES = "tensorflow.train.string_input_producer"
BATCH = "tensorflow.train.batch"
SHUFFLED_BATCH = "tensorflow.train.shuffle_batch"
LINES = "tensorflow.TextLineReader"
RECORDS = "tensorflow.TFRecordReader"
WHOLE_FILES = "tensorflow.WholeFileReader"
FIXED_LENGTH = "tensorflow.FixedLengthRecordReader"
READERS = (LINES, RECORDS, WHOLE_FILES, FIXED_LENGTH)
BY_HAND = tuple(
    f"tensorflow.{name}"
    for name in (
        *("FIFOQueue", "RandomShuffleQueue", "PaddingFIFOQueue", "PriorityQueue", "QueueBase"),
        *("train.QueueRunner", "train.add_queue_runner", "train.queue_runner.QueueRunner"),
        *("train.queue_runner.add_queue_runner", "train.limit_epochs", "train.input_producer"),
        *("train.range_input_producer", "train.batch_join", "train.shuffle_batch_join"),
        *("train.maybe_batch", "train.maybe_batch_join", "train.maybe_shuffle_batch"),
        *("train.maybe_shuffle_batch_join", "contrib.training.bucket"),
        *("contrib.training.bucket_by_sequence_length", "contrib.training.stratified_sample"),
        *("contrib.training.rejection_sample", "IdentityReader", "LMDBReader", "ReaderBase"),
    )
)
"""What no Dataset is known to read as it does."""

_SIGNATURES = {
    SLICES: ("tensor_list", "num_epochs", "shuffle", "seed", "capacity", "shared_name", "name"),
    FILES: ("string_tensor", "num_epochs", "shuffle", "seed", "capacity", "shared_name", "name"),
    BATCH: (
        *("tensors", "batch_size", "num_threads", "capacity", "enqueue_many", "shapes"),
        *("dynamic_pad", "allow_smaller_final_batch", "shared_name", "name"),
    ),
    SHUFFLED_BATCH: (
        *("tensors", "batch_size", "capacity", "min_after_dequeue", "num_threads", "seed"),
        *("enqueue_many", "shapes", "allow_smaller_final_batch", "shared_name", "name"),
    ),
    LINES: ("skip_header_lines", "name"),
    RECORDS: ("name",),
    WHOLE_FILES: ("name",),
    FIXED_LENGTH: ("record_bytes", "header_bytes", "footer_bytes"),
}
_UNKNOWN = object()
_ORDER = "the rows of a shuffled queue arrive in a different order"
_THREADS = "the rows of a queue with several threads arrive in a different order"


class Arguments:
    """The arguments of one call, by their names."""

    def __init__(self, module: Module, call: ast.Call) -> None:
        """Reads them.

        Raises:
            Refusal: one of them is not known.
        """
        names = _SIGNATURES[called(module, call)]
        self.call = call
        self._module = module
        self._what = ast.unparse(call.func)
        if has_star_arguments(call) or len(call.args) > len(names):
            refuse(call, f"the arguments of `{self._what}`")
        for keyword in call.keywords:
            if keyword.arg not in names:
                refuse(keyword.value, f"`{keyword.arg}` of `{self._what}`")
        self._given = {name: argument(call, i, name) for i, name in enumerate(names)}

    def of(self, name: str) -> ast.expr | None:
        """Returns an argument; None where it is not given, or is None."""
        found = self._given.get(name)
        return None if isinstance(found, ast.Constant) and found.value is None else found

    def needed(self, name: str) -> ast.expr:
        """Returns an argument that has to be given."""
        return self.of(name) or refuse(self.call, f"`{self._what}` without `{name}`")

    def flag(self, name: str, default: bool) -> bool:
        """Returns the value of a flag, which has to be written out."""
        found = self._given.get(name)
        known = origins(self._module, found) if found is not None else ()
        if known is None and isinstance(found, ast.Name):
            default_value = _default_of(self._module, found)
            known = () if default_value is None else (default_value,)
        values = [getattr(one, "value", _UNKNOWN) for one in known or ()]
        value = values[0] if len(values) == 1 else _UNKNOWN
        value = default if found is None else value
        if not isinstance(value, (bool, int)):
            refuse(found or self.call, f"`{name}` of `{self._what}` is not written out")
        return bool(value)

    def unset(self, *names: str) -> None:
        """Refuses arguments that say more than their default."""
        for name in names:
            found = self.of(name)
            if found is not None and getattr(found, "value", _UNKNOWN) is not False:
                refuse(found, f"`{name}` of `{self._what}`")

    def seed(self, parts: list[ast.expr]) -> str:
        """Returns the code of a seed as a further argument, and adds it to the parts."""
        found = self.of("seed")
        if found is None:
            return ""
        parts.append(found)
        return f", seed={{{len(parts) - 1}}}"


def _default_of(module: Module, name: ast.Name) -> ast.expr | None:
    """Returns the default of a parameter that the only call of its function does not pass."""
    function = module.function(name)
    if not isinstance(function, ast.FunctionDef):
        return None
    names = [a.arg for a in function.args.args]
    defaults = dict(zip(reversed(names), reversed(function.args.defaults), strict=False))
    stores = [n for n in module.all(ast.Name, function) if isinstance(n.ctx, ast.Store)]
    calls = [c for c in module.all(ast.Call) if definition_of(module, c.func) is function]
    if name.id not in defaults or any(n.id == name.id for n in stores) or len(calls) != 1:
        return None
    passed = argument(calls[0], names.index(name.id), name.id) or has_star_arguments(calls[0])
    return None if passed else defaults[name.id]


def may_end(module: Module, producer: ast.Call) -> bool:
    """Says whether what a queue is filled with may end."""
    return Arguments(module, producer).of("num_epochs") is not None


def producer_codes(plan: Conversion, module: Module, call: ast.Call, name: str) -> tuple[Code, ...]:
    """Returns the code of the Dataset of what fills a queue; the last of several has no target.

    Args:
        plan: the conversion.
        module: the file.
        call: the call of ``slice_input_producer`` or ``string_input_producer``.
        name: the variable of the Dataset.

    Raises:
        Refusal: its arguments are not known.
    """
    given = Arguments(module, call)
    root = root_of_tensorflow(module, call.func)
    parts: list[ast.expr] = []
    if called(module, call) == SLICES:
        text = _tuple_of(given.needed("tensor_list"), parts)
        single = False
    else:
        files = given.needed("string_tensor")
        parts.append(files)
        text = "{0}"
        single = isinstance(files, (ast.List, ast.Tuple)) and len(files.elts) == 1
    made = f"{root}.data.Dataset.from_tensor_slices"
    mixed = given.flag("shuffle", default=True) and not single
    if not mixed:
        epochs = _epochs(given, parts)
        return (Code(made, tuple(parts), (text,), epochs),)
    plan.unsafe.append((module, call, _ORDER))
    rest: list[ast.expr] = []
    seed = given.seed(rest)
    epochs = _epochs(given, rest)
    shuffled = f"{name}.shuffle({name}.cardinality(){seed}){epochs}"
    return Code(f"{name} = {made}", tuple(parts), (text,)), Code(shuffled, tuple(rest))


def _epochs(given: Arguments, parts: list[ast.expr]) -> str:
    epochs = given.of("num_epochs")
    if epochs is None:
        return ".repeat()"
    parts.append(epochs)
    return f".repeat({{{len(parts) - 1}}})"


def has_several_tensors(module: Module, call: ast.Call) -> bool | None:
    """Says whether ``slice_input_producer`` has several tensors; None where that is not known."""
    given = Arguments(module, call).needed("tensor_list")
    return len(given.elts) > 1 if isinstance(given, (ast.List, ast.Tuple)) else None


def _tuple_of(given: ast.expr, parts: list[ast.expr]) -> str:
    """Returns the code of a list of tensors as a tuple: a Dataset would stack those of a list."""
    if isinstance(given, (ast.List, ast.Tuple)):
        if not given.elts or any(isinstance(element, ast.Starred) for element in given.elts):
            refuse(given, "the tensors of a queue are not written out")
        parts += given.elts
        places = ", ".join(f"{{{i}}}" for i in range(len(given.elts)))
        return f"({places})" if len(given.elts) > 1 else places
    parts.append(given)
    return "tuple({0})"


def read_code(module: Module, reader: ast.Call, queue: str) -> Code:
    """Returns the code of the Dataset of what a reader reads.

    Args:
        module: the file.
        reader: the call that makes the reader.
        queue: the variable of the Dataset of files.

    Raises:
        Refusal: the arguments of the reader are not known.
    """
    given = Arguments(module, reader)
    root = root_of_tensorflow(module, reader.func)
    kind = called(module, reader)
    file = free_name(module, "file", "file_name")
    if kind == WHOLE_FILES:
        read = f"({file}, {root}.io.read_file({file}))"
        return Code(f"{queue}.map", (), (f"lambda {file}: {read}",))
    if kind == RECORDS:
        return Code(f"{queue}.flat_map({root}.data.TFRecordDataset)")
    if kind == LINES:
        skipped = given.of("skip_header_lines")
        lines = f"{root}.data.TextLineDataset"
        if skipped is None:
            return Code(f"{queue}.flat_map({lines})")
        text = f"lambda {file}: {lines}({file}).skip({{0}})"
        return Code(f"{queue}.flat_map", (skipped,), (text,))
    parts = [given.needed("record_bytes")]
    texts = [file, "{0}"]
    for old in ("header_bytes", "footer_bytes"):
        value = given.of(old)
        if value is not None:
            texts.append(f"{old}={{{len(parts)}}}")
            parts.append(value)
    text = f"lambda {file}: {root}.data.FixedLengthRecordDataset({', '.join(texts)})"
    return Code(f"{queue}.flat_map", tuple(parts), (text,))


def batch_code(plan: Conversion, module: Module, call: ast.Call, dataset: str) -> Code:
    """Returns the code of the Dataset of batches.

    Args:
        plan: the conversion.
        module: the file.
        call: the call of ``batch`` or ``shuffle_batch``.
        dataset: the variable of the Dataset of rows.

    Raises:
        Refusal: its arguments are not known.
    """
    given = Arguments(module, call)
    given.unset("enqueue_many", "shapes", "dynamic_pad")
    parts: list[ast.expr] = []
    text = dataset
    if called(module, call) == SHUFFLED_BATCH:
        plan.unsafe.append((module, call, _ORDER))
        parts.append(given.needed("capacity"))
        text += f".shuffle({{0}}{given.seed(parts)})"
    else:
        threads = given.of("num_threads")
        if threads is not None and getattr(threads, "value", _UNKNOWN) != 1:
            plan.unsafe.append((module, call, _THREADS))
    parts.append(given.needed("batch_size"))
    dropped = "" if given.flag("allow_smaller_final_batch", False) else ", drop_remainder=True"
    return Code(f"{text}.batch({{{len(parts) - 1}}}{dropped})", tuple(parts))


def batched(module: Module, call: ast.Call) -> Sequence[ast.expr] | ast.expr:
    """Returns the tensors that are batched: a list of them, or the one expression that has them."""
    given = Arguments(module, call).needed("tensors")
    if isinstance(given, (ast.List, ast.Tuple)):
        if not given.elts or any(isinstance(element, ast.Starred) for element in given.elts):
            refuse(given, "the tensors of a batch are not written out")
        return given.elts
    return given
