"""Strategies of tf.contrib.distribute as strategies of tf.distribute in TensorFlow 1.15 and 2.15.

In a RunConfig of tf.estimator they mean the same: each replica takes its own batch, and the
Estimator is the same code (TensorFlow 1.15.5, tensorflow/contrib/distribute/python).

Custom loops are left alone: the methods that they drive a strategy with treated batches and
contexts differently, so that a file with one of these names is not changed at all.
"""

import ast
from collections.abc import Iterator

from tfmigrate.model.edits import ArrangeArguments, ChangeImport, Code, Edit, ReplaceExpression
from tfmigrate.model.refusals import Refusal
from tfmigrate.resolve.calls import argument, has_star_arguments, named_arguments
from tfmigrate.resolve.module import Module, Use, aliases, imports
from tfmigrate.resolve.scopes import is_none
from tfmigrate.rulekit.tensorflow_import import tensorflow_import, tensorflow_name
from tfmigrate.tables.runtime_api import DISTRIBUTE

_SOURCE = f"{DISTRIBUTE.source}."
# Names that mean the same, with the same arguments.
_SAME = {
    "CrossDeviceOps": "CrossDeviceOps",
    "CrossTowerOps": "CrossDeviceOps",
    "ReductionToOneDeviceCrossDeviceOps": "ReductionToOneDevice",
    "ReductionToOneDeviceCrossTowerOps": "ReductionToOneDevice",
    "get_loss_reduction": "get_loss_reduction",
    "get_replica_context": "get_replica_context",
    "get_tower_context": "get_replica_context",
    "get_distribution_strategy": "get_strategy",
    "get_strategy": "get_strategy",
    "has_distribution_strategy": "has_strategy",
    "has_strategy": "has_strategy",
    "in_cross_replica_context": "in_cross_replica_context",
}
_ALL_REDUCES = ("AllReduceCrossDeviceOps", "AllReduceCrossTowerOps")
_ALGORITHMS = {"nccl": "NcclAllReduce", "hierarchical_copy": "HierarchicalCopyAllReduce"}
_MIRRORED = ("devices", "num_gpus", "num_gpus_per_worker", "cross_device_ops", "cross_tower_ops")
# Methods for custom training loops, which treated batches and contexts differently.
_OF_LOOPS = (
    "call_for_each_tower", "distribute_dataset", "experimental_run", "make_dataset_iterator",
    "make_input_fn_iterator", "unwrap",
)  # fmt: skip


def strategy_edits(module: Module, sparse: bool) -> list[Edit] | None:
    """Returns the edits that replace tf.contrib.distribute in a module.

    Args:
        sparse: whether the program may have sparse gradients, on which the default reduction of
            TensorFlow 2.15 fails where their lengths differ.

    Returns:
        The edits; None where one of its names has no equivalent, or a custom loop uses them.
    """
    uses = [use for use in module.uses if use.qualified.startswith(_SOURCE)]
    called = {n.attr for n in module.all(ast.Attribute)}
    if not uses or called & set(_OF_LOOPS):
        return None
    edits: list[Edit] = []
    try:
        for use in uses:
            edits += edits_of_use(module, use, sparse)
        edits += without_imports(module)
    except Refusal:
        return None
    return [*edits, *tensorflow_import(module, *(use.node for use in uses))]


def edits_of_use(module: Module, use: Use, sparse: bool) -> Iterator[Edit]:
    """Yields the edits that replace one name of tf.contrib.distribute.

    Args:
        use: where the name is used.
        sparse: whether the default reduction has to be another one.

    Raises:
        Refusal: tf.distribute has no equivalent.
    """
    name = use.qualified.removeprefix(_SOURCE)
    core = f"{tensorflow_name(module, use.node)}.distribute"
    if name in _SAME:
        yield ReplaceExpression(use.node, Code(f"{core}.{_SAME[name]}"))
        return
    if (call := module.call_of(use.node)) is None or has_star_arguments(call):
        raise Refusal(use.node, f"{name} is not called with explicit arguments")
    if name == "DistributeConfig":
        yield from _distribute_config(module, call)
    elif name in _ALL_REDUCES:
        yield ReplaceExpression(call, _all_reduce(call, core))
    elif name == "OneDeviceStrategy":
        if argument(call, 0, "device") is None or len(call.args) + len(call.keywords) != 1:
            raise Refusal(call, "OneDeviceStrategy takes only a device")
        yield ReplaceExpression(use.node, Code(f"{core}.OneDeviceStrategy"))
    elif name == "MirroredStrategy":
        yield from _mirrored(call, use, core, sparse)
    else:
        raise Refusal(use.node, f"tf.distribute has no {name}")


