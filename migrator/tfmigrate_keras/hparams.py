"""``HParams`` of tf.contrib.training as a namespace of Python.

Most programs only read the attributes, for which a namespace of the standard library is enough. A
class is written out where flags are parsed.
"""

import ast

from tfmigrate.model.edits import Code
from tfmigrate.resolve.module import Module
from tfmigrate_keras.conversion import Conversion, refuse

_HPARAMS = "tensorflow.contrib.training.HParams"
_WRITTEN_OUT = {"parse": ("ast", "re"), "values": ()}
_OTHERS = {"add_hparam", "set_hparam", "override_from_dict", "to_json", "parse_json"}


def convert_hparams(plan: Conversion) -> None:
    """Plans the edits of hyperparameters.

    Raises:
        Refusal: a program uses a method that is not written out.
    """
    for module in plan.program.modules:
        for use in module.uses_of(_HPARAMS):
            if not plan.is_removed(use.node) and plan.first_time(use.node):
                _convert(plan, module, use.node)


def _convert(plan: Conversion, module: Module, node: ast.expr) -> None:
    called = {
        call.func.attr: call
        for other in plan.program.modules
        for call in other.all(ast.Call)
        if isinstance(call.func, ast.Attribute)
    }
    # By name, whatever the object is: what is HParams is not known everywhere they are passed.
    for name in sorted(_OTHERS & set(called)):
        refuse(called[name], f"`{name}` of HParams")
    plan.needs(module, "types")
    if not (used := {name for name in _WRITTEN_OUT if name in called}):
        plan.replace(module, node, Code("types.SimpleNamespace"))
        return
    plan.write_out(module, "HParams")
    plan.members["HParams"] |= used
    plan.needs(module, *(name for method in used for name in _WRITTEN_OUT[method]))
    plan.replace(module, node, Code("HParams"))
