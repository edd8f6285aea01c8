"""Horovod's hook that broadcasts variables becomes the runtime's.

What it does:
    Replaces `BroadcastGlobalVariablesHook` of `horovod.tensorflow`.

Why:
    Horovod defines it only where `tf.estimator` has SessionRunHook, which TensorFlow 2.16 removed:
    `hvd.BroadcastGlobalVariablesHook` is an AttributeError there. The rest of Horovod for sessions
    (`hvd.DistributedOptimizer`, `hvd.broadcast_global_variables`) stays as it is.

Example:
    Before::

        import horovod.tensorflow as hvd
        import tensorflow as tf

        def main(model_fn, input_fn):
          hvd.init()
          hooks = [hvd.BroadcastGlobalVariablesHook(0)]
          tf.estimator.Estimator(model_fn).train(input_fn, hooks=hooks)

    After::

        import horovod.tensorflow as hvd
        from tfmigrate_runtime import estimator
        from tfmigrate_runtime import horovod

        def main(model_fn, input_fn):
          hvd.init()
          hooks = [horovod.BroadcastGlobalVariablesHook(0)]
          estimator.Estimator(model_fn).train(input_fn, hooks=hooks)

What is left to you:
    A Horovod that is built for the TensorFlow that you install.

Safety:
    Safe: it runs Horovod's own broadcast at the same time.
"""

import ast

from tfmigrate.families.tf1.migrated_files import file_draft, migrated
from tfmigrate.model.edits import ChangeImport, Code, Edit, ReplaceExpression
from tfmigrate.resolve.guards import is_guarded
from tfmigrate.resolve.module import imports
from tfmigrate.rulekit.basics import Drafts, Program, Severity
from tfmigrate.rulekit.runtime_import import import_of, runtime_import, runtime_name
from tfmigrate.tables.runtime_api import HOROVOD

SEVERITY = Severity.FIXED
KEPT_FOR_ESTIMATOR = True

_HOOK = "BroadcastGlobalVariablesHook"
_OF_HOROVOD = f"horovod.tensorflow.{_HOOK}"


def check(program: Program) -> Drafts:
    """Yields one draft for every file that names the hook."""
    for module in migrated(program, _HOOK):
        places: list[ast.AST] = []
        edits: list[Edit] = []
        for binding in imports(module):
            if binding.qualified == _OF_HOROVOD and not is_guarded(module, binding.statement):
                code = import_of(f"{HOROVOD.target}.{_HOOK}", binding.local)
                places.append(binding.statement)
                edits.append(ChangeImport(binding.statement, binding.alias, code))
        nodes = [
            use.node
            for use in module.uses_of(_OF_HOROVOD)
            if isinstance(use.node, ast.Attribute) and not is_guarded(module, use.node)
        ]
        if nodes:
            name = f"{runtime_name(module, HOROVOD)}.{_HOOK}"
            edits += [ReplaceExpression(node, Code(name)) for node in nodes]
            edits += runtime_import(module, HOROVOD, *nodes)
        if places := [*places, *nodes]:
            message = f"{_HOOK} of Horovod -> tfmigrate_runtime.horovod"
            yield file_draft(program, module, places, edits, message)
