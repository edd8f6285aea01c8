"""Every number of the README, the start page and the page of limits is that of its source."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README, INDEX, LIMITS = "README.md", "docs/index.md", "docs/reference/limits.md"
GPU = "docs/explanation/gpu.md"
COVERAGE, RESULTS = "docs/explanation/coverage.md", "docs/reference/verification_results.md"
KERAS = "docs/how_to/target_keras.md"
FAMILIES = {
    r"\[`Experiment`": "experiment",
    r"\[`replicate_model_fn`": "replicate_model_fn",
    r"\[`replica_device_setter`": "replica_device_setter",
    r"\[multi-GPU towers": "towers",
    r"\[`tf.contrib.distribute`": "contrib_distribute",
    r"\[other Estimators": "estimator",
    r"\[other TensorFlow 1.x code": "other TF1",
}
# What a page says, where that comes from, and how it is said there: the groups are the same.
CLAIMS = [
    (README, r"caught (\d+) of \d+ seeded faults", RESULTS, r"\n(\d+) wrong migrations of 53"),
    (README, r"the other (\d+) change no recorded", RESULTS, r"(\d+) more change nothing"),
    (README, r"no false alarm on (\d+) right", RESULTS, r"\n(\d+) runs on 2 cores"),
    (README, r"within ([\d.e-]+) of TensorFlow 1\.15", KERAS, r"dense_adam \| \S+ \| (\S+)"),
    (README, r"In (\d+) unseen repositories", COVERAGE, r"\n(\d+) of the \d+ repositories of"),
    (README, r"resolved in (\d+%) of all", COVERAGE, r"\n\| all \|[^|]*\| \d+ of 472 \((\d+%)\)"),
    (
        INDEX,
        r"same\]\(\S+\) \| (\d+) of (?P<all>\d+), and (\d+) stat",
        COVERAGE,
        r"\n(?P<all>\d+) programs of \d+ repositories: (\d+) verified equal, (\d+) runs",
    ),
    (INDEX, r"\| (\d+%); every", COVERAGE, r"\n\| all \|[^|]*\| \d+ of 472 \((\d+%)\)"),
    (INDEX, r"catches\]\(\S+\) \| (\d+) of \d+;", README, r"caught (\d+) of \d+ seeded"),
    (INDEX, r"catches\]\(\S+\) \| \d+ of (\d+);", README, r"caught \d+ of (\d+) seeded"),
    (INDEX, r"\| 0 of (\d+) \|", RESULTS, r"\n(\d+) runs on 2 cores"),
    (INDEX, r"GPU\]\(\S+\) \| (\d+) of (\d+) \|", GPU, r"(\d+) of (\d+) fixtures hold"),
    (LIMITS, r"tables of TensorFlow (2\.21)", "migrator/tfmigrate/tables/symbol_table.py", ""),
]
# Numbers that count nothing of ours: versions, and arguments in the examples.
NAMES = "|".join(
    (
        r"TensorFlow \d[\d.x\u2013]*|1\.15 to 2\.15",
        r"Python \d[\d.]*|Keras 3|2\.1[56]|2\.21|1\.15(\.5)?",
        r"exit code \d|Exit codes: 0|; 1, something|; 2, a file|TFM\d+|Apache-2\.0",
        r"semantics, 1\.11|rung \d",
    )
)


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def said(match: re.Match[str]) -> list[str]:
    """Returns the numbers of a place; that of all files comes last."""
    named = match.groupdict()
    return [g for g in match.groups() if g not in named.values()] + list(named.values())


@pytest.mark.parametrize(("page", "claim", "source", "origin"), CLAIMS, ids=lambda v: v[:40])
def test_a_number_is_that_of_its_source(page: str, claim: str, source: str, origin: str) -> None:
    places = list(re.finditer(claim, " ".join(text_of(page).split())))
    assert len(places) == 1, "the page no longer says this once"
    if origin:
        found = re.search(origin, text_of(source))
        assert found, f"{source} no longer says this"
        assert said(places[0]) == said(found)


def test_the_faults_that_are_counted_are_those_of_the_results() -> None:
    (caught, of, others) = re.search(
        r"caught (\d+) of (\d+) seeded faults; the other (\d+)", " ".join(text_of(README).split())
    ).groups()  # type: ignore[union-attr]
    assert int(caught) + int(others) == int(of)


def test_public_programs_of_each_family_are_those_of_the_page() -> None:
    public = text_of(COVERAGE).partition("<!-- real programs:")[2]
    for row, family in FAMILIES.items():
        section = public.partition(f"\n### {family}\n")[2].partition("\n### ")[0]
        programs = [line for line in section.splitlines() if line.startswith("| ")][1:]
        equal = sum("| verified equal |" in line for line in programs)
        free = sum("not shown to differ" in line for line in programs)
        (cell,) = re.findall(rf"\n\| {row}[^\n]*\| ([^|\n]*) \|\n", text_of(README))
        shown = f"{equal} of {len(programs)}" + (f", and {free} statistically" if free else "")
        assert cell == (shown if programs else "not measured")


@pytest.mark.parametrize("page", [README, INDEX, LIMITS])
def test_no_number_is_without_a_source(page: str) -> None:
    text = " ".join(text_of(page).split())
    for where, claim, *_ in CLAIMS:
        if where == page:
            text = re.sub(claim, "]", text)
    text = re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)|<!--.*?-->", " ", text)
    for known in OF_OTHER_TESTS if page == README else ():
        text = re.sub(known, " ", text)
    left = re.findall(r"[^.]{0,30}(?<![\w.])\d[\w.%-]*", re.sub(NAMES, " ", text))
    assert not left


# Compared in test_readme.py and above.
OF_OTHER_TESTS = (
    r"\d+ of our \d+ Estimator programs become",
    r", which leaves out summaries, \d+, and \d+ public programs of \d+ repositories",
    r"converts our \d+ programs",
    r"of \d+ seeded faults",
    r"\d+ of \d+(, and \d+ statistically)?",
)
