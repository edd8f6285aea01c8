"""The tags that TensorFlow 1.x gave to the summaries of a graph: unique names of operations."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tfmigrate.families.native.conversion import (
    NOT_WRITTEN_OUT,
    Conversion,
    called,
    literal,
    refuse,
)
from tfmigrate.families.native.own_functions import definition
from tfmigrate.families.native_steps.graph import Graph
from tfmigrate.families.native_steps.scopes import is_scope
from tfmigrate.resolve.calls import argument
from tfmigrate.tables.native.operation_names import (
    HELPERS,
    NAMED,
    NOTHING,
    OPERATORS,
    POSSIBLE,
    TRAINING,
)

KINDS = tuple(f"tensorflow.summary.{name}" for name in ("scalar", "histogram", "image", "audio"))
MERGES = ("tensorflow.summary.merge_all", "tensorflow.summary.merge")
_SCOPES = ("tensorflow.name_scope", "tensorflow.variable_scope")
_BRANCHES = (ast.If, ast.For, ast.While, ast.Try)
_REPEATED = (
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda, ast.IfExp),
    ast.BoolOp,
)
_OPERATORS = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript)
_TRAINING = ("minimize", "compute_gradients", "apply_gradients")
_METHODS = ("get_shape", "as_list", "append", "run", "next_batch", "join", "format", "add_summary")
Names = Mapping[str, str]


@dataclass(frozen=True)
class Tag:
    """A tag of a summary.

    Attributes:
        scope: the scopes around it, each with a slash behind it.
        name: the name that the program gives.
        number: what makes it unique ("_1"); "" for nothing.
    """

    scope: str
    name: str
    number: str

    def __str__(self) -> str:
        return self.scope + self.name + self.number


class Tags:
    """The tags of the summaries of one graph, by following the names of its operations.

    Attributes:
        of: the tags of a call that makes a summary: one, or one of each call of its function.
    """

    def __init__(self, plan: Conversion, graph: Graph) -> None:
        """Follows the statements of the graph.

        Raises:
            Refusal: a tag is not known.
        """
        self.of: dict[ast.Call, list[Tag]] = defaultdict(list)
        self._plan = plan
        self._graph = graph
        self._module = graph.module
        self._used: dict[str, int] = defaultdict(int)
        self._unsure: dict[str, set[str]] = defaultdict(set)
        self._variables: list[str] = []
        self._followed: list[ast.AST] = [graph.home, graph.module.tree]
        self._calls: list[ast.FunctionDef] = []
        self._prefix = ""
        if isinstance(graph.home, ast.FunctionDef):
            body = [s for s in self._module.tree.body if isinstance(s, (ast.Assign, ast.Expr))]
            self._block(body, {}, True)
        self._block(graph.home.body, {}, True)
        self._check_others()

    def _block(self, body: Sequence[ast.stmt], names: Names, sure: bool) -> None:
        for statement in body:
            self._statement(statement, names, sure)

    def _statement(self, node: ast.stmt, names: Names, sure: bool) -> None:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)):
            return
        if isinstance(node, ast.With):
            self._with(node, names, sure)
            return
        branches = isinstance(node, _BRANCHES)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                self._statement(child, names, sure and not branches)
            elif isinstance(child, ast.ExceptHandler):
                self._block(child.body, names, False)
            else:
                self._expression(child, names, sure)

    def _with(self, node: ast.With, names: Names, sure: bool) -> None:
        """Follows a block, within the scopes that it opens."""
        prefix, variables = self._prefix, list(self._variables)
        for item in node.items:
            call = item.context_expr
            if called(self._module, call) in _SCOPES and isinstance(call, ast.Call):
                given = argument(call, 0, "name", "name_or_scope")
                name = self._text(given, names)
                if name is None or not name or name.endswith("/"):
                    # Operations in a scope that is not known may have any name.
                    self._unsure[self._prefix.lower()].add("*")
                    self._unsure[""].add("*")
                    sure = False
                elif sure and not self._is_unsure(name):
                    self._prefix = f"{self._unique(name)}/"
                else:
                    self._doubt(name)
                    sure = False
                if called(self._module, call) == _SCOPES[1]:
                    self._variables.append(name or "*")
            elif not is_scope(self._module, call):
                self._expression(call, names, sure)
        self._block(node.body, names, sure)
        self._prefix, self._variables = prefix, variables

    def _expression(self, node: ast.AST, names: Names, sure: bool) -> None:
        """Follows the calls of an expression in the order in which they are made."""
        sure = sure and not isinstance(node, _REPEATED)
        for child in ast.iter_child_nodes(node):
            self._expression(child, names, sure)
        if isinstance(node, _OPERATORS):
            self._doubt(*OPERATORS)
        if isinstance(node, ast.Call):
            self._call(node, names, sure)

    def _call(self, call: ast.Call, names: Names, sure: bool) -> None:
        name = called(self._module, call)
        if not name.startswith("tensorflow."):
            self._own(call, names, sure)
        elif name in KINDS:
            self._summary(call, names, sure)
        elif name in MERGES:
            self._doubt("merge")
        elif name.startswith(NOTHING) or name.endswith(("Optimizer", "_initializer")):
            self._doubt("init")
        elif name == "tensorflow.get_variable":
            self._get_variable(call, names)
        else:
            given = argument(call, 2, "name") if name.endswith(".placeholder") else None
            self._operation(name, given or _given_name(call), names, sure)

    def _operation(self, name: str, given: ast.expr | None, names: Names, sure: bool) -> None:
        """Notes the names that a function of TensorFlow uses."""
        own = self._text(given, names)
        if given is not None and own is None and literal(given) is not None:
            self._doubt("*")
        default = NAMED.get(name)
        if default is None:
            short = name.rpartition(".")[2].lower()
            plain = short.removeprefix("reduce_")
            self._doubt(*POSSIBLE, short, plain, plain.replace("_", ""), own or "")
            return
        self._doubt(*(HELPERS - {(own or default).lower()}))
        if sure:
            self._unique(own or default)
        else:
            self._doubt(own or default)

    def _get_variable(self, call: ast.Call, names: Names) -> None:
        """Notes the name of a variable, which is that of the scopes of variables."""
        name = self._text(argument(call, 0, "name"), names)
        self._doubt(*(POSSIBLE if name is None else ()), at="")
        path = "/".join([*self._variables, name or "*"])
        place, _, own = path.rpartition("/")
        self._doubt(own, at=f"{place}/" if place else "")

    def _own(self, call: ast.Call, names: Names, sure: bool) -> None:
        """Follows a function of the program with the texts that it is given."""
        found = definition(self._plan, self._module, call.func)
        if found is None:
            self._method(call, names)
            return
        home, function = found
        if function is self._graph.home:
            return
        if home is not self._module or function in self._calls:
            self._doubt("*")
            return
        texts = {
            parameter.arg: text
            for index, parameter in enumerate(function.args.args)
            if (text := self._text(self._given(call, function, index, parameter.arg), names))
        }
        self._followed.append(function)
        variables = list(self._variables)
        self._calls.append(function)
        self._block(function.body, texts, sure)
        self._calls.pop()
        self._variables = variables

    def _method(self, call: ast.Call, names: Names) -> None:
        """Notes the names that a method of an object of TensorFlow may use."""
        function = call.func
        if not isinstance(function, ast.Attribute) or called(self._module, call):
            return
        if function.attr in _METHODS:
            return
        trains = function.attr in _TRAINING
        self._doubt(*(TRAINING if trains else POSSIBLE), self._text(_given_name(call), names) or "")

    def _given(
        self, call: ast.Call, function: ast.FunctionDef, index: int, name: str
    ) -> ast.expr | None:
        """Returns what a parameter is given, or its default."""
        value = argument(call, index, name)
        if value is not None:
            return value
        defaults = function.args.defaults
        place = index - (len(function.args.args) - len(defaults))
        return defaults[place] if place >= 0 else None

    def _summary(self, call: ast.Call, names: Names, sure: bool) -> None:
        name = self._text(argument(call, 0, "name"), names)
        family = self._text(argument(call, 9, "family"), names)
        if not sure:
            refuse(call, "a summary in a loop, on a condition or in a scope that is not known")
        if name is None or (family is None and argument(call, 9, "family") is not None):
            refuse(call, "the tag of a summary is not written out")
        given = _allowed(name)
        if given != name and literal(argument(call, 0, "name")) is NOT_WRITTEN_OUT:
            refuse(call, f"TensorFlow 1.x changes the name `{name}` of a summary")
        name = given
        if family is not None:
            family = _allowed(family)
            name = f"{family}/{name}"
        if self._is_unsure(name):
            refuse(call, f"other operations may be called `{name}`, too")
        unique = self._unique(name)
        scope = unique[: len(self._prefix) + len(name) - len(given)]
        number = unique.removeprefix(scope + given)
        self.of[call].append(Tag(scope if family is None else f"{family}/{scope}", given, number))

    def _text(self, node: ast.expr | None, names: Names) -> str | None:
        """Returns the text that an expression is; None if it is not known."""
        if isinstance(node, ast.Name):
            return names.get(node.id)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left, right = self._text(node.left, names), self._text(node.right, names)
            return None if left is None or right is None else left + right
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            left, right = self._text(node.left, names), self._text(node.right, names)
            return left.replace("%s", right) if right and left and left.count("%") == 1 else None
        value = literal(node)
        return value if isinstance(value, str) else None

    def _doubt(self, *names: str, at: str | None = None) -> None:
        """Notes names that may be used at this place."""
        place = self._prefix if at is None else at
        for name in names:
            outer, _, own = f"{place}{name}".lower().rpartition("/")
            self._unsure[f"{outer}/" if outer else ""].add(own)

    def _is_unsure(self, name: str) -> bool:
        """Says whether a name may be used at this place already."""
        outer, _, own = f"{self._prefix}{name}".lower().rpartition("/")
        return not self._unsure[f"{outer}/" if outer else ""].isdisjoint((own, "*"))

    def _unique(self, name: str) -> str:
        """Returns a name with its scope and the number that makes it unique, and uses it."""
        full = self._prefix + name
        key = full.lower()
        count = self._used[key]
        self._used[key] += 1
        if not count:
            return full
        numbered = key
        while self._used[numbered]:
            numbered = f"{key}_{count}"
            count += 1
        self._used[numbered] = 1
        return f"{full}_{count - 1}"

    def _check_others(self) -> None:
        """Refuses tags that operations of functions which are not followed may have, too."""
        parts = {
            part.lower() for tags in self.of.values() for t in tags for part in str(t).split("/")
        }
        for call in self._module.all(ast.Call):
            name = literal(_given_name(call))
            if self._module.function(call) in self._followed or not isinstance(name, str):
                continue
            if name.lower() in parts:
                refuse(call, f"this operation may be called `{name}`, as a summary is")


def _given_name(call: ast.Call) -> ast.expr | None:
    """Returns what a call is given as its keyword ``name``."""
    return next((k.value for k in call.keywords if k.arg == "name"), None)


def _allowed(name: str) -> str:
    """Returns what TensorFlow 1.x made of the name of a summary."""
    return "".join(c if c.isalnum() or c in "-/._" else "_" for c in name).lstrip("/")
