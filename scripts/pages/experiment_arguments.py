"""Writes the table of docs/how_to/experiment.md: where TFM102 puts each argument of an Experiment.

python scripts/pages/experiment_arguments.py
"""

from __future__ import annotations

from pathlib import Path

from tfmigrate.families.experiment.experiments import ARGUMENTS

PAGE = Path(__file__).parents[2] / "docs/how_to/experiment.md"
BEGIN, END = "<!-- arguments: begin -->\n", "<!-- arguments: end -->\n"


def table() -> str:
    """Returns the table, as Markdown."""
    lines = ["| argument | becomes |", "|---|---|"]
    for argument in ARGUMENTS:
        place = argument.place.value.format(
            f"{argument.new_name}=..." if argument.new_name else "..."
        )
        lines.append(f"| `{argument.name}` | {place} |")
    return "\n".join(lines) + "\n"


def page(text: str) -> str:
    """Returns the text of the page with the table of now."""
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}{table()}{END}{tail}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
