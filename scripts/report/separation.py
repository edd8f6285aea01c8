"""Verifies right and wrong forms of the tests' programs: how far apart they are, what was said.

    python scripts/report/separation.py --log runs.jsonl
    python scripts/report/separation.py --log runs.jsonl --alarms LOG --mutations RUNS --write

The forms are those of tests/verify/test_new_programs.py and test_other_programs.py, each one
replacement in a session program, verified against a recording of that program. Runs that the log
has are not made again, so this can be interrupted. The figure has the migrated programs of the
fixtures besides, from the log of false_alarms.py, and wrong migrations of them, from what
mutation_report.py keeps: how far apart the first step is that differs.

--write draws docs/images/separation.svg, both kinds of forms on one axis, and puts the faults into
"Seeded faults" of verification_results.md. Programs run in forks of a process that has imported
TensorFlow (tests/warm_python).
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path

from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.compare_updates import of_variables
from tfmigrate_runtime.verify.running.run_program import Program, run_recorded
from tfmigrate_runtime.verify.traces.trace import at_common_steps

ROOT = Path(__file__).parents[2]
for _name in ("", "verify", "mutations", "warm_python"):
    sys.path.insert(0, str(ROOT / "tests" / _name))

import test_new_programs as first  # noqa: E402
import test_other_programs as second  # noqa: E402
from verify_command import Ended, run_command  # noqa: E402
from warm_launcher import write_launcher  # noqa: E402

PAGE = ROOT / "docs/reference/verification_results.md"
FIGURE = ROOT / "docs/images/separation.svg"
PROGRAMS = ROOT / "tests/verify/programs"
ARGUMENTS = {**second.ARGUMENTS, first.PROGRAM: first.OUT}
_BEGIN, _END = "<!-- seeded faults: begin -->\n", "<!-- seeded faults: end -->"
_TIMEOUT_SECONDS = 300.0
_APART = re.compile(r"differs by ([\d.e+-]+) of its size, ([\d.e+-]+) is allowed")
# As the sentences of diagnosis.py and graph_differences.py begin.
_CAUSES = ("weights", "slots", "average", "In the graph", "In step ", "Only the")
_LEAST, _MOST = 1e-4, 1e8  # of the figure's axis


@dataclass(frozen=True)
class Form:
    """A program with one replacement.

    Attributes:
        program: its file.
        old: what is replaced.
        new: by what.
        is_right: whether it trains as the program.
    """

    program: str
    old: str
    new: str
    is_right: bool


@dataclass(frozen=True)
class Run:
    """What ``tfmigrate verify`` said of a form.

    Attributes:
        form: which one.
        code: the exit code.
        rung: that differs, "" where none does.
        share: of what is allowed that losses or updates are apart at most; None where other things
            than numbers differ.
        said: the cause, or how it differs.
    """

    form: Form
    code: int
    rung: str
    share: float | None
    said: str


def forms() -> Iterator[Form]:
    """Yields all forms."""
    for is_right, cases in ((False, second.WRONG), (True, second.RIGHT)):
        for program, old, new in cases:
            yield Form(program, old, new, is_right)
    for old, new, *_ in first.WRONG_IN_TURN:
        yield Form(first.IN_TURN, old, new, False)
    for old, new in first.RIGHT:
        yield Form(first.PROGRAM, old, new, True)
    for old, new, *_ in first.WRONG:
        yield Form(first.PROGRAM, old, new, False)


def share_of(ended: Ended) -> float | None:
    """Returns the share of what is allowed, without noise, that two programs are apart."""
    shares = []
    for item in ended.compared:
        original, migrated = at_common_steps(item.original, item.migrated)
        tolerance = Tolerance().with_old_averages(original)
        found = [*of_variables(original, migrated, tolerance)[0].values()]
        if original.loss.shape == migrated.loss.shape:
            found.append(tolerance.losses(original.loss, migrated.loss))
        shares += [each.quotient for each in found]
    is_finite = shares and math.isfinite(max(shares))
    return max(shares) if is_finite else None


def verified(form: Form, trace: Path, folder: Path, python: str) -> Run:
    """Verifies a form against the recording of its program."""
    copy = folder / form.program
    copy.write_text((PROGRAMS / form.program).read_text().replace(form.old, form.new))
    line = [str(PROGRAMS / form.program), str(copy), "--trace", str(trace), "--quiet"]
    ended = run_command([*line, "--", *ARGUMENTS.get(form.program, ())], python)
    details = ended.rung.outcome.details if ended.rung and ended.rung.outcome else (ended.error,)
    causes = [line for line in details if line.startswith(_CAUSES)]
    return Run(form, ended.code, ended.told, share_of(ended), [*causes, *details][0])


def done_before(log: Path) -> list[Run]:
    """Returns the runs of a log."""
    lines = log.read_text().splitlines() if log.exists() else []
    found = [json.loads(line) for line in lines if line.endswith("}")]
    return [Run(**{**entry, "form": Form(**entry["form"])}) for entry in found]


def make_runs(log: Path) -> None:
    """Makes the runs that are not in the log."""
    done = {run.form for run in done_before(log)}
    with tempfile.TemporaryDirectory(prefix="tfmigrate-separation-") as name:
        folder = Path(name)
        python = str(write_launcher(folder, sys.executable))
        for form in forms():
            if form in done:
                continue
            trace = folder / f"{form.program}.npz"
            if not trace.exists():
                arguments = ARGUMENTS.get(form.program, ())
                script = PROGRAMS / form.program
                run_recorded(Program(script, arguments, python), trace, _TIMEOUT_SECONDS)
            run = verified(form, trace, folder, python)
            with log.open("a") as stream:
                stream.write(json.dumps(asdict(run)) + "\n")
            if (run.code == 0) != form.is_right:
                print(f"{form}: exit code {run.code}: {run.rung}: {run.said}", flush=True)


def table(runs: Sequence[Run]) -> Iterator[str]:
    """Yields the lines about the faults."""
    faults = [run for run in runs if not run.form.is_right]
    named = [run for run in faults if run.code == 1 and "another direction" not in run.said]
    found = sum(run.code == 1 for run in faults)
    right = [run.code for run in runs if run.form.is_right]
    yield (
        f"{len(faults)} faults, each one replacement in a program of tests/verify/programs: "
        f"{found} are found. Of {len(named)} the report names the cause or the place, of the "
        f'others it says "another direction". Of {len(right)} right replacements {right.count(0)} '
        "are the same."
    )
    yield ""
    yield "| program | replaced | by | rung | apart/limit | first line of the report |"
    yield "|---|---|---|---|---|---|"
    for run in faults:
        share = "-" if run.share is None or run.share < 1 else f"{run.share:.1e}"
        cells = [run.form.program, _code(run.form.old), _code(run.form.new)]
        cells += [run.rung or "none", share, _cell(run.said if run.code else "")]
        yield f"| {' | '.join(cells)} |"


def _code(text: str) -> str:
    shown = " ".join(text.split())
    return f"`{_cell(shown if len(shown) <= 48 else shown[:45] + '...')}`" if shown else "nothing"


def _cell(text: str) -> str:
    return text.splitlines()[0].replace("|", "\\|") if text else ""


def figure(right: Sequence[float], wrong: Sequence[float]) -> str:
    """Returns the figure: a point for each program, by its share of what is allowed."""
    width, height, left, end = 860, 190, 120, 840

    def place(share: float) -> float:
        clipped = min(max(share, _LEAST), _MOST)
        span = math.log10(_MOST / _LEAST)
        return left + (end - left) * math.log10(clipped / _LEAST) / span

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        'font-family="sans-serif" font-size="13">',
        "<title>Right and wrong programs by apart/limit</title>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for power in range(int(math.log10(_LEAST)), int(math.log10(_MOST)) + 1, 2):
        x = place(10.0**power)
        lines.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="20" y2="140" stroke="#ddd"/>')
        text = "1" if not power else f"1e{power}"
        lines.append(f'<text x="{x:.1f}" y="160" text-anchor="middle">{text}</text>')
    limit = place(1.0)
    lines.append(f'<line x1="{limit:.1f}" x2="{limit:.1f}" y1="14" y2="140" stroke="#444"/>')
    rows = (("right", right, 50, "#1f6feb"), ("wrong", wrong, 105, "#c2410c"))
    for name, shares, y, color in rows:
        lines.append(f'<text x="8" y="{y + 4}">{escape(name)} ({len(shares)})</text>')
        for number, share in enumerate(sorted(shares)):
            dy = (number % 5 - 2) * 6
            lines.append(
                f'<circle cx="{place(share):.1f}" cy="{y + dy}" r="4" fill="{color}" '
                f'fill-opacity="0.55"><title>{share:.2g}</title></circle>'
            )
    label = "largest difference of a loss or an update, divided by what is allowed"
    lines += [f'<text x="{(left + end) / 2}" y="182" text-anchor="middle">{label}</text>', "</svg>"]
    return "\n".join(lines) + "\n"


def shares_of(
    runs: Sequence[Run], alarms: Path | None, mutations: Path | None
) -> tuple[list[float], list[float]]:
    """Returns the shares of right programs, and those of wrong ones whose numbers differ."""
    right = [run.share for run in runs if run.form.is_right and run.share is not None]
    wrong = [run.share for run in runs if not run.form.is_right and run.share is not None]
    wrong = [share for share in wrong if share > 0]
    if alarms is not None:
        entries = map(json.loads, alarms.read_text().splitlines())
        right += [max(entry["loss"], entry["variable"]) for entry in entries]
    if mutations is not None:
        lines = (mutations / "runs.jsonl").read_text().splitlines()
        found = (_APART.search(json.loads(line)["details"]) for line in lines)
        wrong += [float(each[1]) / float(each[2]) for each in found if each is not None]
    return right, wrong


def main() -> None:
    """Makes the runs; prints the table, or writes the page and the figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--log", type=Path, required=True, help="a line of JSON for every run")
    parser.add_argument("--alarms", type=Path, help="the log of false_alarms.py")
    parser.add_argument("--mutations", type=Path, help="the folder of mutation_report.py")
    parser.add_argument("--write", action="store_true", help="run nothing, write page and figure")
    options = parser.parse_args()
    if not options.write:
        make_runs(options.log)
    runs = done_before(options.log)
    text = "\n".join(table(runs)) + "\n"
    if not options.write:
        print(text)
        return
    before, begin, rest = PAGE.read_text().partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        sys.exit(f"{PAGE} has no place for the table")
    PAGE.write_text(before + begin + text + end + after)
    FIGURE.write_text(figure(*shares_of(runs, options.alarms, options.mutations)))


if __name__ == "__main__":
    main()