def _mirrored(call: ast.Call, use: Use, core: str, sparse: bool) -> Iterator[Edit]:
    by_name = {k.arg: k.value for k in call.keywords if k.arg is not None and not is_none(k.value)}
    if len(call.args) > 2 or set(by_name) - set(_MIRRORED):
        raise Refusal(call, "tf.distribute.MirroredStrategy lacks one of these arguments")
    for name, value in zip(_MIRRORED, call.args, strict=False):
        if not is_none(value):
            by_name[name] = value
    counts = [by_name[name] for name in _MIRRORED[1:3] if name in by_name]
    reductions = [by_name[name] for name in _MIRRORED[3:] if name in by_name]
    if len(counts) + ("devices" in by_name) > 1 or len(reductions) > 1:
        raise Refusal(call, "several arguments give the devices or the reduction")
    yield ReplaceExpression(use.node, Code(f"{core}.MirroredStrategy"))
    arguments = [("", by_name["devices"])] if "devices" in by_name else []
    for count in counts:
        yield ReplaceExpression(count, _gpus(count))
        arguments.append(("", count))
    added = [f"cross_device_ops={core}.ReductionToOneDevice()"] if sparse and not reductions else []
    given_reductions = [("cross_device_ops", value) for value in reductions]
    yield ArrangeArguments(call, (*arguments, *given_reductions), tuple(added))


def _gpus(count: ast.expr) -> Code:
    """Returns the list of as many GPUs; the CPU for none."""
    if isinstance(count, ast.Constant) and isinstance(count.value, int):
        names = [f"'/gpu:{index}'" for index in range(count.value)]
        return Code(f"[{', '.join(names)}]" if names else "['/cpu:0']")
    # No GPUs meant the CPU (TensorFlow 1.15.5, device_util.local_devices_from_num_gpus).
    return Code("['/gpu:%d' % gpu for gpu in range({0})] or ['/cpu:0']", (count,))


def _all_reduce(call: ast.Call, core: str) -> Code:
    """Returns the all-reduce of an algorithm; how it aggregates small gradients changes nothing."""
    algorithm = argument(call, 0, "all_reduce_alg")
    packs = argument(call, 1, "num_packs")
    parts: list[ast.expr] = []
    packs_text = ""
    if packs is not None:
        packs_text = "num_packs={0}"
        parts.append(packs)
    if algorithm is None:
        return Code(f"{core}.NcclAllReduce({packs_text})", tuple(parts))
    if isinstance(algorithm, ast.Constant):
        if algorithm.value not in _ALGORITHMS:
            raise Refusal(algorithm, "the all-reduce algorithm is unknown")
        return Code(f"{core}.{_ALGORITHMS[algorithm.value]}({packs_text})", tuple(parts))
    if not isinstance(algorithm, (ast.Name, ast.Attribute)):
        raise Refusal(algorithm, "the all-reduce algorithm is neither a string nor a name")
    nccl, other = (f"{core}.{name}({packs_text})" for name in _ALGORITHMS.values())
    place = f"{{{len(parts)}}}"
    line = "\n    "
    return Code(f"({line}{nccl} if {place} == 'nccl'{line}else {other})", (*parts, algorithm))


def _distribute_config(module: Module, call: ast.Call) -> Iterator[Edit]:
    """Yields the edit that gives a RunConfig the strategies of a DistributeConfig themselves."""
    keyword = module.parent(call)
    holder = module.parent(keyword)
    names = ("train_distribute", "eval_distribute")
    if (
        not isinstance(keyword, ast.keyword)
        or keyword.arg != "experimental_distribute"
        or not isinstance(holder, ast.Call)
        or module.resolve(holder.func) != "tensorflow.estimator.RunConfig"
        or any(k.arg in names for k in holder.keywords)
        or len(call.args) > len(names)
        or any(k.arg not in names for k in call.keywords)
    ):
        raise Refusal(call, "it is not the experimental_distribute argument of a RunConfig")
    strategies = named_arguments(call, names)
    arguments: list[tuple[str, ast.expr]] = [("", value) for value in holder.args]
    for other in holder.keywords:
        if other is keyword:
            arguments += strategies.items()
        elif other.arg is None:
            raise Refusal(holder, "RunConfig has ** arguments")
        else:
            arguments.append((other.arg, other.value))
    texts = [f"{name}={{{i}}}" if name else f"{{{i}}}" for i, (name, _) in enumerate(arguments)]
    parts = tuple(value for _, value in arguments)
    line = "\n    "
    text = f"{ast.unparse(holder.func)}({line}{f',{line}'.join(texts)})"
    yield ReplaceExpression(holder, Code(text, parts))


def without_imports(module: Module) -> Iterator[Edit]:
    """Yields the edits that remove the imports of tf.contrib.distribute."""
    if any(name.startswith(_SOURCE[:-1]) for _, name in aliases(module)):
        raise Refusal(module.tree, "a variable holds tf.contrib.distribute")
    for binding in imports(module):
        if isinstance(binding.statement, ast.Import) and not binding.alias.asname:
            if f"{binding.alias.name}.".startswith(_SOURCE):
                raise Refusal(binding.statement, "the import also binds the name tensorflow")
        elif f"{binding.qualified}.".startswith(_SOURCE):
            yield ChangeImport(binding.statement, binding.alias, "")
        elif binding.qualified == "tensorflow.contrib":
            uses = module.uses_through(binding)
            if uses and all(use.qualified.startswith(_SOURCE) for use in uses):
                yield ChangeImport(binding.statement, binding.alias, "")
