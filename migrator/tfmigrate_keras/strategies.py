"""How the model function of an Estimator is replicated, as a tf.distribute strategy.

A batch is global under Keras. Towers of replicate_model_fn split one, too; replicas of
``train_distribute`` took one each (semantics.md, 1m), so that as many batches are joined. Losses
are means over the global batch: where a program combined means by their sum, or sums by their mean,
it keeps its default form.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tfmigrate.families.distribute.core_strategies import edits_of_use
from tfmigrate.families.replicate_model_fn.wrapper_call import Wrapper, read_wrapper
from tfmigrate.model.edits import AddKeywords, Code, ReplaceStatement
from tfmigrate.resolve.calls import called
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.scopes import is_none, root_of
from tfmigrate.tables.family_names import WRAPPER
from tfmigrate.tables.runtime_api import DISTRIBUTE
from tfmigrate_keras.conversion import Conversion, last_value, local_values, refuse
from tfmigrate_keras.own_functions import definition
from tfmigrate_keras.run_config import RunConfig, strategy_name
from tfmigrate_keras.tensors import source

_PACKAGES = ("tensorflow.distribute", "tensorflow.contrib.distribute")
_ONE = tuple(f"{package}.OneDeviceStrategy" for package in _PACKAGES)
_SEVERAL = tuple(f"{package}.MirroredStrategy" for package in _PACKAGES)
_REDUCTIONS = ("ReductionToOneDevice", "HierarchicalCopyAllReduce", "NcclAllReduce")
_KEPT = tuple(
    f"tensorflow.distribute.{name}"
    for name in ("OneDeviceStrategy", "MirroredStrategy", "get_strategy", *_REDUCTIONS)
)


@dataclass
class Replication:
    """The model function of an Estimator, and what replicates it.

    Attributes:
        module: the file.
        model_fn: the model function itself.
        wrapper: the call of replicate_model_fn; None for none.
        strategy: the variable of the strategy; "" for none.
        distribute: ``train_distribute`` of the RunConfig where the Estimator's statement makes it.
        plain: the assignment of the model function without replicas, where a branch chooses.
        per_replica: whether each replica takes separate batches of the Dataset.
        is_global: whether the RunConfig has the replicas share each batch, as towers did.
        loss_reduction: how the RunConfig combines their losses; None where it does not say.
    """

    module: Module
    model_fn: ast.expr
    wrapper: Wrapper | None = None
    strategy: str = ""
    distribute: ast.expr | None = None
    plain: ast.stmt | None = None
    per_replica: bool = False
    is_global: bool = False
    loss_reduction: ast.expr | None = None

    @property
    def has_towers(self) -> bool:
        """Whether there were towers, which shared each batch."""
        return self.wrapper is not None or self.is_global

    def check(self, summed: bool | None, place: ast.AST) -> None:
        """Refuses a loss that is combined in another way than it is computed."""
        if self.per_replica and summed:
            refuse(place, "the loss is a sum, of which `train_distribute` took the mean")
        if not self.has_towers:
            return
        reduction = self.wrapper.loss_reduction if self.wrapper else self.loss_reduction
        sums = reduction is not None and ast.unparse(reduction).rpartition(".")[2] == "SUM"
        if reduction is not None and not sums:
            refuse(reduction, f"the loss reduction `{ast.unparse(reduction)}`")
        if sums and summed is None:
            refuse(place, "towers are combined by their sum, and the loss is not a class of Keras")
        if summed is not None and sums != summed:
            how = ("mean", "sum")
            text = f"towers are combined by their {how[sums]}, and the loss is a {how[summed]}"
            refuse(reduction or place, text)

    def statements(self, plan: Conversion, module: Module, place: ast.stmt) -> Iterator[Code]:
        """Yields the statement that makes the strategy, and removes the wrapper's own."""
        if self.distribute is not None:
            yield Code(f"{self.strategy} = {{0}}", (self.distribute,))
        if self.wrapper is None:
            return
        assignment = self._made(plan, module)
        holder = module.statement(self.wrapper.call)
        if self.plain is not None:
            plain = Code(f"{self.strategy} = tf.distribute.get_strategy()")
            plan.replace_statement(module, self.plain, plain)
        if isinstance(holder, ast.Assign) and holder.value is self.wrapper.value:
            plan.replace_statement(module, holder, assignment)
        else:
            yield assignment

    def _made(self, plan: Conversion, module: Module) -> Code:
        wrapper = self.wrapper
        assert wrapper is not None
        parts: list[ast.expr] = []
        arguments = []
        if wrapper.devices is not None:
            parts.append(wrapper.devices)
            arguments.append("{0}")
        # steps_per_execution does not work with the default
        arguments.append("cross_device_ops=tf.distribute.ReductionToOneDevice()")
        target = "tf.distribute.MirroredStrategy"
        if wrapper.test is None:
            return Code(f"{self.strategy} = {target}", tuple(parts), tuple(arguments))
        test = f"{{{len(parts)}}}"
        parts.append(wrapper.test)
        choice, other = f"{target}({', '.join(arguments)})", "tf.distribute.get_strategy()"
        if wrapper.negated:
            choice, other = other, choice
        text = f"(\n    {choice}\n    if {test} else {other})"
        return Code(f"{self.strategy} = {text}", tuple(parts))


