"""How the model function of an Estimator is replicated, as a tf.distribute strategy."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tfmigrate.families.native.conversion import Conversion, called, refuse
from tfmigrate.families.native.tensors import source
from tfmigrate.families.replicate_model_fn.wrapper_call import Wrapper, read_wrapper
from tfmigrate.model.edits import Code
from tfmigrate.resolve.module import Module
from tfmigrate.tables.family_names import WRAPPER


@dataclass
class Replication:
    """The model function of an Estimator, and what replicates it.

    Attributes:
        module: the file.
        model_fn: the model function itself.
        wrapper: the call of replicate_model_fn; None for none.
        strategy: the variable of the strategy; "" for none.
    """

    module: Module
    model_fn: ast.expr
    wrapper: Wrapper | None = None
    strategy: str = ""

    def check(self, summed: bool, place: ast.AST) -> None:
        """Refuses a loss that is combined in another way than it is computed."""
        if self.wrapper is None:
            return
        reduction = self.wrapper.loss_reduction
        sums = reduction is not None and ast.unparse(reduction).rpartition(".")[2] == "SUM"
        if reduction is not None and not sums:
            refuse(reduction, f"the loss reduction `{ast.unparse(reduction)}`")
        if sums != summed:
            how = ("mean", "sum")
            text = f"towers are combined by their {how[sums]}, and the loss is a {how[summed]}"
            refuse(reduction or place, text)

    def statements(self, plan: Conversion, module: Module, place: ast.stmt) -> Iterator[Code]:
        """Yields the statement that makes the strategy, and removes the wrapper's own."""
        if self.wrapper is None:
            return
        made = self._made(plan, module)
        holder = module.statement(self.wrapper.call)
        if isinstance(holder, ast.Assign) and holder.value is self.wrapper.value:
            plan.replace_statement(module, holder, made)
        else:
            yield made

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
        made, other = f"{target}({', '.join(arguments)})", "tf.distribute.get_strategy()"
        if wrapper.negated:
            made, other = other, made
        text = f"(\n    {made}\n    if {test} else {other})"
        return Code(f"{self.strategy} = {text}", tuple(parts))


def replication_of(plan: Conversion, module: Module, node: ast.expr) -> Replication:
    """Returns how the argument ``model_fn`` of an Estimator is replicated.

    Raises:
        Refusal: it cannot be followed.
    """
    value = source(module, node)
    calls = [n for n in ast.walk(value) if isinstance(n, ast.Call) and called(module, n) == WRAPPER]
    if not calls:
        return Replication(module, node)
    if len(calls) > 1:
        refuse(value, "the model function is wrapped several times")
    wrapper = read_wrapper(module, calls[0])
    if wrapper.other is not None and ast.unparse(wrapper.other) != ast.unparse(wrapper.model_fn):
        refuse(wrapper.other, "another model function is used without replicas")
    bound = module.names.bindings_of("strategy")
    return Replication(
        module, wrapper.model_fn, wrapper, "strategy" if not bound else "keras_strategy"
    )
