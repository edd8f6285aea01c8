"""Collections of a program's own: lists that code of the graph adds tensors to."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tfmigrate.families.native.conversion import Conversion, called, free_name, literal, refuse
from tfmigrate.families.native.own_functions import definition
from tfmigrate.families.native_steps.graph import Graph, Kind
from tfmigrate.families.native_steps.late import Late
from tfmigrate.families.native_steps.reuse import calls_of_function
from tfmigrate.model.edits import Code, InsertBefore
from tfmigrate.resolve.calls import argument, has_star_arguments
from tfmigrate.resolve.scopes import is_none

_ADD, _GET = "tensorflow.add_to_collection", "tensorflow.get_collection"
_NAMED = "tensorflow.name_scope"
_LOSSES = ("tensorflow.losses.", "tensorflow.contrib.losses.")
_VARIABLES = ("tensorflow.get_variable", "tensorflow.Variable")
# TensorFlow adds to these itself; to "losses" only in functions of its own losses.
_OF_TENSORFLOW = (
    *("variables", "local_variables", "model_variables", "trainable_variables", "summaries"),
    *("update_ops", "regularization_losses", "moving_average_variables", "train_op", "init_op"),
    *("global_step", "queue_runners", "table_initializer", "savers", "ready_op", "cond_context"),
    *("while_context", "metric_variables", "eval_step", "concatenated_variables", "resources"),
)


class OwnCollections:
    """The collections of one graph.

    Attributes:
        names: the variables of their lists, by their keys.
    """

    def __init__(self, plan: Conversion, graph: Graph) -> None:
        self._plan = plan
        self._graph = graph
        self._module = graph.module
        self.names: dict[str, str] = {}
        self._scopes: set[ast.withitem] = set()

    def convert(self, late: Sequence[Late] = ()) -> list[Code]:
        """Plans the edits; returns the statements that the function of the graph begins with.

        Raises:
            Refusal: what a collection holds is not known.
        """
        module = self._module
        added = [c for c in module.calls_of(_ADD) if self._is_own(c)]
        if not added:
            return []
        read = [c for c in module.calls_of(_GET) if self._is_own(c)]
        self._check_calls([*added, *read])
        for late_leaf in (leaf for group in late for leaf in group.leaves):
            if self._uses(late_leaf, set()):
                refuse(late_leaf, "a collection is used below the session")
        self._check_places()
        if self._graph.towers is not None:
            self._check_names_of_scopes()
        for call in added:
            value = _value(call)
            assert value is not None
            if self._graph.towers is not None:
                self._check_value(value)
            self._plan.replace(module, call, Code(f"{self._list(call)}.append({{0}})", (value,)))
        for call in read:
            self._check_scope(call)
            parent = module.parent(call)
            direct = called(module, parent) == "tensorflow.add_n"
            name = self._list(call)
            self._plan.replace(module, call, Code(name if direct else f"list({name})"))
        return list(self._beginnings([*added, *read]))

    def _is_own(self, call: ast.Call) -> bool:
        """Says whether a call is of a collection whose key is a text."""
        return isinstance(_key(call), str) and not self._plan.is_removed(call)

    def _check_calls(self, calls: Sequence[ast.Call]) -> None:
        module = self._module
        losses = any(called(module, c).startswith(_LOSSES) for c in module.all(ast.Call))
        for call in calls:
            if has_star_arguments(call) or (called(module, call) == _ADD and _value(call) is None):
                refuse(call, "the arguments of a collection")
            key = _key(call)
            if key in _OF_TENSORFLOW or (key == "losses" and losses):
                refuse(call, f"TensorFlow itself adds to the collection `{key}`")

    def _list(self, call: ast.Call) -> str:
        """Returns the variable of the list of a collection."""
        key = str(_key(call))
        if key not in self.names:
            word = key if key.isidentifier() else "tensors"
            taken = set(self.names.values())
            wanted = [n for n in (f"model_{word}", f"collected_{word}") if n not in taken]
            self.names[key] = free_name(self._module, *wanted, f"{word}_of_model")
        return self.names[key]

    def _uses(self, place: ast.AST, seen: set[ast.AST]) -> bool:
        """Says whether code, or a function that it calls, uses a collection."""
        for call in self._module.all(ast.Call, place):
            if called(self._module, call) in (_ADD, _GET) and self._is_own(call):
                return True
            found = definition(self._plan, self._module, call.func)
            if found is not None and found[1] not in seen:
                seen.add(found[1])
                if self._uses(found[1], seen):
                    return True
        return False

    def _check_places(self) -> None:
        """Refuses collections that several parts of the result would use."""
        graph, module = self._graph, self._module
        around: list[set[ast.withitem]] = []
        for leaf in graph.leaves:
            if not self._uses(leaf, set()) or self._plan.is_removed(leaf):
                continue
            if graph.kinds[leaf] is not Kind.TENSOR:
                refuse(leaf, "a collection is used outside of the tensors of the graph")
            if graph.towers is None:
                continue
            around.append(set(self._scopes_of(leaf)))
            self._scopes = set.intersection(*around)
            if not self._scopes:
                refuse(leaf, "a collection is used outside of the name scope of a tower")
        known = {node for leaf in graph.leaves for node in module.walk(leaf)}
        for call in module.calls_of(_ADD, _GET):
            at_home = module.function(call) is graph.home
            if at_home and call not in known and self._is_own(call):
                refuse(call, "a collection is used outside of the tensors of the graph")

    def _scopes_of(self, leaf: ast.stmt) -> Iterator[ast.withitem]:
        """Yields the name scopes of a tower around a statement."""
        for outer in self._module.ancestors(leaf):
            if isinstance(outer, ast.With) and self._graph.in_towers(outer):
                for item in outer.items:
                    if called(self._module, item.context_expr) == _NAMED:
                        yield item

    def _check_value(self, value: ast.expr) -> None:
        """Refuses what may be no tensor of the tower that adds it: its name has another scope."""
        values = [value]
        if isinstance(value, ast.Name):
            scope = self._module.names.scope_of[value]
            bindings = scope.bindings.get(value.id, [])
            values = [getattr(b, "value", None) or value for b in bindings] or [value]
        for made in values:
            name = called(self._module, made)
            computed = isinstance(made, ast.BinOp) or name.startswith("tensorflow.")
            if not computed or name in _VARIABLES:
                refuse(value, f"`{ast.unparse(value)[:60]}` may not be computed in the tower")

    def _check_names_of_scopes(self) -> None:
        """Refuses scopes whose names may begin anew, where their tensors are of no tower."""
        for call in self._module.calls_of(_NAMED):
            given = argument(call, 0, "name", "default_name")
            text = literal(given)
            plain = isinstance(text, str) and text and not text.endswith("/")
            if not plain and not isinstance(given, (ast.BinOp, ast.Call, ast.JoinedStr)):
                refuse(call, "a name scope that may not be within that of the tower")

    def _check_scope(self, call: ast.Call) -> None:
        """Refuses to read another part of a collection than that of the model, or the tower."""
        scope = argument(call, 1, "scope")
        if self._graph.towers is None:
            if scope is not None and not is_none(scope):
                refuse(scope, "a part of a collection is read")
            return
        if scope is None or is_none(scope):
            refuse(call, "a tower reads what those before it added to a collection")
        if not self._is_scope_of_tower(scope, set()):
            refuse(scope, f"`{ast.unparse(scope)[:60]}` is not known as the scope of the tower")

    def _is_scope_of_tower(self, node: ast.expr, seen: set[ast.AST]) -> bool:
        """Says whether a name means the name scope of a tower, perhaps passed as an argument."""
        if not isinstance(node, ast.Name):
            return False
        module = self._module
        found = module.names.scope_of[node].lookup(node.id)
        if found is None or len(found[1]) != 1:
            return False
        home = found[0].node
        if home is self._graph.home:
            held = [item.optional_vars for item in self._scopes]
            return any(isinstance(name, ast.Name) and name.id == node.id for name in held)
        if not isinstance(home, ast.FunctionDef) or home in seen:
            return False
        names = [a.arg for a in home.args.args]
        calls = calls_of_function(self._plan, module, home)
        if node.id not in names or not calls:
            return False
        given = [argument(call, names.index(node.id), node.id) for call in calls]
        return all(g is not None and self._is_scope_of_tower(g, seen | {home}) for g in given)

    def _beginnings(self, calls: Sequence[ast.Call]) -> Iterator[Code]:
        """Yields the statements that empty the lists; makes those that functions use above them."""
        module = self._module
        places: dict[str, list[ast.Call]] = {}
        for call in calls:
            places.setdefault(self._list(call), []).append(call)
        for name, users in places.items():
            if all(module.function(call) is self._graph.home for call in users):
                yield Code(f"{name} = []")
                continue
            lines = [[call, *module.ancestors(call)] for call in users]
            tops = [next(n for n in line if module.parent(n) is module.tree) for line in lines]
            first = min(tops, key=module.position)
            assert isinstance(first, ast.stmt)
            made = InsertBefore(first, Code(f"{name} = []"), blank_lines=True)
            self._plan.edits[module].append(made)
            yield Code(f"{name}.clear()")


def _key(call: ast.Call) -> object:
    return literal(argument(call, 0, "name", "key"))


def _value(call: ast.Call) -> ast.expr | None:
    return argument(call, 1, "value")
