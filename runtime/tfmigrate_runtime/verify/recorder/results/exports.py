"""The SavedModels that a program exports: their signatures, and what these compute.

Every SavedModel is described once it is written, loaded into its own graph and session, and run on
generated inputs. These depend only on their names, types and shapes, so that two programs get the
same.

* ``meta["exports"]``, in the order of writing: ``folder`` (below model_dir, the folder of ``{out}``
  or the current one, without the time; null elsewhere), ``kept`` (whether it exists at the end),
  ``assets`` (SHA-256 by name), ``graphs``: of each its ``tags`` and ``signatures``, which have
  ``method``, ``inputs`` and ``outputs`` ({name: [dtype, shape or null]}), ``values`` ({output: key
  of an array, or null where it is not the same twice}) or ``error``, why it could not be run, and
  ``shared``, the same two of a batch that towers can divide (absent in old traces).
* ``exported/<n>``: the arrays.

Private names of TensorFlow that are touched: ``saved_model.builder_impl`` (its classes, by which
all SavedModels of graphs are written), ``saved_model.save.save_and_return_nodes`` (all others).
"""

import hashlib
import os
import zlib
from typing import Any, Dict, List, Optional

import numpy as np

from ..program import scripts, wrapping

MOST_RUN = 8  # exports that are run; of the others only signatures are recorded
_ROWS = 3
_SHARED_ROWS = 24  # which two, three, four, six or eight towers divide evenly
_UNKNOWN = 2  # taken for other sizes that a signature leaves open
_PARSERS = ("ParseExample", "ParseExampleV2")


