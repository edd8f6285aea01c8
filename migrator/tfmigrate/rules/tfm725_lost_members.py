"""A subclass uses members that the class which replaces its base class does not have.

What it does:
    Reports classes that derive from a class of tf.contrib or tf.estimator and override, read or set
    a member that its replacement lacks, such as `_call_train` of an Experiment. Classes of the
    program between the two are followed.

Why:
    The replacement has the public methods of the original, and is written differently inside. It
    never calls a private method that a subclass overrides, so the program trains without it and
    without an error. Reading a member that is missing raises AttributeError.

Example:
    Before::

        import tensorflow as tf

        class TimedExperiment(tf.contrib.learn.Experiment):
          def _call_train(self, *args, **kwargs):
            print('training')
            return super()._call_train(*args, **kwargs)

What is left to you:
    Express it with public methods, hooks, or a model function that wraps the other.

Safety:
    The class is migrated, and does not do what it did before. A new member that
    has the name of a private one by accident is reported too: rename it.
"""

import ast
from collections.abc import Iterator

from tfmigrate.families.tf1.is_tf1 import group_of
from tfmigrate.families.tf1.migrated_files import migrated
from tfmigrate.resolve.calls import called_builtin
from tfmigrate.resolve.definitions import definition
from tfmigrate.resolve.origins import class_around, is_self
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity, drafted
from tfmigrate.tables.lost_members import lost_members

SEVERITY = Severity.MANUAL

_METHODS = (ast.FunctionDef, ast.AsyncFunctionDef)
_OF_ESTIMATOR = "tensorflow.estimator."
_Class = tuple[Module, ast.ClassDef]


def check(program: Program) -> Drafts:
    """Yields a draft for every class that uses such members."""
    for module in migrated(program):
        for owner in module.all(ast.ClassDef):
            for name, own in _bases(program, module, owner, ()):
                if program.estimator and name.startswith(_OF_ESTIMATOR):
                    continue
                if usage := _used(module, owner, own, lost_members()[name]):
                    shown = name.replace("tensorflow.", "tf.", 1)
                    yield drafted(
                        module,
                        owner,
                        f"{owner.name} {usage} of {shown}, which its replacement lacks",
                        "use public methods, hooks or a wrapped model function instead",
                        group=group_of(program, module),
                    )


def _bases(
    program: Program, module: Module, owner: ast.ClassDef, own: tuple[_Class, ...]
) -> Iterator[tuple[str, tuple[_Class, ...]]]:
    """Yields the classes of the table that one derives from, and the program's own on the way."""
    own = (*own, (module, owner))
    for base in owner.bases:
        if (name := module.resolve(base) or "") in lost_members():
            yield name, own
            continue
        place, base_class = definition(program, module, base) or (module, None)
        if isinstance(base_class, ast.ClassDef) and (place, base_class) not in own:
            yield from _bases(program, place, base_class, own)


def _used(
    module: Module, owner: ast.ClassDef, own: tuple[_Class, ...], lost: frozenset[str]
) -> str:
    """Returns how a class uses members that are lost: "overrides a, reads b and c"."""
    defined = _defined(owner)
    of_chain = {name for _, other in own for name in _defined(other)}
    stored = {n.attr for m, other in own for n in _attributes(m, other, ast.Store)}
    read = {n.attr for n in _attributes(module, owner, ast.Load)}
    attributes = module.all(ast.Attribute, owner)
    by_super = {n.attr for n in attributes if called_builtin(module, n.value) == "super"}
    uses = {
        "overrides": defined & lost,
        "reads": ((read - of_chain - stored) | by_super) & lost - defined,
        # What the class reads itself may be its own.
        "sets": {n.attr for n in _attributes(module, owner, ast.Store)} & lost - read - defined,
    }
    return ", ".join(f"{verb} {_listed(sorted(names))}" for verb, names in uses.items() if names)


def _defined(owner: ast.ClassDef) -> set[str]:
    method_names = {s.name for s in owner.body if isinstance(s, _METHODS)}
    targets = [t for s in owner.body if isinstance(s, ast.Assign) for t in s.targets]
    return method_names | {t.id for t in targets if isinstance(t, ast.Name)}


def _attributes(
    module: Module, owner: ast.ClassDef, context: type[ast.expr_context]
) -> Iterator[ast.Attribute]:
    """Yields the attributes of the object itself that the methods of a class read or set."""
    for node in module.all(ast.Attribute, owner):
        is_own = isinstance(node.ctx, context) and is_self(module, node.value)
        if is_own and class_around(module, node) is owner:
            yield node


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
