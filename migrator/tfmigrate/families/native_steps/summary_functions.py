"""Functions that only make summaries return them, under tags of the scope of their call."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from tfmigrate.families.native.conversion import Conversion, free_name, refuse
from tfmigrate.families.native.quotes import quoted
from tfmigrate.families.native_steps.graph import Graph, Kind
from tfmigrate.families.native_steps.summary_tags import KINDS, Tag, Tags
from tfmigrate.model.edits import AddKeywords, Code, InsertAfter, RemoveParameters
from tfmigrate.resolve.calls import argument


class SummaryFunction:
    """A function such as ``variable_summaries(var)``.

    Attributes:
        names: the variables of the summaries that it makes.
    """

    def __init__(
        self, plan: Conversion, graph: Graph, function: ast.FunctionDef, tags: Tags
    ) -> None:
        """Finds the calls of the function, and what their tags have in common.

        Raises:
            Refusal: it does more, or the calls are not statements of the graph.
        """
        self._plan = plan
        self._module = graph.module
        self._function = function
        self.names: list[str] = []
        if function not in graph.summaries.functions:
            refuse(function, f"`{function.name}` makes summaries, and does more")
        self._calls = [
            leaf.value
            for leaf in graph.of(Kind.SUMMARY)
            if isinstance(leaf, ast.Expr) and isinstance(leaf.value, ast.Call)
            if self._is_called(leaf.value)
        ]
        uses = [n for n in self._module.all(ast.Name) if n.id == function.name]
        inside = set(self._module.walk(function))
        self._made = [call for call in self._module.calls_of(*KINDS) if call in inside]
        count = len(self._calls)
        if not count or len(uses) != count or any(len(tags.of[c]) != count for c in self._made):
            refuse(function, f"`{function.name}` is called by other functions")
        self._tags = [[tags.of[c][i] for c in self._made] for i in range(count)]
        self._prefixes = [self._common(found) for found in self._tags]
        first, *others = [self._own(index) for index in range(count)]
        for index, other in enumerate(others):
            if other != first:
                refuse(self._calls[index + 1], "the tags of this call end differently")
        self._scope = free_name(self._module, "scope", "tag_scope") if count > 1 else ""
        arguments = function.args
        if self._scope and (arguments.defaults or arguments.kwonlyargs or arguments.vararg):
            refuse(function, f"the parameters of `{function.name}`, which makes summaries")

    def _is_called(self, call: ast.Call) -> bool:
        return isinstance(call.func, ast.Name) and call.func.id == self._function.name

    def _common(self, tags: Sequence[Tag]) -> str:
        """Returns the scopes that all tags begin with."""
        found = ""
        for parts in zip(*(tag.scope.split("/")[:-1] for tag in tags), strict=False):
            if len(set(parts)) != 1:
                break
            found += f"{parts[0]}/"
        return found

    def _own(self, index: int) -> list[tuple[str, str, str]]:
        """Returns what the tags of one call add to the scopes that they have in common."""
        found = []
        for call, tag in zip(self._made, self._tags[index], strict=True):
            name = tag.name if self._is_written(call) else ""
            found.append((tag.scope.removeprefix(self._prefixes[index]), name, tag.number))
        return found

    def _is_written(self, call: ast.Call) -> bool:
        return isinstance(argument(call, 0, "name"), ast.Constant)

    def summaries(
        self, operation: Callable[[ast.Call, Code], Code]
    ) -> Iterator[tuple[ast.Call, Code]]:
        """Yields the calls that make summaries, and their new code."""
        for call, (scope, name, number) in zip(self._made, self._own(0), strict=True):
            given = argument(call, 0, "name")
            assert given is not None
            pieces = [self._scope] if self._scope else []
            scope = scope if self._scope else self._prefixes[0] + scope
            if self._is_written(call):
                pieces.append(quoted(self._module, scope + name + number))
                yield call, operation(call, Code(" + ".join(pieces)))
                continue
            pieces += [quoted(self._module, scope)] if scope else []
            pieces += ["{0}", *([quoted(self._module, number)] if number else [])]
            yield call, operation(call, Code(" + ".join(pieces), (given,)))

    def convert(
        self, merging: Callable[[ast.Call, Sequence[str]], Code]
    ) -> Iterator[tuple[ast.stmt, Code, str]]:
        """Adds the parameter and the result; yields the calls, their code and their names."""
        module, function = self._module, self._function
        edits = self._plan.edits[module]
        merged = merging(self._made[0], self.names)
        returned = Code(f"return {merged.template}", (), merged.arguments)
        edits.append(InsertAfter(function.body[-1], returned))
        if self._scope:
            names = ", ".join([*(a.arg for a in function.args.args), self._scope])
            edits.append(RemoveParameters(function, head=f"{function.name}({names})"))
        for call, prefix in zip(self._calls, self._prefixes, strict=True):
            if self._scope:
                keyword = f"{self._scope}={quoted(module, prefix)}"
                edits.append(AddKeywords(call, (keyword,)))
            given = call.args[0] if call.args else None
            about = f"{given.id}_summaries" if isinstance(given, ast.Name) else "summaries"
            name = self._plan.new_name(module, free_name(module, about))
            yield module.statement(call), Code("{0}", (call,)), name
