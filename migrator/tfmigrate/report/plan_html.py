"""A migration plan as a self-contained HTML page without scripts."""

from collections.abc import Iterable, Sequence
from html import escape
from importlib import resources
from string import Template

from tfmigrate.model.findings import Finding
from tfmigrate.report import counts
from tfmigrate.report.doc_links import page_of
from tfmigrate.report.plan import FilePlan, Line, Plan, Step, advice
from tfmigrate.report.terminal import printable

_OPEN_FILES = 5  # the first files are unfolded, so that the page begins with the work


def document(plan: Plan) -> str:
    """Returns the page."""
    template = resources.files("tfmigrate").joinpath("data/plan.html").read_text("utf-8")
    return Template(template).substitute(
        origin=_text(plan.origin),
        summary=_text(plan.summary),
        work=_work(plan),
        rules=_rules(plan),
        files=_files(plan),
        steps="".join(_file(plan, file, n) for n, file in enumerate(plan.files, start=1)),
        version=_text(plan.version),
    )


def _work(plan: Plan) -> str:
    """Returns the steps to take, in order; steps without findings are left out."""
    done, unsafe = plan.totals[counts.DONE], plan.totals[counts.UNSAFE]
    manual, errors = plan.totals[counts.MANUAL], plan.totals[counts.ERROR]
    verb = "would make" if plan.dry_run else "made"
    fixed = plan.shown(counts.DONE)
    items = [
        (manual, f"<b class='manual'>{manual} manual</b>: follow the advice of each finding."),
        (
            unsafe,
            f"<b class='unsafe'>{unsafe} unsafe</b>: decide for each whether to make it with "
            "<code>tfmigrate --unsafe</code>. The finding says how training may change.",
        ),
        (errors, f"<b class='error'>{errors} failed</b>: fix the cause, then run tfmigrate again."),
        (done, f"<b class='fixed'>{done} {fixed}</b>: tfmigrate {verb} these changes."),
        (
            plan.totals[counts.KEPT],
            f"<b class='kept'>{plan.totals[counts.KEPT]} kept</b>: no action needed; these run as "
            "before, but not under tf.distribute.",
        ),
        (
            done + unsafe + manual,
            "Run <code>tfmigrate verify ORIGINAL MIGRATED</code> for each program to check that "
            "both train the same.",
        ),
    ]
    return "".join(f"<li>{text}</li>" for count, text in items if count)


def _rules(plan: Plan) -> str:
    rows = [
        f'<tr><td><a href="{escape(page_of(row.code))}">{row.code}</a> '
        f"{_text(plan.names[row.code])}</td>{_numbers(row.counts)}"
        f'<td class="number">{row.files}</td></tr>'
        for row in plan.rows
    ]
    head = f'{_heads(plan, "rule")}<th scope="col" class="number">files</th>'
    return f'<table id="rules"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>'


def _files(plan: Plan) -> str:
    rows = [
        f'<tr><td><a href="#file-{n}"><code>{_text(file.path)}</code></a></td>'
        f"{_numbers(file.counts)}</tr>"
        for n, file in enumerate(plan.files, start=1)
    ]
    head = f"<tr>{_heads(plan, 'file')}</tr>"
    return f'<table id="files"><thead>{head}</thead><tbody>{"".join(rows)}</tbody></table>'


def _heads(plan: Plan, first: str) -> str:
    states = "".join(f'<th scope="col" class="number">{state}</th>' for state in plan.states)
    return f'<th scope="col">{first}</th>{states}'


def _numbers(counted: dict[str, int]) -> str:
    return "".join(
        f'<td class="number {state if counted[state] else "none"}">{counted[state]}</td>'
        for state in counts.STATES
    )


def _file(plan: Plan, file: FilePlan, number: int) -> str:
    dry_run = plan.dry_run
    said = ", ".join(
        f'<span class="{state}">{file.counts[state]} {plan.shown(state)}</span>'
        for state in counts.STATES
        if file.counts[state]
    )
    errors = "".join(_finding(error, dry_run) for error in file.errors)
    steps = "".join(_step(step, dry_run) for step in file.steps)
    return (
        f'<details id="file-{number}"{" open" if number <= _OPEN_FILES else ""}>'
        f"<summary><code>{_text(file.path)}</code> {said}</summary>"
        f'<div class="body">{f"<ul>{errors}</ul>" if errors else ""}{steps}</div></details>'
    )


def _step(step: Step, dry_run: bool) -> str:
    list_items = "".join(_finding(finding, dry_run) for finding in step.findings)
    list_items = list_items or '<li class="soft">part of the changes of this file</li>'
    if step.also:
        list_items += f'<li class="soft">also at {_text(step.also)}</li>'
    if step.is_change:
        code = _pre(step.before, "before") + _pre(step.after, "after")
    else:
        code = _pre(step.before, "stays")
    return (
        f'<section class="step"><h3>{_text(step.place)}</h3><ul>{list_items}</ul>'
        f'<div class="code{"" if step.is_change else " one"}">{code}</div></section>'
    )


def _finding(finding: Finding, dry_run: bool) -> str:
    state, label = counts.state(finding), counts.label(finding, dry_run)
    action = f' <span class="soft">{_text(advice(finding))}</span>' if finding.action else ""
    return (
        f'<li><a href="{escape(page_of(finding.code))}">{finding.code}</a> '
        f'<b class="{state}">{label}</b> {_text(finding.message)}.{action}</li>'
    )


def _pre(lines: Sequence[Line], kind: str) -> str:
    shown = "".join(_lines(lines)) or '<span class="soft">(no lines)</span>'
    code = f'<pre class="{kind}" tabindex="0">{shown}</pre>'  # keys can scroll it
    return f"<figure><figcaption>{kind}</figcaption>{code}</figure>"


def _lines(lines: Iterable[Line]) -> Iterable[str]:
    for line in lines:
        mark = ' class="change"' if line.changes else ""
        yield f'<span{mark} data-line="{line.number}">{_text(line.text) or " "}</span>'


def _text(text: str) -> str:
    """Returns text for a page, with lone surrogates and control characters visible."""
    return escape("\t".join(printable(piece) for piece in text.split("\t")))