def replication_of(
    plan: Conversion, module: Module, node: ast.expr, config: RunConfig
) -> Replication:
    """Returns how the argument ``model_fn`` of an Estimator is replicated.

    Raises:
        Refusal: it cannot be followed.
    """
    value = source(module, node)
    if isinstance(value, ast.Name):
        value = last_value(module, value) or value  # a branch may choose
    calls = [n for n in ast.walk(value) if isinstance(n, ast.Call) and called(module, n) == WRAPPER]
    if config.strategy is not None:
        if calls:
            refuse(config.strategy, "replicate_model_fn and `train_distribute`")
        return _distributed(plan, module, node, config)
    if not calls:
        return Replication(module, node)
    if len(calls) > 1:
        refuse(value, "the model function is wrapped several times")
    wrapper = read_wrapper(module, calls[0])
    if wrapper.other is not None and ast.unparse(wrapper.other) != ast.unparse(wrapper.model_fn):
        refuse(wrapper.other, "another model function is used without replicas")
    replication = Replication(module, wrapper.model_fn, wrapper, strategy_name(module))
    if isinstance(node, ast.Name) and wrapper.test is None:
        _find_plain(module, node, wrapper, replication)
    return replication


def _find_plain(module: Module, node: ast.Name, wrapper: Wrapper, replication: Replication) -> None:
    """Finds ``f = model_fn`` of ``f = model_fn; if FLAGS.gpus: f = replicate_model_fn(f)``.

    Raises:
        Refusal: the variable may hold something else.
    """
    values = local_values(module, node) or []
    others = [value for value in values if value is not wrapper.value]
    branch = module.parent(module.statement(wrapper.call))
    chosen = isinstance(branch, ast.If) and branch not in module.ancestors(node)
    if not chosen and not others:
        return
    if not chosen or len(others) != 1:
        refuse(node, f"`{node.id}` is assigned several times")
    plain = others[0]
    inner = wrapper.model_fn
    itself = isinstance(inner, ast.Name) and inner.id == node.id
    if not itself and ast.dump(inner) != ast.dump(plain):
        refuse(inner, "another model function is used without replicas")
    replication.model_fn, replication.plain = plain, module.statement(plain)


def _distributed(
    plan: Conversion, module: Module, node: ast.expr, config: RunConfig
) -> Replication:
    """Returns how a model is replicated by ``train_distribute`` of its RunConfig."""
    strategy = config.strategy
    assert strategy is not None
    if config.home is not module:
        refuse(strategy, "the strategy is made in another file than the Estimator")
    leaves = list(_strategies(plan, module, strategy))
    several = any(called(home, leaf) not in _ONE for home, leaf in leaves)
    inserted = None
    if not isinstance(strategy, ast.Name) and not (
        plan.is_removed(strategy) or _is_placed(plan, strategy)
    ):
        inserted = strategy
    return Replication(
        module,
        node,
        strategy=strategy.id if isinstance(strategy, ast.Name) else strategy_name(module),
        distribute=inserted,
        per_replica=several and not config.global_batch,
        is_global=several and config.global_batch,
        loss_reduction=config.loss_reduction,
    )


