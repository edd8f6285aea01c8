"""Statements of several cells of a notebook, which one function cannot hold."""

from tfmigrate.model.edits import StatementsToFunction
from tfmigrate_keras.conversion import Conversion, refuse


def check_cells(plan: Conversion) -> None:
    """Checks that what becomes a function stands in one cell.

    Raises:
        Refusal: it is spread over several cells.
    """
    for module, edits in plan.edits.items():
        for edit in edits:
            if not isinstance(edit, StatementsToFunction):
                continue
            first, last = module.cell(edit.first), module.cell(edit.last)
            if first != last:
                reason = f"lines from here to cell {last} would become one function"
                refuse(edit.first, reason, "merge these cells, then run tfmigrate again")
