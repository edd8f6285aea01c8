"""Whether a program can become a Keras 3 model, and the edits that make it one."""

from __future__ import annotations

from tfmigrate.families.native.conversion import Conversion
from tfmigrate.families.native.driver import convert_estimator, estimators
from tfmigrate.families.native.rest import convert_rest
from tfmigrate.families.native.run_config import remove_configs
from tfmigrate.families.native.strategies import convert_strategies
from tfmigrate.model.refusals import Refusal
from tfmigrate.resolve.program import Program


def conversion(program: Program) -> Conversion | Refusal | None:
    """Returns the conversion of a program, why there is none, or None without an Estimator."""
    plan = Conversion(program)
    found = estimators(plan)
    if not found:
        return None
    try:
        for module, call in found:
            convert_estimator(plan, module, call)
        for module in program.modules:
            remove_configs(plan, module)
        convert_strategies(plan)
        convert_rest(plan)
    except Refusal as refusal:
        return refusal
    return plan
