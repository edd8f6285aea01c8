"""Summaries of a graph become tensors of its functions, which runs fetch as before."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tfmigrate.families.native.conversion import (
    Conversion,
    called,
    free_name,
    literal,
    refuse,
    root_of_tensorflow,
)
from tfmigrate.families.native.quotes import quoted
from tfmigrate.families.native_steps.graph import Graph, Kind
from tfmigrate.families.native_steps.summary_functions import SummaryFunction
from tfmigrate.families.native_steps.summary_tags import KINDS, MERGES, Tags
from tfmigrate.families.native_steps.summary_writers import WRITERS, writer_names
from tfmigrate.model.edits import Code, InsertAfter
from tfmigrate.resolve.calls import argument, has_star_arguments
from tfmigrate.resolve.program import Program
from tfmigrate.resolve.scopes import is_none
from tfmigrate.rulekit.added_definition import indentation_of

_FORMS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "scalar": ("ScalarSummary", ("name", "tensor"), ("tags", "values")),
    "histogram": ("HistogramSummary", ("name", "values"), ("tag", "values")),
    "image": ("ImageSummary", ("name", "tensor", "max_outputs"), ("tag", "tensor", "max_images")),
    "audio": (
        "AudioSummaryV2",
        ("name", "tensor", "sample_rate", "max_outputs"),
        ("tag", "tensor", "sample_rate", "max_outputs"),
    ),
}
_KNOWN = (Kind.PLAIN, Kind.TENSOR, Kind.VARIABLE, Kind.PLACEHOLDER, Kind.BATCH)
_COMPUTED = ("summary_computed", "SummaryComputed")
_OF_SESSIONS = ("save_summaries_steps", "save_summaries_secs")
_WIDTH = 60  # of the inputs of a merged summary in one line


def has_summaries(program: Program) -> bool:
    """Says whether a program has summaries, or a writer of them."""
    return any(m.calls_of(*KINDS, *MERGES, *WRITERS) for m in program.modules)


class Summaries:
    """The summaries of one graph.

    Attributes:
        reads_steps: whether a summary depends on the number of steps, by a learning rate.
    """

    def __init__(
        self, plan: Conversion, graph: Graph, runs: Sequence[ast.Call], optimizer: str
    ) -> None:
        self._optimizer = optimizer
        self._plan = plan
        self._graph = graph
        self._module = graph.module
        places = [argument(call, 0, "fetches") or call for call in runs]
        self._fetches = {node for place in places for node in graph.module.walk(place)}
        self._fetched = {node.id for node in self._fetches if isinstance(node, ast.Name)}
        self._names: dict[ast.stmt, str] = {}
        self.reads_steps = False

    def convert(self) -> None:
        """Plans the edits of the statements that make summaries and merge them.

        Raises:
            Refusal: they are not written as TensorFlow 1.x wrote them.
        """
        module = self._module
        merges = [self._merged(call) for call in module.calls_of(*MERGES)]
        fetched = [m for m in merges if m[1] in self._fetched]
        made = module.calls_of(*KINDS)
        self._check_sessions(made)
        self._plain_writers()
        named = {name for call in made if (name := self._name_of(module.statement(call)))}
        if not fetched and not named & self._fetched:
            return  # they were never computed
        tags = Tags(self._plan, self._graph)
        for call in made:
            if module.function(call) is self._graph.home:
                self._make(call, tags)
        for function in dict.fromkeys(module.function(call) for call in made):
            if isinstance(function, ast.FunctionDef) and function is not self._graph.home:
                self._convert_function(function, tags)
        for statement, name, call in fetched:
            self._merge(statement, name, call)
        self._check_uses({*self._names.values(), *(name for _, name, _ in fetched)})

    def _check_sessions(self, made: Sequence[ast.Call]) -> None:
        """Refuses sessions that write the summaries themselves."""
        for node in self._module.all(ast.Attribute):
            if node.attr in _COMPUTED:
                refuse(node, f"`{node.attr}` of a Supervisor")
        session = self._graph.session
        call = session.items[0].context_expr if isinstance(session, ast.With) else None
        call = getattr(session, "value", None) if call is None else call
        if not made or not isinstance(call, ast.Call):
            return
        for supervisor in self._graph.of(Kind.SUPERVISOR):
            held = getattr(supervisor, "value", None)
            given = argument(held, 5, "summary_op") if isinstance(held, ast.Call) else None
            if given is None or not is_none(given):
                refuse(supervisor, "a Supervisor writes the summaries itself")
        if not called(self._module, call).endswith("MonitoredTrainingSession"):
            return
        folder = argument(call, 9, "checkpoint_dir")
        if folder is None or is_none(folder):
            return
        off = [v for name in _OF_SESSIONS if (v := argument(call, 9, name)) is not None]
        if not off or not all(isinstance(v, ast.Constant) and not v.value for v in off):
            refuse(call, "a MonitoredTrainingSession writes the summaries itself")

    def _plain_writers(self) -> None:
        """Takes writers for statements that are no part of the graph."""
        graph = self._graph
        writers = writer_names(self._module)
        for leaf in graph.leaves:
            value = leaf.value if isinstance(leaf, (ast.Assign, ast.Expr)) else None
            function = value.func if isinstance(value, ast.Call) else None
            held = function.value if isinstance(function, ast.Attribute) else None
            if called(self._module, value) in WRITERS:
                graph.kinds[leaf] = Kind.PLAIN
            elif isinstance(held, ast.Name) and held.id in writers:
                assert isinstance(function, ast.Attribute)
                gone = function.attr == "add_graph"
                graph.kinds[leaf] = Kind.CONFIG if gone else Kind.PLAIN

    def _merged(self, call: ast.Call) -> tuple[ast.stmt, str, ast.Call]:
        """Returns the statement of a merged summary, and its name."""
        statement = self._module.statement(call)
        name = self._name_of(statement)
        if isinstance(statement, ast.Expr) and statement.value is call:
            return statement, "", call
        if not name or statement.value is not call:  # type: ignore[attr-defined]
            refuse(call, "a merged summary that is not assigned to a variable")
        stores = [
            n
            for n in self._module.all(ast.Name, self._graph.home)
            if n.id == name and isinstance(n.ctx, ast.Store)
        ]
        if len(stores) != 1 or self._module.function(call) is not self._graph.home:
            refuse(call, f"`{name}` is assigned several times, or in another function")
        return statement, name, call

    def _name_of(self, statement: ast.stmt) -> str:
        """Returns the one name that a statement assigns; "" for none."""
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        target = targets[0] if len(targets) == 1 else None
        return target.id if isinstance(target, ast.Name) else ""

    def _make(self, call: ast.Call, tags: Tags) -> None:
        """Plans the operation that computes one summary."""
        graph, module = self._graph, self._module
        statement = module.statement(call)
        if statement not in graph.kinds or len(tags.of[call]) != 1:
            refuse(call, "a summary below the session")
        code = self._operation(call, Code(quoted(module, str(tags.of[call][0]))))
        own = isinstance(statement, (ast.Assign, ast.Expr)) and statement.value is call
        if graph.kinds[statement] not in (Kind.SUMMARY, Kind.TENSOR):
            refuse(call, "a summary in another statement")
        graph.kinds[statement] = Kind.TENSOR
        name = self._name_of(statement)
        if name:
            graph.names[name] = Kind.TENSOR
        if own and isinstance(statement, ast.Expr):
            name = self._add(statement, self._new_name(call), code)
        else:
            self._plan.replace(module, call, code)
        if own and name:
            self._names[statement] = name

    def _add(self, statement: ast.stmt, name: str, code: Code) -> str:
        """Assigns the value of a statement to a new name."""
        self._graph.kinds[statement] = Kind.TENSOR
        self._graph.added[statement] = [name]
        self._graph.names[name] = Kind.TENSOR
        assigned = Code(f"{name} = {code.template}", code.parts, code.arguments)
        self._plan.rewrite(self._module, statement, assigned)
        return name

    def _convert_function(self, function: ast.FunctionDef, tags: Tags) -> None:
        """Lets a function that only makes summaries return them."""
        found = SummaryFunction(self._plan, self._graph, function, tags)
        for call, code in found.summaries(self._operation):
            name = self._new_name(call)
            found.names.append(name)
            head = Code(f"{name} = {code.template}", code.parts, code.arguments)
            self._plan.rewrite(self._module, self._module.statement(call), head)
        for statement, code, name in found.convert(self._merging):
            self._names[statement] = self._add(statement, name, code)
        position = self._module.position
        self._names = {leaf: self._names[leaf] for leaf in sorted(self._names, key=position)}

    def _operation(self, call: ast.Call, tag: Code) -> Code:
        """Returns the code of the operation that computes a summary with the code of a tag."""
        module = self._module
        kind = called(module, call).rpartition(".")[2]
        operation, old, new = _FORMS[kind]
        known = (*old, "family")
        if has_star_arguments(call) or len(call.args) > len(old):
            refuse(call, f"the arguments of `{ast.unparse(call.func)}`")
        for keyword in call.keywords:
            if keyword.arg not in known:
                refuse(keyword.value, f"`{keyword.arg}` of a summary")
        texts = [f"{new[0]}={tag.template}"]
        parts = [*tag.parts]
        for index in range(1, len(old)):
            value = argument(call, index, old[index])
            if value is not None:
                self._check_value(value)
                texts.append(f"{new[index]}={{{len(parts)}}}")
                parts.append(value)
        if len(texts) == 1:
            refuse(call, f"the arguments of `{ast.unparse(call.func)}`")
        root = root_of_tensorflow(module, call.func)
        return Code(f"{root}.raw_ops.{operation}", tuple(parts), tuple(texts))

    def _check_value(self, value: ast.expr) -> None:
        """Refuses values that the model does not know; a learning rate is computed for the step."""
        for node in self._module.walk(value):
            kind = self._graph.kind_of(node) if isinstance(node, ast.Name) else Kind.PLAIN
            if kind is Kind.RATE and isinstance(node, ast.Name):
                self.reads_steps = True
                rate = f"{node.id}({self._optimizer}.iterations)"
                self._plan.replace(self._module, node, Code(rate))
            elif kind not in _KNOWN:
                refuse(
                    node, f"`{ast.unparse(node)}`, which is no tensor of the model, is summarized"
                )

    def _new_name(self, call: ast.Call) -> str:
        """Returns the variable of a summary, by its name."""
        given = literal(argument(call, 0, "name"))
        kind = called(self._module, call).rpartition(".")[2]
        words = "".join(c if c.isalnum() else " " for c in str(given).lower()).split()
        plain = "_".join(words) if isinstance(given, str) and words else kind
        plain = f"{kind}_{plain}" if plain[0].isdigit() else plain
        return self._plan.new_name(self._module, free_name(self._module, f"{plain}_summary"))

    def _merge(self, statement: ast.stmt, name: str, call: ast.Call) -> None:
        """Plans the operation that merges summaries: in its place, or else below the last."""
        graph, module = self._graph, self._module
        held = argument(call, 0, "inputs")
        every = called(module, call) == MERGES[0]
        if (held is not None) is every or len(call.args) > 1 or has_star_arguments(call):
            refuse(call, f"the arguments of `{ast.unparse(call.func)}`")
        position = module.position
        inputs = [leaf for leaf in self._names if position(leaf) < position(statement)]
        names = [self._names[leaf] for leaf in inputs]
        if every:
            self._check_collected(call, inputs)
            code = self._merging(call, names)
        else:
            assert held is not None
            self._check_list(held)
            root = root_of_tensorflow(module, call.func)
            code = Code(f"{root}.raw_ops.MergeSummary", (held,), ("inputs={0}",))
        graph.names[name] = Kind.TENSOR
        if statement in graph.kinds:
            graph.kinds[statement] = Kind.TENSOR
            graph.implied[statement] = names if every else []
            self._plan.replace(module, call, code)
            return
        if not every:
            refuse(call, "summaries are merged below the session")
        last = inputs[-1]
        graph.added.setdefault(last, []).append(name)
        graph.implied[last] = names[:-1]
        self._plan.remove(module, statement)
        below = Code(f"{name} = {code.template}", (), code.arguments)
        self._plan.edits[module].append(InsertAfter(last, below))

    def _check_collected(self, call: ast.Call, inputs: Sequence[ast.stmt]) -> None:
        """Refuses to merge summaries that have no name, or none at all."""
        position = self._module.position
        above = [c for c in self._module.calls_of(*KINDS) if position(c) < position(call)]
        own = [c for c in above if self._module.function(c) is self._graph.home]
        if not inputs or any(self._module.statement(c) not in self._names for c in own):
            refuse(call, "`merge_all` merges summaries that are parts of other statements")

    def _check_list(self, held: ast.expr) -> None:
        """Refuses to merge something else than summaries that are written out."""
        names = self._names.values()
        for element in held.elts if isinstance(held, (ast.List, ast.Tuple)) else [held]:
            named = isinstance(element, ast.Name) and element.id in names
            if not named and called(self._module, element) not in KINDS:
                refuse(element, f"`{ast.unparse(element)[:60]}` is merged")

    def _merging(self, call: ast.Call, names: Sequence[str]) -> Code:
        """Returns the code that merges summaries."""
        inputs = ", ".join(names)
        function = f"{root_of_tensorflow(self._module, call.func)}.raw_ops.MergeSummary"
        if len(inputs) <= _WIDTH:
            return Code(function, (), (f"inputs=[{inputs}]",))
        step = indentation_of(self._module)
        lines = "".join(f"{step}{name},\n" for name in names)
        return Code(f"{function}(inputs=[\n{lines}])")

    def _check_uses(self, names: set[str]) -> None:
        """Refuses summaries that are used for something else than to fetch and to merge them."""
        merged = [call for call in self._module.calls_of(*MERGES) if call.args or call.keywords]
        inside = self._fetches | {n for call in merged for n in self._module.walk(call)}
        for node in self._module.all(ast.Name):
            if node.id in names and isinstance(node.ctx, ast.Load) and node not in inside:
                refuse(node, f"the summary `{node.id}` is used in another way than to fetch it")
