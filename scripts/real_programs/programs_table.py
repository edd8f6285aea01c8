"""Writes what came of the public programs into docs/explanation/coverage.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from real_program import FAMILIES, HERE, RealProgram
from run_one import Outcome

PAGE = HERE.parents[1] / "docs/explanation/coverage.md"
BEGIN = "<!-- real programs: made by scripts/real_programs/run.py --table -->"
END = "<!-- end of real programs -->"
_TREES = "### Their whole repositories"
# By target: the words around its table.
_NAMES = {"keras": "Keras programs", "eager": "eager programs"}
_MADE_BY = "<!-- {}: made by scripts/real_programs/run.py --target {} --table -->"
SHOWN = {
    "equal": "verified equal",
    "undecided": "runs, not shown to differ (free randomness)",
    "manual": "reported as manual",
    "different": "**different**",
    "failed": "**failed**",
    "no original": "the original does not train on 1.15",
    "open": "not run to the end",
}
_HEAD = {
    False: "| name | program | run as | outcome | steps | losses | variables | remarks |",
    True: "| name | program | first try, if other | now | steps | losses | variables | remarks |",
}


def _how(program: RealProgram) -> str:
    if program.cluster:
        return program.cluster.replace(",", ", ") + (", alternately" if program.turns else "")
    return f"{program.replicas} replicas" if program.replicas > 1 else "1 device"


def _remark(program: RealProgram) -> str:
    parts = [", ".join(program.manual)] if program.manual else []
    if program.first and not program.stand_ins:  # others have a column of it
        parts.append(f"first try: {SHOWN[program.first]}")
    if program.edits:
        parts.append(f"{len(program.edits)} numbers or paths changed in its code")
    return "; ".join([*parts, *([program.notes] if program.notes else [])]).replace("|", "\\|")


def _row(program: RealProgram, outcome: Outcome) -> str:
    link = f"https://github.com/{program.repository}/blob/{program.commit}/{program.file}"
    cells = [
        program.name,
        f"[{program.repository}: {program.file}]({link})",
        _how(program),
        SHOWN[outcome.outcome],
        outcome.steps if outcome.same else "",
        outcome.loss if outcome.same else "",
        outcome.variables if outcome.same else "",
        _remark(program),
    ]
    return f"| {' | '.join(cells)} |"


def _tree_row(program: RealProgram, outcome: Outcome) -> str:
    findings = sum(outcome.findings.values())
    wrong = len(outcome.outside) + len(outcome.not_compiled)
    cells = [program.name, outcome.files, outcome.changed, f"{outcome.seconds:.1f}", findings]
    cells += [len(outcome.manual), outcome.summary_lines, wrong]
    cells += [f"{outcome.imported} of {outcome.imported + len(outcome.import_errors)}"]
    return f"| {' | '.join(str(cell) for cell in cells)} |"


def _rows_of(text: str) -> dict[str, str]:
    """Returns the rows of tables by the names in them."""
    rows = (line for line in text.splitlines() if line.startswith("| "))
    return {row.split(" | ", 1)[0].removeprefix("| "): row for row in rows}


def _outcome_of(row: str) -> str:
    return row.split(" | ")[3]


def _counted(found: Iterable[str]) -> str:
    counts = Counter(found)
    words = [*SHOWN.values(), *sorted(set(counts) - set(SHOWN.values()))]
    return ", ".join(f"{counts[outcome]} {outcome}" for outcome in words if counts[outcome])


def _first(programs: Iterable[RealProgram], rows: Mapping[str, str]) -> list[str]:
    """Returns what came of the first tries."""
    return [SHOWN[p.first] if p.first else _outcome_of(rows[p.name]) for p in programs]


def _first_tries() -> set[tuple[str, str]]:
    """Returns the repositories and files that were written down before the first try."""
    lines = (HERE / "survey_constructs.txt").read_text("utf-8").splitlines()
    words = (line.split() for line in lines if line and not line.startswith("#"))
    return {(repository, file) for repository, _, file, _ in words}


def _summary(programs: Sequence[RealProgram], rows: Mapping[str, str]) -> list[str]:
    """Returns a table of what became of the programs of each construct."""
    listed = _first_tries()
    lines = [
        "| construct | programs | train the same | statistically | the others "
        "| the same at the first try, of those written down before it |",
        "|---|---|---|---|---|---|",
    ]
    for family in FAMILIES:
        of_family = [program for program in programs if program.family == family]
        if not of_family:
            continue
        now = [_outcome_of(rows[program.name]) for program in of_family]
        equal = now.count(SHOWN["equal"])
        free = sum("random" in outcome for outcome in now)
        codes = sorted({code for program in of_family for code in program.manual})
        others = _counted(o for o in now if o != SHOWN["equal"] and "random" not in o)
        if codes:
            others = others.replace(SHOWN["manual"], f"{SHOWN['manual']} ({', '.join(codes)})")
        first = _first((p for p in of_family if (p.repository, p.file) in listed), rows)
        tries = f"{first.count(SHOWN['equal'])} of {len(first)}" if first else ""
        cells = [family, str(len(now)), str(equal), str(free or ""), others, tries]
        lines.append(f"| {' | '.join(cells)} |")
    return [*lines, ""]


def section(
    programs: Sequence[RealProgram], outcomes: Mapping[str, Outcome], before: str = ""
) -> str:
    """Returns the text between BEGIN and END.

    Args:
        programs: all programs.
        outcomes: of those of the log.
        before: what the page has there: rows of other programs are kept.
    """
    tables, _, trees = before.partition(_TREES)
    rows, tree_rows = _rows_of(tables), _rows_of(trees)
    for program in programs:
        if program.name in outcomes:
            rows[program.name] = _row(program, outcomes[program.name])
            tree_rows[program.name] = _tree_row(program, outcomes[program.name])
    ran = [program for program in programs if program.name in rows]
    counted = _counted(_outcome_of(rows[program.name]) for program in ran)
    repositories = len({program.repository for program in ran})
    lines = [f"{len(ran)} programs of {repositories} repositories: {counted}.", ""]
    lines += _summary(ran, rows)
    for family in FAMILIES:
        of_family = [program for program in ran if program.family == family]
        if not of_family:
            continue
        lines += [f"### {family}", ""]
        lines += [_HEAD[False], "|" + "---|" * 8]
        lines += [rows[program.name] for program in of_family]
        lines += [""]
    lines += [_TREES, ""]
    lines += [
        "| name | Python files | changed | seconds | findings | manual | lines of summary "
        "| changed without a reason, or broken | imports as before |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [tree_rows[program.name] for program in ran]
    return "\n".join(lines)


def section_of_target(
    programs: Sequence[RealProgram], outcomes: Mapping[str, Outcome], before: str = ""
) -> str:
    """Returns the tables of another target than the default: what was chosen by a list apart.

    Args:
        programs: all programs of the target.
        outcomes: of those of the log.
        before: what the page has there: rows of other programs are kept.
    """
    rows = _rows_of(before)
    for program in programs:
        outcome = outcomes.get(program.name)
        if program.outcome in ("no original", "open"):
            outcome = outcome or Outcome(program.name, program.outcome)
        if outcome is None:
            continue
        row = _row(program, outcome)
        if program.stand_ins:
            first = SHOWN[program.first] if program.first else ""
            row = row.replace(" 1 device |", f" {first} |", 1)
        rows[program.name] = row
    lines: list[str] = []
    for of_survey in (False, True):
        ran = [p for p in programs if p.name in rows and p.stand_ins == of_survey]
        if not ran:
            continue
        repositories = len({program.repository for program in ran})
        now = [_outcome_of(rows[program.name]) for program in ran]
        lines += [f"{len(ran)} programs of {repositories} repositories: {_counted(now)}."]
        if of_survey:
            first = _first(ran, rows)
            lines[-1] = lines[-1].replace("programs", "programs, listed before the first try,")
            lines += [f"In the first try: {_counted(first)}."]
        lines += ["", _HEAD[of_survey], "|" + "---|" * 8]
        lines += [*(rows[program.name] for program in ran), ""]
    return "\n".join(lines).rstrip()


def write_table(
    target: str, programs: Sequence[RealProgram], outcomes: Mapping[str, Outcome]
) -> None:
    """Puts the tables of a target into docs/explanation/coverage.md, in the place of the old ones.

    Programs that are on the page and not among the outcomes keep their rows.

    Raises:
        ValueError: the page has no place for them.
    """
    begin, end, made = BEGIN, END, section
    if target in _NAMES:
        begin, end = _MADE_BY.format(_NAMES[target], target), f"<!-- end of {_NAMES[target]} -->"
        made = section_of_target
    text = PAGE.read_text(encoding="utf-8")
    before, found, rest = text.partition(begin)
    old, ended, after = rest.partition(end)
    if not found or not ended:
        raise ValueError(f"{PAGE} lacks {begin} or {end}")
    PAGE.write_text(
        f"{before}{begin}\n\n{made(programs, outcomes, old)}\n\n{end}{after}", encoding="utf-8"
    )
