"""Which module makes which format; each is loaded where it is asked for."""

import importlib
from collections.abc import Callable

from tfmigrate.engine.outcome import Outcome

SUFFIXES = (".html", ".md", ".json", ".sarif")
"""What the name of a report's file may end in."""
PLANS = (".html", ".md")
"""Those whose reports show code, for which a run has to keep its texts."""

WITH_EDITS = (".json", ".sarif")
"""Those that have the edits of a dry run, made of the texts too."""


def document(outcome: Outcome, kind: str) -> str:
    """Returns the findings in a format of ``--format``: json, sarif or github."""
    renderer: Callable[[Outcome], str] = importlib.import_module(
        f"tfmigrate.report.as_{kind}"
    ).document
    return renderer(outcome)


def report_of(outcome: Outcome, suffix: str) -> str:
    """Returns the report that a file of ``--report`` gets, by the end of its name."""
    if suffix not in PLANS:
        return document(outcome, suffix[1:])
    from tfmigrate.report import plan, plan_html, plan_markdown

    migration_plan = plan.plan_of(outcome)
    return (
        plan_html.document(migration_plan)
        if suffix == ".html"
        else plan_markdown.document(migration_plan)
    )
