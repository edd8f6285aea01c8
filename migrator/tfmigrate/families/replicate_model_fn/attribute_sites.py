"""Which Estimators are built from a replicated model function that an attribute of self holds.

After migration the attribute holds the plain model function. So nothing may read it but wrappers
and the Estimators of the method that wraps it, which get the strategy: elsewhere, an Estimator
would lose its towers.
"""

import ast

from tfmigrate.families.replicate_model_fn.family import references
from tfmigrate.resolve.calls import argument
from tfmigrate.resolve.estimator_classes import is_estimator
from tfmigrate.resolve.origins import is_self
from tfmigrate.rulekit.basics import Module, Program, Refusal
from tfmigrate.tables.family_names import WRAPPER


def estimators_of_attribute(
    program: Program, module: Module, target: ast.Attribute
) -> list[ast.Call]:
    """Returns the Estimators that are built from an attribute to which a wrapper is assigned.

    Raises:
        Refusal: the attribute has other uses.
    """
    shown = ast.unparse(target)
    estimators = []
    for reader in program.modules:
        for node in reader.all(ast.Attribute):
            if node.attr != target.attr or node is target:
                continue
            function = reader.function(node)
            if isinstance(node.ctx, ast.Store):
                if function is module.function(target):
                    raise Refusal(node, f"`{shown}` is reassigned", "wrap it where it is assigned")
                continue
            if is_wrapped(reader, node):
                continue
            holder = reader.parent(node)
            call = reader.parent(holder) if isinstance(holder, ast.keyword) else holder
            builds = isinstance(call, ast.Call) and argument(call, 0, "model_fn") is node
            if not (builds and isinstance(call, ast.Call) and is_estimator(reader, call)):
                raise Refusal(node, f"`{shown}` is used for more than building Estimators")
            if function is module.function(target) and is_self(module, node.value):
                estimators.append(call)
            elif not is_self(reader, node.value) or not _wraps(reader, function, target.attr):
                raise Refusal(node, f"an Estimator is built from `{shown}` in another function")
    if not estimators:
        raise Refusal(target, f"no tf.estimator.Estimator is built from `{shown}` here")
    return sorted(estimators, key=module.position)


def is_wrapped(module: Module, node: ast.expr) -> bool:
    """Returns whether an expression is in the arguments of a wrapper."""
    calls = references(module, WRAPPER).calls
    return any(a in calls for a in module.ancestors(node) if isinstance(a, ast.Call))


def _wraps(module: Module, function: ast.AST, attribute: str) -> bool:
    """Returns whether a method assigns a wrapper to an attribute of that name itself."""
    for call in references(module, WRAPPER).calls:
        statement = module.statement(call)
        if module.function(call) is function and isinstance(statement, ast.Assign):
            target = statement.targets[0]
            if isinstance(target, ast.Attribute) and target.attr == attribute:
                return True
    return False
