"""A migration plan in Markdown, for an issue, a pull request or a wiki."""

import re
from collections.abc import Iterator, Sequence

from tfmigrate.report import counts
from tfmigrate.report.doc_links import page_of
from tfmigrate.report.plan import FilePlan, Line, Plan, Step, advice

_BACKTICKS = re.compile(r"`+")


def document(plan: Plan) -> str:
    """Returns the plan as GitHub-flavoured Markdown."""
    return "\n".join(_lines(plan)) + "\n"


def _lines(plan: Plan) -> Iterator[str]:
    done = "would make" if plan.dry_run else "made"
    yield f"# Migration plan\n\n{_escaped(plan.origin)}\n\n{_escaped(plan.summary)}\n"
    heads = " | ".join(plan.states)
    yield "| | findings | |\n|---|---|---|"
    fixed = plan.shown(counts.DONE)
    yield f"| manual | {plan.totals[counts.MANUAL]} | need manual work |"
    yield f"| unsafe | {plan.totals[counts.UNSAFE]} | your decision: applied with `--unsafe` |"
    yield f"| error | {plan.totals[counts.ERROR]} | files that failed |"
    yield f"| {fixed} | {plan.totals[counts.DONE]} | tfmigrate {done} these changes |"
    yield f"| kept | {plan.totals[counts.KEPT]} | run as before, but not under tf.distribute |"
    if not plan.rows:
        return
    yield f"\n## By rule\n\n| rule | | {heads} | files |"
    yield "|---|---|---|---|---|---|---|---|"
    for row in plan.rows:
        cells = " | ".join(str(row.counts[state]) for state in counts.STATES)
        link = f"[{row.code}]({page_of(row.code)})"
        yield f"| {link} | {plan.names[row.code]} | {cells} | {row.files} |"
    yield f"\n## Files, the most work first\n\n| file | {heads} |"
    yield "|---|---|---|---|---|---|"
    for file in plan.files:
        cells = " | ".join(str(file.counts[state]) for state in counts.STATES)
        yield f"| {_code(file.path)} | {cells} |"
    for file in plan.files:
        yield from _file(file, plan.dry_run)


def _file(file: FilePlan, dry_run: bool) -> Iterator[str]:
    yield f"\n### {_code(file.path)}\n"
    for error in file.errors:
        yield f"* **{error.code}** {_escaped(error.message)}. {_escaped(advice(error))}"
    for step in file.steps:
        yield from _step(step, dry_run)


def _step(step: Step, dry_run: bool) -> Iterator[str]:
    yield f"\n**{step.place}**\n"
    for finding in step.findings:
        label = counts.label(finding, dry_run)
        said = f"{_escaped(finding.message)}. {_escaped(advice(finding))}".rstrip()
        yield f"* {finding.code} ({label}): {said}"
    if step.also:
        yield f"* also at {step.also}"
    if not step.findings:
        yield "* part of the changes of this file"
    yield from _fenced(step)


def _fenced(step: Step) -> Iterator[str]:
    lines = [*step.before, *step.after]
    fence = "`" * max([3, *(len(r) + 1 for li in lines for r in _BACKTICKS.findall(li.text))])
    is_diff = step.is_change
    yield f"\n{fence}{'diff' if is_diff else 'python'}"
    yield from _marked(step.before, "-" if is_diff else "")
    yield from _marked(step.after, "+")
    yield fence


def _marked(lines: Sequence[Line], mark: str) -> Iterator[str]:
    yield from (mark + line.text for line in lines)


def _code(text: str) -> str:
    return f"`{text}`" if "`" not in text else _escaped(text)


def _escaped(text: str) -> str:
    """Returns text that Markdown shows unchanged, except code between backticks."""
    return re.sub(r"([\\*_<>|\[\]#])", r"\\\1", text)
