"""Exporters of an EvalSpec, as small classes that are written out.

Keras has no exports during training. The best of several evaluations is known to the callback
that makes them, which calls the exporter.
"""

import ast

from tfmigrate.model.edits import Code
from tfmigrate.resolve.calls import called
from tfmigrate.resolve.module import Module
from tfmigrate_keras.arguments import as_text
from tfmigrate_keras.conversion import Conversion, arguments_of, literal, refuse
from tfmigrate_keras.exports import inputs_of_export
from tfmigrate_keras.tensors import source

_RECEIVER = "serving_input_receiver_fn"
_PARAMETERS = {
    "LatestExporter": ("name", _RECEIVER, "assets_extra", "as_text", "exports_to_keep"),
    "FinalExporter": ("name", _RECEIVER, "assets_extra", "as_text"),
    "BestExporter": (
        *("name", _RECEIVER, "event_file_pattern", "compare_fn", "assets_extra", "as_text"),
        "exports_to_keep",
    ),
}
_KINDS = {f"tensorflow.estimator.{name}": name for name in _PARAMETERS}
_EVENTS = "eval/*.tfevents.*"
_KEPT = ("exports_to_keep", "compare_fn")


def has_exporters(plan: Conversion) -> bool:
    """Returns whether a program exports after evaluations."""
    return any(module.uses_of(name) for module in plan.program.modules for name in _KINDS)


def convert_exporters(plan: Conversion, module: Module, node: ast.expr) -> Code | None:
    """Plans the edits of exporters; returns the code of a list of them, None for none.

    Args:
        node: the argument ``exporters`` of an EvalSpec.

    Raises:
        Refusal: one of them does something that has no equivalent.
    """
    if literal(node) in (None, [], ()):
        return None
    held = source(module, node)
    is_list = isinstance(held, (ast.List, ast.Tuple))
    for element in held.elts if isinstance(held, (ast.List, ast.Tuple)) else [node]:
        _convert(plan, module, element)
    return Code("{0}" if is_list else "[{0}]", (node,))


def _convert(plan: Conversion, module: Module, element: ast.expr) -> None:
    call = source(module, element)
    if (kind := _KINDS.get(called(module, call))) is None or not isinstance(call, ast.Call):
        refuse(element, f"the exporter `{ast.unparse(call)[:60]}`")
    arguments = arguments_of(call, _PARAMETERS[kind], "an exporter")
    for name, value in arguments.items():
        if name in ("name", _RECEIVER, *_KEPT):
            continue
        if name == "event_file_pattern":
            if literal(value) != _EVENTS:
                refuse(value, "`event_file_pattern` of an exporter is not the default")
        elif literal(value) not in (None, False):
            refuse(value, f"`{name}` of an exporter")
    if _RECEIVER not in arguments:
        refuse(call, f"an exporter has no `{_RECEIVER}`")
    if not plan.first_time(call):
        return
    inputs = inputs_of_export(plan, module, arguments[_RECEIVER])
    parts = [*inputs.parts]
    texts = [as_text(inputs) if "name" in arguments else f"inputs={as_text(inputs)}"]
    if "name" in arguments:
        texts.insert(0, f"{{{len(parts)}}}")
        parts.append(arguments["name"])
    for name in (name for name in _KEPT if name in arguments):
        texts.append(f"{name}={{{len(parts)}}}")
        parts.append(arguments[name])
    for piece in (kind, "export_model", "EvaluateAndExport"):
        plan.write_out(module, piece)
    plan.needs(module, "keras", "os", "shutil", "time")
    plan.replace(module, call, Code(kind, tuple(parts), tuple(texts)))