class Exports:
    """Records the SavedModels that a program writes."""

    def __init__(self, trace: Any, scratch: Optional[str]) -> None:
        """Takes the trace to record to, and the folder that replaces ``{out}``."""
        self._trace, self._scratch = trace, scratch
        self._found: List[Dict[str, Any]] = []
        self._paths: List[Optional[str]] = []
        self._waiting: List[int] = []  # positions of those that an Estimator has not yet moved
        self._arrays: Dict[str, Any] = {}

    def install(self) -> None:
        """Wraps what writes SavedModels."""
        from tensorflow.python.saved_model import builder_impl

        for kind in {builder_impl.SavedModelBuilder} | set(builder_impl.SavedModelBuilder.__mro__):
            if "save" in vars(kind):
                wrapping.after(kind, "save", self._note_built)
        try:
            from tensorflow.python.saved_model import save
        except ImportError:
            return  # 1.12
        if hasattr(save, "save_and_return_nodes"):
            wrapping.after(save, "save_and_return_nodes", self._note_saved)

    def _note_built(self, _result: Any, builder: Any, *_arguments: Any, **_options: Any) -> None:
        self._add(builder._export_dir)

    def _note_saved(
        self, _result: Any, obj: Any, export_dir: Any, *_arguments: Any, **_options: Any
    ) -> None:
        self._add(export_dir)

    def _add(self, export_dir: Any) -> None:
        path = _text(export_dir)
        of_estimator = self._trace.under_way[-1:] == ["export"]
        calls = [call for call in self._trace.calls if call["kind"] == "export"]
        folder = (
            calls[-1]["folder"] if of_estimator and calls else scripts.place_of(path, self._scratch)
        )
        try:
            described = _described(path)
        except Exception as error:  # noqa: BLE001 - must not fail a program that moves it
            described = {"assets": {}, "graphs": [], "error": type(error).__name__}
        self._found.append(dict(described, folder=folder))
        self._paths.append(None if of_estimator else path)
        self._waiting.append(len(self._found) - 1)
        if not of_estimator:
            self.moved(path)

    def moved(self, path: Any) -> None:
        """Runs what was exported since, now that its folder has its name."""
        waiting, self._waiting = self._waiting, []
        for position in waiting:
            if isinstance(path, (str, bytes)):
                self._paths[position] = _text(path)
            if position < MOST_RUN and self._paths[position] is not None:
                self._run(self._found[position], str(self._paths[position]))

    def _run(self, export: Dict[str, Any], path: str) -> None:
        """Runs all signatures of a SavedModel and records what they return."""
        from tensorflow.core.protobuf import config_pb2
        from tensorflow.python.client import session
        from tensorflow.python.framework import ops
        from tensorflow.python.saved_model import loader_impl

        try:
            for graph in export["graphs"]:
                own, config = ops.Graph(), config_pb2.ConfigProto(allow_soft_placement=True)
                with own.as_default(), session.Session(graph=own, config=config) as opened:
                    loaded = loader_impl.SavedModelLoader(path).load(opened, graph["tags"])
                    for name, signature in graph["signatures"].items():
                        protocol = loaded[0] if isinstance(loaded, tuple) else loaded
                        self._call(opened, signature, protocol.signature_def[name])
        except Exception as error:  # noqa: BLE001 - any error of the program's model
            export["error"] = type(error).__name__

    def _call(self, session: Any, signature: Dict[str, Any], protocol: Any) -> None:
        """Runs a signature on a few rows, and on rows that any usual number of towers can share.

        replicate_model_fn divides what is predicted among its towers, and so does what it exports:
        three rows are an error there (measured on 1.15.5), which no other model makes of them.
        """
        signature.update(self._called(session, protocol, _ROWS))
        signature["shared"] = self._called(session, protocol, _SHARED_ROWS)

    def _called(self, session: Any, protocol: Any, rows: int) -> Dict[str, Any]:
        try:
            feeds: Dict[str, Any] = {}
            for name, info in sorted(protocol.inputs.items()):
                feeds.update(_inputs(session, name, info, rows))
            outputs = sorted(
                (name, info.name) for name, info in protocol.outputs.items() if info.name
            )
            fetched = [session.run([tensor for _, tensor in outputs], feeds) for _ in range(2)]
        except Exception as error:  # noqa: BLE001 - any error of the program's model
            return {"error": type(error).__name__}
        keys: Dict[str, Any] = {}
        for index, (name, _) in enumerate(outputs):
            first, again = (np.asarray(values[index]) for values in fetched)
            is_same = first.shape == again.shape and bool(
                np.all((first == again) | (first != first))
            )
            keys[name] = "exported/%d" % len(self._arrays) if is_same else None
            if is_same:
                self._arrays[keys[name]] = first
        return {"values": keys}

    def arrays(self) -> Dict[str, Any]:
        """Returns the arrays for the trace."""
        return self._arrays

    def meta(self) -> Dict[str, Any]:
        """Returns the entries for ``meta``."""
        for index, entry in enumerate(self._found):
            entry["kept"] = self._paths[index] is None or os.path.isdir(str(self._paths[index]))
        return {"exports": self._found}


def _text(path: Any) -> str:
    return path.decode() if isinstance(path, bytes) else str(path)


def _described(path: str) -> Dict[str, Any]:
    """Returns the contents of a SavedModel, without running it."""
    from tensorflow.python.saved_model import loader_impl

    # It was private before 1.13.
    parse = getattr(loader_impl, "parse_saved_model", None) or loader_impl._parse_saved_model
    folder = os.path.join(path, "assets")
    assets = {}
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        with open(os.path.join(folder, name), "rb") as stream:
            assets[name] = hashlib.sha256(stream.read()).hexdigest()
    return {
        "assets": assets,
        "graphs": [
            {
                "tags": sorted(graph.meta_info_def.tags),
                "signatures": {
                    name: _signature(signature)
                    for name, signature in sorted(graph.signature_def.items())
                    # TensorFlow 2 keeps the ops that initialise and train as signatures.
                    if not name.startswith("__saved_model_")
                },
            }
            for graph in parse(path).meta_graphs
        ],
    }


