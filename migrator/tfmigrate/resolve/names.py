"""Which imported name an expression means: scopes, imports, aliases, shadowing.

The resolver works on ``ast`` (twelve times faster than a libcst metadata pass) and answers one
question: what dotted name does this ``Name`` or ``Attribute`` chain refer to? It follows imports
and plain aliases (``layers = tf.contrib.layers``), and answers None wherever two bindings
disagree: an edit is only made where every binding says the same.
"""

import ast
from collections.abc import Callable, Mapping, Set
from dataclasses import replace
from functools import cached_property

from tfmigrate.resolve.canonical import canonical
from tfmigrate.resolve.scopes import (
    BINDING,
    COMPREHENSIONS,
    AssignBinding,
    Binding,
    FromOwn,
    FunctionNode,
    ImportBinding,
    OtherBinding,
    Scope,
    bindings_made_by,
    children_of,
    is_absent,
    root_of,
)


class Names:
    """The scopes of one module, and the resolver over them."""

    def __init__(
        self,
        tree: ast.Module,
        is_own: Callable[[str], bool] = lambda name: False,
        meaning: Callable[[str], str] = str,
        names_given: Callable[[], Mapping[str, str]] = dict,
        from_own: FromOwn = lambda binding, name: None,
    ) -> None:
        self.tree, self._given, self._from_own = tree, names_given, from_own
        self._is_own, self._meaning = is_own, meaning
        self.scope_of: dict[ast.AST, Scope] = {}
        self._resolved: dict[ast.expr, str | None] = {}
        self._collect(tree)

    def resolve(self, node: ast.expr) -> str | None:
        """Returns the dotted name that a Name or Attribute chain means, or None.

        Args:
            node: an expression of this module's tree.

        Returns:
            The qualified name ("tensorflow.contrib.estimator.TowerOptimizer"), or None where the
            expression is not a chain, its root is not imported, or its bindings disagree.
        """
        if node not in self._resolved:
            # Not part by part: a part alone may mean something else.
            name = self.spelled(node)
            self._resolved[node] = canonical(name) if name else None
        return self._resolved[node]

    def spelled(self, node: ast.expr) -> str | None:
        """Returns the dotted name of a chain as the program's imports spell it; see ``resolve``."""
        scope = self.scope_of.get(node)
        return self._chain(node, scope, frozenset()) if scope else None

    def resolve_name(self, name: str) -> str | None:
        """Returns the dotted name that a name means at module level, or None."""
        spelled = self._chain(ast.Name(name), self.scope_of[self.tree], frozenset())
        return canonical(spelled) if spelled else None

    def given(self, node: ast.expr) -> str | None:
        """Returns what a chain's root means that an import of an own module binds, or None."""
        if not isinstance(root := root_of(node), ast.Name):
            return None
        if not (bindings := self.variable(root)[1]):
            return self._given().get(root.id)
        (only, *more) = bindings
        if more or not isinstance(only, ImportBinding):
            return None
        return self._from_own(only, "")

    def roots_of(self, package: str) -> set[str]:
        """Returns the names that may mean a package, or something in it, in some scope.

        Args:
            package: the name of a package ("tensorflow").
        """
        meanings = self._given().items()
        roots = {n.partition(".")[0] for n, m in meanings if canonical(m).startswith(package)}
        aliases: list[tuple[str, str]] = []
        for scope in self._scopes:
            for name, bindings in scope.bindings.items():
                for binding in bindings:
                    if isinstance(binding, ImportBinding):
                        # tensorflow_estimator.estimator is tensorflow.estimator
                        if canonical(binding.qualified).startswith(package):
                            roots.add(name)
                    elif isinstance(binding, AssignBinding):
                        aliases.append((name, getattr(root_of(binding.value), "id", "")))
        while True:
            if not (more := {name for name, root in aliases if root in roots} - roots):
                return roots
            roots |= more

    def root_import(self, node: ast.expr) -> ImportBinding | None:
        """Returns the import that the chain's root is bound by, when it is bound directly."""
        bindings = self.variable(root_of(node))[1]
        return next((b for b in bindings if isinstance(b, ImportBinding)), None)

    def root_alias(self, node: ast.expr) -> AssignBinding | None:
        """Returns the plain assignment that the chain's root is bound by, when it is one."""
        bindings = self.variable(root_of(node))[1]
        return next((b for b in bindings if isinstance(b, AssignBinding)), None)

    def variable(self, node: ast.AST) -> tuple[Scope | None, list[Binding]]:
        """Returns the scope of the variable that a name means, and all its bindings.

        None and [] for names that the file does not bind, and for what is no name.
        """
        place = self.scope_of[node].lookup(node.id) if isinstance(node, ast.Name) else None
        return place or (None, [])

    def all_bound_names(self) -> set[str]:
        """Returns every name that any scope of the module binds."""
        return {name for scope in self.scopes() for name in scope.bindings}

    def free_name(self, *wanted: str) -> str:
        """Returns the first of some names that no scope binds; the last one if all are bound."""
        bound = self.all_bound_names()
        return next((name for name in wanted if name not in bound), wanted[-1])

    def bindings_of(self, name: str) -> list[Binding]:
        """Returns every binding of a name in any scope of the module."""
        return [b for scope in self.scopes() for b in scope.bindings.get(name, [])]

    def scopes(self) -> list[Scope]:
        """Returns all scopes, the module's first."""
        return list(self._scopes)

    @cached_property
    def _scopes(self) -> list[Scope]:
        return list(dict.fromkeys(self.scope_of.values()))

    def _chain(self, node: ast.expr, scope: Scope, seen: frozenset[int]) -> str | None:
        if isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and (own := self._member(node, scope)):
                return own
            base = self._chain(node.value, scope, seen)
            return f"{base}.{node.attr}" if base else None
        if not isinstance(node, ast.Name):
            return None
        if (variable := scope.lookup(node.id)) is None:
            return self._given().get(node.id)
        answers = set()
        for binding in variable[1]:
            if isinstance(binding, ImportBinding):
                answers.add(self._from_own(binding, "") or binding.qualified)
            elif isinstance(binding, AssignBinding):
                if is_absent(binding.value):
                    continue  # `tf = None` in an except ImportError branch
                if id(binding.value) in seen:
                    return None
                inner = self.scope_of[binding.value]
                answers.add(self._chain(binding.value, inner, seen | {id(binding.value)}) or "")
            else:
                return None
        if len(answers) > 1:  # spellings of one name
            answers = set(map(canonical, answers))
        return answers.pop() or None if len(answers) == 1 else None

    def _member(self, node: ast.Attribute, scope: Scope) -> str | None:
        """Returns what ``common.tf`` means where a module of the program is imported as common."""
        variable = scope.lookup(node.value.id) if isinstance(node.value, ast.Name) else None
        (only, *more) = variable[1] if variable else (None,)
        if more or not isinstance(only, ImportBinding):
            return None
        return self._from_own(only, node.attr)

    def _collect(self, tree: ast.Module) -> None:
        module = Scope(tree, None)
        self.scope_of[tree] = module
        for child in children_of(tree):
            self._visit(child, module)

    def _visit(self, node: ast.AST, scope: Scope) -> None:
        self.scope_of[node] = scope
        if isinstance(node, BINDING):
            self._bind(node, scope)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            inner = Scope(node, scope)
            self._visit_function(node, scope, inner)
        elif isinstance(node, ast.ClassDef):
            inner = Scope(node, scope)
            for child in children_of(node):
                before = set(inner.bindings)
                self._visit(child, inner if (child in node.body) else scope)
                self._read_around(child, inner, inner.bindings.keys() - before)
        elif isinstance(node, COMPREHENSIONS):
            inner = Scope(node, scope)
            for child in children_of(node):
                self._visit(child, inner)
        else:
            for child in children_of(node):
                self._visit(child, scope)

    def _read_around(self, statement: ast.AST, inner: Scope, names: Set[str]) -> None:
        """Takes what a statement of a class body binds for the outer name where it is read first.

        As in ``class A: tf = tf``, and in a method that has a default of a module of its name.
        """
        parts: list[ast.AST] = []
        if names and isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            arguments = statement.args
            parts = [*statement.decorator_list, *arguments.defaults]
            parts += [default for default in arguments.kw_defaults if default is not None]
        elif names and isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value:
            parts = [statement.value]
        outer = inner.parent
        while outer is not None and isinstance(outer.node, ast.ClassDef):
            outer = outer.parent
        for node in (n for part in parts for n in ast.walk(part)):
            root = root_of(node)
            is_read = isinstance(root, ast.Name) and root.id in names
            if is_read and outer is not None and self.scope_of[node] is inner:
                self.scope_of[node] = outer

    def _visit_function(self, node: FunctionNode, outer: Scope, inner: Scope) -> None:
        arguments = node.args
        parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        parameters += [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
        self.scope_of[arguments] = outer
        for parameter in parameters:
            inner.bindings.setdefault(parameter.arg, []).append(OtherBinding(parameter))
            self.scope_of[parameter] = inner
            if parameter.annotation is not None:
                self._visit(parameter.annotation, outer)
        # Python evaluates defaults, decorators and annotations where the function is defined.
        for default in [*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)]:
            self._visit(default, outer)
        if isinstance(node, ast.Lambda):
            self._visit(node.body, inner)
            return
        for decorator in node.decorator_list:
            self._visit(decorator, outer)
        if node.returns is not None:
            self._visit(node.returns, outer)
        for statement in node.body:
            self._visit(statement, inner)

    def _bind(self, node: ast.AST, scope: Scope) -> None:
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            kind = "global" if isinstance(node, ast.Global) else "nonlocal"
            scope.outer_names.update(dict.fromkeys(node.names, kind))
            return
        for name, binding in bindings_made_by(node):
            if isinstance(binding, ImportBinding):
                own = self._is_of_program(binding)
                means = f".{binding.qualified}" if own else self._meaning(binding.qualified)
                binding = replace(binding, qualified=means)
            target = scope
            # ``:=`` in a comprehension binds the name around it (PEP 572).
            while isinstance(target.node, COMPREHENSIONS) and isinstance(node, ast.NamedExpr):
                assert target.parent is not None
                target = target.parent
            if scope.outer_names.get(name) == "global":
                target = scope.module()
            target.bindings.setdefault(name, []).append(binding)

    def _is_of_program(self, binding: ImportBinding) -> bool:
        """Returns whether an apparent part of TensorFlow is a module of the program."""
        name = binding.qualified
        return name.startswith(("tensorflow.", "tf_slim")) and self._is_own(name)
