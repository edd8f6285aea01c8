"""Whether a loop over devices builds towers, which train together and share their variables.

The layers of one model, copies of a Keras model, or images that are resized do neither: as replicas
each would have variables of its own, so that a loop without evidence is not touched. The evidence
is what towers need (gradients, reuse), and not what they are called.
"""

import ast

from tfmigrate.families.towers.obstacles import SESSIONS, run_by
from tfmigrate.resolve.calls import called, called_on
from tfmigrate.resolve.cluster_calls import SETTER
from tfmigrate.resolve.kinds import Kind, kind_of
from tfmigrate.resolve.module import Module, asked_once
from tfmigrate.resolve.origins import origins

_GRADIENTS = ("tensorflow.gradients", "tensorflow.AUTO_REUSE")
_COMPUTES, _APPLIES = ("compute_gradients",), ("apply_gradients", "minimize")


@asked_once
def builds_towers(module: Module, loop: ast.For, device: ast.expr) -> bool:
    """Returns whether the code of a loop computes gradients, or reuses variables.

    If it calls functions of other files, those may do it: then the code around the loop must train
    with the results of the loop. A loop that runs sessions builds nothing.

    Args:
        device: the device of an iteration; a device setter shares the variables.
    """
    if called(module, device) == SETTER:
        return True
    code = dict.fromkeys(run_by(module, loop.body))
    if any(_runs_graph(module, node) for node in module.walk(loop)):
        return False
    if any(_trains(module, node) or _shares(module, node) for node in code):
        return True
    if not any(_is_elsewhere(module, node) for node in code):
        return False
    around = module.function(loop)
    outer_code = (node for node in run_by(module, list(around.body)) if node not in code)
    return any(_trains(module, node, *_APPLIES) for node in outer_code)


def _runs_graph(module: Module, node: ast.AST) -> bool:
    """Returns whether a node runs a graph that is already built: ``session.run(op)``."""
    session = called_on(node, "run")
    if session is None or called(module, node):
        return False
    if any(keyword.arg == "feed_dict" for keyword in getattr(node, "keywords", ())):
        return True
    return any(called(module, origin) in SESSIONS for origin in origins(module, session) or ())


def _trains(module: Module, node: ast.AST, *methods: str) -> bool:
    """Returns whether a node computes gradients."""
    if isinstance(node, (ast.Name, ast.Attribute)) and module.resolve(node) in _GRADIENTS:
        return True
    optimizer = called_on(node, *_COMPUTES, *methods)
    if optimizer is None or called(module, node):
        return False
    return kind_of(module, optimizer) in (None, Kind.OPTIMIZER)


def _shares(module: Module, node: ast.AST) -> bool:
    """Returns whether a node reuses the variables of a scope."""
    if not isinstance(node, ast.Call):
        return False
    if called_on(node, "reuse_variables") is not None:
        return True
    reuse = next((k.value for k in node.keywords if k.arg == "reuse"), None)
    never = isinstance(reuse, ast.Constant) and not reuse.value
    return reuse is not None and not never


def _is_elsewhere(module: Module, node: ast.AST) -> bool:
    """Returns whether a node calls what another file of the program may define."""
    if not isinstance(node, ast.Call):
        return False
    if (name := module.resolve(node.func)) is not None:
        return not name.startswith("tensorflow.")
    if isinstance(node.func, ast.Attribute):
        return kind_of(module, node.func.value) is None
    return isinstance(node.func, ast.Name) and bool(module.bindings(node.func))