def _is_placed(plan: Conversion, strategy: ast.expr) -> bool:
    """Returns whether a statement holds the strategy already, in the place of the RunConfig."""
    return any(
        isinstance(edit, ReplaceStatement) and any(strategy in code.parts for code in edit.codes)
        for edits in plan.edits.values()
        for edit in edits
    )


def _strategies(
    plan: Conversion, module: Module, node: ast.expr
) -> Iterator[tuple[Module, ast.expr]]:
    """Yields the calls that may make a strategy; None becomes the strategy of one device.

    Raises:
        Refusal: it is not known what makes the strategy.
    """
    if isinstance(node, ast.Name) and (values := local_values(module, node)):
        for value in values:
            yield from _strategies(plan, module, value)
    elif isinstance(node, ast.IfExp):
        yield from _strategies(plan, module, node.body)
        if is_none(node.orelse) and _is_plain(module, node.body):
            _or_default(plan, module, node)
        else:
            yield from _strategies(plan, module, node.orelse)
    elif is_none(node):
        plan.replace(module, node, Code("tf.distribute.get_strategy()"))
    elif called(module, node) in (*_ONE, *_SEVERAL):
        yield module, node
    else:
        callee = definition(plan, module, node.func) if isinstance(node, ast.Call) else None
        if callee is None:
            refuse(node, f"cannot determine which strategy `{ast.unparse(node)[:60]}` is")
        home, function = callee
        if plan.first_time(function):
            for statement in home.returns(function):
                if statement.value is not None:
                    yield from _strategies(plan, home, statement.value)


def _is_plain(module: Module, node: ast.expr) -> bool:
    """Returns whether a MirroredStrategy has no more arguments than its devices."""
    if not isinstance(node, ast.Call) or called(module, node) != _SEVERAL[0]:
        return False
    return len(node.args) < 2 and not node.keywords


def _or_default(plan: Conversion, module: Module, node: ast.IfExp) -> None:
    """Replaces ``MirroredStrategy() if test else None``, which may not fit on a line any more."""
    call = node.body
    assert isinstance(call, ast.Call)
    root = ast.unparse(root_of(call.func))
    reduction = f"cross_device_ops={root}.distribute.ReductionToOneDevice()"
    arguments = ", ".join([*("{1}" for _ in call.args), reduction])
    call_text = f"{module.code(call.func)}({arguments})"
    text = f"(\n    {call_text}\n    if {{0}} else {root}.distribute.get_strategy())"
    plan.replace(module, node, Code(text, (node.test, *call.args)))


def convert_strategies(plan: Conversion) -> None:
    """Plans the edits of names of tf.contrib.distribute and of tf.distribute.

    Raises:
        Refusal: TensorFlow 2 has no equivalent.
    """
    for module in plan.program.modules:
        for use in module.uses:
            if plan.is_removed(use.node) or not use.imported:
                continue
            if use.qualified.startswith(f"{DISTRIBUTE.source}."):
                plan.first_time(use.node)
                plan.edits[module] += edits_of_use(module, use, sparse=True)
            elif use.qualified in _KEPT:
                plan.first_time(use.node)
                _reduce_to_one_device(plan, module, use.node)


def _reduce_to_one_device(plan: Conversion, module: Module, node: ast.expr) -> None:
    """Gives a MirroredStrategy a reduction with which several steps can be one call."""
    call = module.parent(node)
    if called(module, call) not in _SEVERAL or not isinstance(call, ast.Call):
        return
    if len(call.args) < 2 and not any(k.arg == "cross_device_ops" for k in call.keywords):
        root = ast.unparse(root_of(node))
        reduction = f"cross_device_ops={root}.distribute.ReductionToOneDevice()"
        plan.edits[module].append(AddKeywords(call, (reduction,)))
