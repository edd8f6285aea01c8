"""The same import, added to a file by several rules at different places.

Rules do not know of each other: each adds what its own code needs.
"""

from collections.abc import Sequence

from tfmigrate.model.edits import Edit, InsertAfter, InsertBefore
from tfmigrate.resolve.module import Module


def imported_once(module: Module, edits: Sequence[Edit]) -> list[Edit]:
    """Returns edits that add each import at the top level of a file at its first place only."""
    first: dict[str, tuple[int, bool]] = {}
    for edit in edits:
        if (code := _added_import(module, edit)) and (place := _place(edit)) is not None:
            first[code] = min(place, first.get(code, place))
    return [
        edit
        for edit in edits
        if _place(edit) == first.get(_added_import(module, edit), _place(edit))
    ]


def _added_import(module: Module, edit: Edit) -> str:
    if not isinstance(edit, (InsertBefore, InsertAfter)):
        return ""
    is_import = edit.code.template.startswith(("import ", "from "))
    is_at_top = module.parent(edit.statement) is module.tree
    return edit.code.template if is_import and is_at_top else ""


def _place(edit: Edit) -> tuple[int, bool] | None:
    if not isinstance(edit, (InsertBefore, InsertAfter)):
        return None
    return edit.statement.lineno, isinstance(edit, InsertAfter)
