"""Feature columns become small classes that are written out, by their names in ``tables``.

Keras 3 has no feature columns, and its FeatureSpace is adapted to data first. The classes have the
vocabularies and buckets that the program gives, and the variables of TensorFlow 1.x.
"""

import ast

from tfmigrate.resolve.module import Module
from tfmigrate_keras.arguments import Arguments
from tfmigrate_keras.conversion import Conversion, refuse
from tfmigrate_keras.tables import columns
from tfmigrate_keras.tables.entry import Entry


def convert_feature_columns(plan: Conversion) -> None:
    """Plans the edits of all calls of tf.feature_column.

    Raises:
        Refusal: a column has no equivalent.
    """
    is_parsed = any(m.uses_of(columns.PARSING) for m in plan.program.modules)
    plan.members["NumericColumn"] = {"name", "__call__", *["parse_spec"] * is_parsed}
    for module in plan.program.modules:
        for use in module.uses:
            entry = (columns.COLUMNS | columns.OF_EXAMPLES).get(use.qualified)
            if entry is not None and plan.first_time(use.node):
                if use.qualified == columns.NUMERIC and is_parsed:
                    entry = columns.PARSED_NUMERIC
                elif use.qualified in columns.CATEGORICAL and is_parsed:
                    reason = "is parsed as a sparse tensor"
                    refuse(use.node, f"`{ast.unparse(use.node)}` {reason}")
                _convert(plan, module, use.node, entry)


def _convert(
    plan: Conversion, module: Module, node: ast.Name | ast.Attribute, entry: Entry
) -> None:
    if (call := module.call_of(node)) is None:
        refuse(node, f"`{ast.unparse(node)}` is used in another way than to be called")
    plan.replace(module, call, Arguments(module, call, entry).code(plan))
    plan.write_out(module, entry.target)
    plan.needs(module, "keras")