def _signature(signature: Any) -> Dict[str, Any]:
    return {
        "method": signature.method_name,
        "inputs": {name: _kind(info) for name, info in sorted(signature.inputs.items())},
        "outputs": {name: _kind(info) for name, info in sorted(signature.outputs.items())},
    }


def _kind(info: Any) -> List[Any]:
    from tensorflow.python.framework import dtypes

    shape = info.tensor_shape
    sizes = None if shape.unknown_rank else [int(dimension.size) for dimension in shape.dim]
    return [dtypes.as_dtype(info.dtype).name, sizes]


def _inputs(session: Any, name: str, info: Any, rows: int) -> Dict[str, Any]:
    """Returns what to feed for an input of a signature, by the names of tensors."""
    dtype, sizes = _kind(info)
    if info.WhichOneof("encoding") == "coo_sparse":
        sparse = info.coo_sparse
        return {
            sparse.values_tensor_name: _made(name, dtype, [2]),
            sparse.indices_tensor_name: np.array([[0, 0], [1, 0]], np.int64),
            sparse.dense_shape_tensor_name: np.array([rows, _UNKNOWN], np.int64),
        }
    tensor = session.graph.get_tensor_by_name(info.name)
    parser = _parser_of(tensor) if dtype == "string" else None
    if parser is not None:
        return {info.name: _examples(session, parser, rows)}
    sizes = [-1] if sizes is None else sizes
    shape = [
        size if size >= 0 else (_UNKNOWN if position else rows)
        for position, size in enumerate(sizes)
    ]
    return {info.name: _made(name, dtype, shape)}


def _made(name: str, dtype: str, shape: List[int]) -> Any:
    """Returns an array that depends on nothing but a name, a type and a shape."""
    draws = np.random.RandomState(zlib.crc32(name.encode()))
    if dtype == "string":
        return np.array([b"a", b"b"], object)[draws.randint(0, 2, shape)]
    if dtype.startswith(("float", "bfloat", "double")):
        return draws.normal(size=shape).astype(np.float32 if "bfloat" in dtype else dtype)
    # Small: they may be rows of a table.
    return draws.randint(0, 2, shape).astype(dtype)


def _parser_of(tensor: Any) -> Any:
    """Returns the op that parses a tensor as serialized examples, None if none does."""
    waiting, seen = [tensor], set()
    while waiting:
        for user in waiting.pop().consumers():
            if user.type in _PARSERS:
                return user
            if id(user) not in seen and user.type.startswith(("Identity", "Placeholder")):
                waiting += list(user.outputs)
            seen.add(id(user))
    return None


def _examples(session: Any, parser: Any, count: int) -> Any:
    """Returns serialized examples with the features that an op parses."""
    from tensorflow.core.example import example_pb2

    inputs = list(parser.inputs)
    if parser.type == "ParseExample":
        sparse = inputs[2 : 2 + parser.get_attr("Nsparse")]
        keys = [inputs[2 + len(sparse) :][: parser.get_attr("Ndense")], sparse]
        dense_keys, sparse_keys = ([session.run(key) for key in group] for group in keys)
    else:
        sparse_keys, dense_keys = (list(session.run(inputs[i])) for i in (2, 3))
    shapes = [[d.size for d in shape.dim] for shape in parser.get_attr("dense_shapes")]
    features = list(zip(dense_keys, parser.get_attr("Tdense"), shapes))
    sparse_types = parser.get_attr("sparse_types")
    features += [(key, kind, [1]) for key, kind in zip(sparse_keys, sparse_types)]
    rows = []
    for row in range(count):
        example = example_pb2.Example()
        for key, kind, shape in features:
            sizes = [size if size >= 0 else _UNKNOWN for size in shape]
            values = _made("%s/%d" % (_text(key), row), kind.name, sizes).ravel().tolist()
            feature = example.features.feature[_text(key)]
            holder = {"string": feature.bytes_list, "int64": feature.int64_list}
            holder.get(kind.name, feature.float_list).value.extend(values)
        rows.append(example.SerializeToString())
    return np.array(rows, object)
