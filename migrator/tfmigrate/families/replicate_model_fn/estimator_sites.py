"""Which Estimator is built from a replicated model function, and how its code must change.

replicate_model_fn wrapped a function; a strategy belongs to a RunConfig, and so to an Estimator.
So every wrapper is resolved up to its Estimators. Where the name is reassigned on the way, used for
something else or returned, the strategy could reach an Estimator that never had towers, or miss
one that had: each of these is a refusal.
"""

import ast

from tfmigrate.families.replicate_model_fn.attribute_sites import (
    estimators_of_attribute,
    is_wrapped,
)
from tfmigrate.families.replicate_model_fn.family import references, remove_statement
from tfmigrate.families.replicate_model_fn.wrapper_call import read_wrapper
from tfmigrate.model.edits import (
    AddKeywords,
    Code,
    Edit,
    InsertBefore,
    ReplaceExpression,
    ReplaceStatement,
    SetArgument,
)
from tfmigrate.resolve.calls import argument, has_star_arguments, same
from tfmigrate.resolve.control_flow import Meeting, exclusive, meeting
from tfmigrate.resolve.estimator_classes import is_estimator
from tfmigrate.resolve.origins import is_self
from tfmigrate.resolve.scopes import AssignBinding, Scope, is_none, place_of
from tfmigrate.rulekit.basics import Module, Program, Refusal
from tfmigrate.rulekit.runtime_import import runtime_name
from tfmigrate.tables.family_names import WRAPPER as WRAPPER_NAME

RUN_CONFIG = "tensorflow.estimator.RunConfig"
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.Expr, ast.Return)
_SEPARATE_NAME = "use a separate name for the other value"
_SEPARATE_STATEMENT = "build the Estimator in a separate statement"


class WrapperPlan:
    """The edits that turn one wrapper into a strategy for its Estimators.

    Attributes:
        edits: the edits, all of one module.
    """

    def __init__(self, program: Program, module: Module, call: ast.Call, tensorflow: str) -> None:
        """Plans the edits.

        Args:
            call: the replicate_model_fn call.
            tensorflow: the local name of tensorflow.

        Raises:
            Refusal: the wrapper's result cannot be resolved.
        """
        self._program, self._module = program, module
        self._tensorflow = tensorflow
        self._estimator = program.estimator  # tf.estimator stays
        self._wrapper = read_wrapper(module, call)
        self._name = "strategy"
        self.edits: list[Edit] = []
        parent = module.parent(self._wrapper.value)
        if isinstance(parent, (ast.Call, ast.keyword)):
            self._plan_inline(parent)
        elif isinstance(parent, ast.Assign) and len(parent.targets) == 1:
            self._plan_assigned(parent)
        else:
            raise Refusal(call, _unfollowed(parent))

    def _plan_inline(self, parent: ast.Call | ast.keyword) -> None:
        module, wrapper = self._module, self._wrapper
        estimator = parent if isinstance(parent, ast.Call) else module.parent(parent)
        assert isinstance(estimator, ast.AST)
        if not isinstance(estimator, ast.Call) or not is_estimator(module, estimator):
            raise Refusal(wrapper.call, "its result is not passed to an Estimator")
        if argument(estimator, 0, "model_fn") is not wrapper.value:
            raise Refusal(wrapper.call, "its result is not the `model_fn` of the Estimator")
        statement = _statement_run_once(module, estimator)
        self._name = self._free_name("")
        self.edits.append(InsertBefore(statement, self._strategy_code()))
        self.edits.append(ReplaceExpression(wrapper.value, self._model_fn_code()))
        self._configure(estimator)

    def _plan_assigned(self, statement: ast.Assign) -> None:
        wrapper = self._wrapper
        target = statement.targets[0]
        if isinstance(target, ast.Attribute) and is_self(self._module, target.value):
            self._plan_attribute(statement, target)
            return
        if not isinstance(target, ast.Name):
            raise Refusal(
                wrapper.call,
                f"its result is assigned to `{ast.unparse(target)}`, not to a plain variable",
            )
        scope, estimators = self._estimators_of(target)
        if scope is not self._module.names.scope_of[statement]:
            raise Refusal(wrapper.call, f"its result is assigned to an outer `{target.id}`")
        stores = self._other_stores(scope, target.id, statement)
        places = [self._place(statement, e) for e in estimators]
        top = places[0].first
        for place in places:
            for store in stores:
                self._check_store(store, statement, place)
            self._check_other_bindings(scope, target.id, statement, place)
        self._name = self._free_name(target.id)
        guarded = any(place.first is not statement for place in places)
        self._edit_assignment(statement, target.id, stores, estimators, top if guarded else None)
        for estimator in estimators:
            self._configure(estimator)

    def _plan_attribute(self, statement: ast.Assign, target: ast.Attribute) -> None:
        estimators = estimators_of_attribute(self._program, self._module, target)
        places = [self._place(statement, e) for e in estimators]
        self._name = self._free_name("")
        guarded = any(place.first is not statement for place in places)
        guard = places[0].first if guarded else None
        self._edit_assignment(statement, ast.unparse(target), [], estimators, guard)
        for estimator in estimators:
            self._configure(estimator)

    def _place(self, statement: ast.stmt, estimator: ast.Call) -> Meeting:
        place = meeting(self._module, statement, estimator)
        if place is None or place.first is place.second:
            raise Refusal(estimator, "the Estimator is built in another function or branch")
        if not place.in_order:
            text = "the Estimator is built before the model function is wrapped"
            raise Refusal(estimator, text, "wrap the model function first")
        return place

    def _edit_assignment(
        self,
        statement: ast.Assign,
        name: str,
        stores: list[ast.Assign],
        estimators: list[ast.Call],
        guard: ast.stmt | None,
    ) -> None:
        """Edits the assignment of the wrapper, its guard, and the Estimators' model_fn."""
        wrapper = self._wrapper
        strategy = self._strategy_code()
        itself = ast.unparse(wrapper.model_fn) == name
        is_local = isinstance(statement.targets[0], ast.Name)
        # Two model functions: the condition that selects one selects the strategy, too.
        if wrapper.test is not None and not same(wrapper.model_fn, wrapper.other):
            model_fn = self._model_fn_code()
            assignment = Code(f"{name} = {model_fn.template}", model_fn.parts)
            self.edits.append(ReplaceStatement(statement, (strategy, assignment)))
        elif itself or any(
            same(s.value, wrapper.model_fn) for s in stores if s.lineno < statement.lineno
        ):
            self.edits.append(ReplaceStatement(statement, (strategy,)))
        elif (
            is_local
            and self._is_plain(wrapper.model_fn)
            and all(same(s.value, wrapper.model_fn) for s in stores)
        ):
            self.edits.append(ReplaceStatement(statement, (strategy,)))
            for estimator in estimators:
                used = argument(estimator, 0, "model_fn")
                assert used is not None
                self.edits.append(ReplaceExpression(used, Code(ast.unparse(wrapper.model_fn))))
            # The `else` sets the strategy to None, and needs no line above the `if` for it.
            if guard is not None and len(stores) == 1 and _is_whole_else(guard, stores[0]):
                self.edits.append(ReplaceStatement(stores[0], (Code(f"{self._name} = None"),)))
                return
            self.edits += [remove_statement(self._module, store) for store in stores]
        else:
            assignment = Code(f"{name} = {{0}}", (wrapper.model_fn,))
            self.edits.append(ReplaceStatement(statement, (strategy, assignment)))
        if guard is not None:
            # The Estimator below the `if` reads the strategy on either path.
            self.edits.append(InsertBefore(guard, Code(f"{self._name} = None")))

    def _is_plain(self, node: ast.expr) -> bool:
        """Returns whether a name means the same everywhere in its scope."""
        return len(self._module.bindings(node)) == 1

    def _estimators_of(self, target: ast.Name) -> tuple[Scope, list[ast.Call]]:
        """Returns the scope of a wrapped model function and the Estimators built from it."""
        module = self._module
        scope = module.scope(target)
        assert scope is not None
        estimators = []
        for node in module.reads(target.id, scope):
            if is_wrapped(module, node):
                continue
            holder = module.parent(node)
            call = module.parent(holder) if isinstance(holder, ast.keyword) else holder
            is_model_fn = isinstance(call, ast.Call) and argument(call, 0, "model_fn") is node
            if is_model_fn and isinstance(call, ast.Call) and is_estimator(module, call):
                estimators.append(call)
            # Above the wrapper the name means the plain model function.
            elif node.lineno > target.lineno:
                text = f"`{node.id}` is used for more than building Estimators"
                raise Refusal(node, text, f"use `{node.id}` only as the `model_fn` of Estimators")
        if not estimators:
            raise Refusal(target, f"no tf.estimator.Estimator is built from `{target.id}` here")
        return scope, sorted(estimators, key=module.position)

    def _other_stores(self, scope: Scope, name: str, statement: ast.Assign) -> list[ast.Assign]:
        calls = references(self._module, WRAPPER_NAME).calls
        stores = []
        for binding in scope.bindings[name]:
            if isinstance(binding, AssignBinding) and isinstance(binding.statement, ast.Assign):
                wraps = any(node in calls for node in ast.walk(binding.value))
                if binding.statement is not statement and not wraps:
                    stores.append(binding.statement)
        return stores

    def _check_store(self, store: ast.Assign, statement: ast.Assign, place: Meeting) -> None:
        """Refuses an assignment that would separate the model function from its strategy."""
        if store.lineno < statement.lineno or store.lineno > place.second.lineno:
            return
        if place.first in (store, *self._module.ancestors(store)) and exclusive(
            self._module, store, statement
        ):
            return
        raise Refusal(store, "the wrapped model function is reassigned", _SEPARATE_NAME)

    def _check_other_bindings(
        self, scope: Scope, name: str, statement: ast.Assign, place: Meeting
    ) -> None:
        """Refuses a loop, function, import ... that binds the name before the Estimator."""
        for binding in scope.bindings[name]:
            node = place_of(binding)
            line = getattr(node, "lineno", 0)
            last = place.second.end_lineno or place.second.lineno
            if not isinstance(node, ast.Assign) and statement.lineno < line <= last:
                raise Refusal(node, f"`{name}` is reassigned", _SEPARATE_NAME)

    def _strategy_code(self) -> Code:
        wrapper = self._wrapper
        call = f"{self._tensorflow}.distribute.MirroredStrategy"
        reduction = self._reduction()
        if wrapper.test is None:
            parts = (wrapper.devices,) if wrapper.devices is not None else ()
            arguments = (*(("{0}",) if parts else ()), *reduction)
            return Code(f"{self._name} = {call}", parts, arguments or ("",))
        devices = ", ".join([*(["{1}"] if wrapper.devices is not None else []), *reduction])
        pieces = (wrapper.test,) if wrapper.devices is None else (wrapper.test, wrapper.devices)
        chosen = f"{call}({devices}) if {{0}} else None"
        if wrapper.negated:
            chosen = f"None if {{0}} else {call}({devices})"
        if self._estimator:
            first, word, tail = chosen.partition(" if ")
            chosen = f"(\n    {first}\n    {word.strip()} {tail})"
        return Code(f"{self._name} = {chosen}", pieces)

    def _reduction(self) -> list[str]:
        """Returns the argument that selects how gradients are added up, none for the default.

        The default of TensorFlow 2.15 fails on sparse gradients of different lengths; towers also
        added theirs on one device. The runtime selects it by itself.
        """
        if not self._estimator:
            return []
        return [f"cross_device_ops={self._tensorflow}.distribute.ReductionToOneDevice()"]

    def _model_fn_code(self) -> Code:
        wrapper = self._wrapper
        if wrapper.test is None or wrapper.other is None or same(wrapper.model_fn, wrapper.other):
            return Code("{0}", (wrapper.model_fn,))
        first, second = wrapper.model_fn, wrapper.other
        if wrapper.negated:
            first, second = second, first
        return Code("{0} if {1} else {2}", (first, wrapper.test, second))

    def _configure(self, estimator: ast.Call) -> None:
        """Passes the strategy to an Estimator, through its RunConfig."""
        if has_star_arguments(estimator):
            text = "the arguments of the Estimator are passed by `*` or `**`"
            raise Refusal(estimator, text, "pass each argument explicitly")
        package = runtime_name(self._module)
        fields = self._fields()
        if self._estimator:
            package = f"{self._tensorflow}.estimator"
        run_config = f"{package}.RunConfig"
        if (config := argument(estimator, 2, "config")) is None or is_none(config):
            code = Code(run_config, (), tuple(fields))
            self.edits.append(SetArgument(estimator, "config", code, config))
        elif self._can_take_fields(config):
            assert isinstance(config, ast.Call)
            # A call on several lines keeps them.
            if config.lineno != config.end_lineno:
                self.edits.append(AddKeywords(config, tuple(fields)))
                return
            values = (*config.args, *(keyword.value for keyword in config.keywords))
            names = [*("" for _ in config.args), *(f"{k.arg or '**'}=" for k in config.keywords)]
            placeholders = [f"{n.replace('**=', '**')}{{{i}}}" for i, n in enumerate(names)]
            code = Code(run_config, values, (*placeholders, *fields))
            self.edits.append(SetArgument(estimator, "config", code, config))
        else:
            atom = isinstance(config, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
            old = "{0}" if atom else "({0})"
            # An Estimator takes None as its config; None has no `replace`.
            if self._may_be_none(config):
                old = f"({old} or {run_config}())"
            code = Code(f"{old}.replace", (config,), tuple(fields))
            self.edits.append(SetArgument(estimator, "config", code, config))

    def _fields(self) -> list[str]:
        """Returns the arguments of the RunConfig for the strategy."""
        fields = [f"train_distribute={self._name}", f"eval_distribute={self._name}"]
        reduction = self._wrapper.loss_reduction
        if self._estimator:
            # In evaluation tf.estimator reports the mean over replicas; a single replica with
            # the whole batch reports the sum.
            return fields if reduction is None else fields[:1]
        # Towers split one batch; with train_distribute each replica takes one (semantics.md, 1.1).
        fields.append("global_batch=True")
        if reduction is not None:
            fields.append(f"loss_reduction={ast.unparse(reduction)}")
        return fields

    def _can_take_fields(self, config: ast.expr) -> bool:
        """Returns whether a config is a RunConfig call without a strategy.

        Raises:
            Refusal: it already has a strategy.
        """
        if not isinstance(config, ast.Call) or self._module.resolve(config.func) != RUN_CONFIG:
            return False
        strategy_keywords = [
            k for k in config.keywords if k.arg in ("train_distribute", "eval_distribute")
        ]
        for keyword in strategy_keywords:
            if not is_none(keyword.value):
                text = f"the RunConfig of the Estimator already has `{keyword.arg}`"
                raise Refusal(config, text, f"remove `{keyword.arg}`")
        return not strategy_keywords

    def _may_be_none(self, config: ast.expr) -> bool:
        """Returns whether a config may be None, as a parameter that defaults to None."""
        if isinstance(config, ast.IfExp):
            return any(is_none(e) for e in (config.body, config.orelse))
        if not isinstance(config, ast.Name):
            return False
        function = self._module.function(config)
        if isinstance(function, ast.Module):
            return False
        arguments = function.args
        positional = [*arguments.posonlyargs, *arguments.args]
        defaults = dict(
            zip([a.arg for a in reversed(positional)], reversed(arguments.defaults), strict=False)
        )
        defaults |= {
            a.arg: d for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d
        }
        default = defaults.get(config.id)
        return is_none(default)

    def _free_name(self, wrapped: str) -> str:
        """Returns a name for the strategy that is free in the module.

        Args:
            wrapped: the name of the wrapped model function, "" if it has none.
        """
        module, function = self._module, self._module.function(self._wrapper.call)
        wrappers = references(module, WRAPPER_NAME).calls
        here = {_target(module, call) for call in wrappers if module.function(call) is function}
        candidates = ["strategy", "mirrored_strategy", "distribution_strategy"]
        if len(here) > 1:
            number = sorted(here).index(_target(module, self._wrapper.call)) + 1
            candidates = [f"{wrapped}_strategy" if wrapped else f"strategy_{number}"]
        return module.names.free_name(*candidates, "replicate_model_fn_strategy")


def _is_whole_else(guard: ast.stmt, store: ast.stmt) -> bool:
    return isinstance(guard, ast.If) and guard.orelse == [store]


def _target(module: Module, call: ast.Call) -> str:
    statement = module.statement(call)
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    return f"line {statement.lineno:06d}"  # with zeros texts sort as numbers do


def _statement_run_once(module: Module, node: ast.AST) -> ast.stmt:
    """Returns the statement of an Estimator call before which the strategy can be created."""
    for ancestor in module.ancestors(node):
        if isinstance(ancestor, (ast.Lambda, ast.comprehension, ast.GeneratorExp, ast.ListComp)):
            text = "the Estimator is built in a lambda or a comprehension"
            raise Refusal(node, text, _SEPARATE_STATEMENT)
        if isinstance(ancestor, ast.stmt):
            break
    statement = module.statement(node)
    if not isinstance(statement, _SIMPLE):
        text = "the Estimator is built in the header of a compound statement"
        raise Refusal(node, text, _SEPARATE_STATEMENT)
    return statement


def _unfollowed(parent: ast.AST) -> str:
    if isinstance(parent, ast.Return):
        return "its result is returned from a function"
    if isinstance(parent, (ast.Assign, ast.AnnAssign)):
        return "its result is assigned to several targets, or with an annotation"
    return "its result is used in an unsupported way"
