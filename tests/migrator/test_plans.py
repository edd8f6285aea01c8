from __future__ import annotations

import json
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from test_cli import BY_HAND, ORIGINAL, UNRELATED, put
from test_output_formats import NOTEBOOK, UNSAFE

from tfmigrate import cli
from tfmigrate.engine.outcome import FileTexts, Outcome
from tfmigrate.files.source import SourceFile
from tfmigrate.model.findings import Finding, Severity
from tfmigrate.report.documents import report_of
from tfmigrate.report.plan import advice

_VOID = ("meta", "br", "img", "link", "hr", "input")


class _Page(HTMLParser):
    """Checks that tags are closed in order, and gathers what a page loads and says."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.addresses: list[tuple[str, str]] = []
        self.lines: dict[str, list[str]] = {"before": [], "after": [], "stays": []}
        self.rows: dict[str, list[list[str]]] = {}
        self._pre = self._table = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        self.tags.append(tag)
        self.addresses += [(tag, v or "") for k, v in attrs if k in ("href", "src")]
        if tag not in _VOID:
            self.open.append(tag)
        if tag == "pre":
            self._pre = known.get("class") or ""
        elif tag == "span" and self._pre:
            self.lines[self._pre].append("")
        elif tag == "table":
            self._table = known["id"] or ""
            self.rows[self._table] = []
        elif tag == "tr":
            self.rows[self._table].append([])
        elif tag in ("td", "th"):
            self.rows[self._table][-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        if tag == "pre":
            self._pre = ""

    def handle_data(self, data: str) -> None:
        if self._pre and self.open[-1] == "span":
            self.lines[self._pre][-1] += data
        elif {"td", "th"} & set(self.open):
            self.rows[self._table][-1][-1] += data


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "easy.py", "# <b>&amp; ```\n" + ORIGINAL)
    put(tmp_path / "unsafe.py", UNSAFE)
    put(tmp_path / "hard.py", BY_HAND)
    put(tmp_path / "broken.py", ORIGINAL + "def (:\n")
    put(tmp_path / "other.py", UNRELATED)
    put(tmp_path / "book.ipynb", json.dumps(NOTEBOOK))
    return tmp_path


def page(folder: Path, *options: str, code: int = 2) -> _Page:
    assert cli.main(["-q", *options, "--no-cache", "--report", "plan.html", "."]) == code
    text = (folder / "plan.html").read_text("utf-8")
    parsed = _Page(text)
    assert parsed.open == []
    assert "script" not in parsed.tags
    assert "$" not in re.sub(r"<pre.*?</pre>", "", text, flags=re.DOTALL)
    return parsed


def test_the_page_is_whole_and_loads_nothing(here: Path) -> None:
    parsed = page(here, "--check")
    assert {tag for tag, _ in parsed.addresses} == {"a"}
    for _, address in parsed.addresses:
        assert address.startswith(("#file-", "https://github.com/tfmigrate/tfmigrate/blob/main/"))
    assert (here / "easy.py").read_text() == "# <b>&amp; ```\n" + ORIGINAL


def test_it_names_the_project_the_commit_and_the_day(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")

    def shown(*options: str) -> str:
        for name in ("broken.py", "hard.py", "unsafe.py"):
            (here / name).unlink(missing_ok=True)
        page(here, *options, code=1)
        text = (here / "plan.html").read_text("utf-8")
        return text.partition('<p class="soft">')[2].partition("</p>")[0]

    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=User", "-c", "user.email=user@example.org")
        subprocess.run(["git", *identity, *arguments], cwd=here, check=True, capture_output=True)

    assert shown("--check") == f"{here.name}, 2023-11-14"
    git("init")
    assert shown("--check") == f"{here.name}, 2023-11-14"
    git("add", "easy.py")
    git("commit", "-m", "first")
    commit = rf"{here.name}, commit [0-9a-f]{{7,}}"
    assert re.fullmatch(rf"{commit}, 2023-11-14", shown("--check"))
    (here / "easy.py").write_text(ORIGINAL + "# changed\n")
    assert re.fullmatch(rf"{commit} with uncommitted changes, 2023-11-14", shown("--check"))
    assert re.fullmatch(rf"{commit}, 2023-11-14", shown())  # the changes are the run's


@pytest.mark.parametrize(("options", "word"), [(("--check",), "fixable"), ((), "fixed")])
def test_what_was_not_written_is_fixable(here: Path, options: tuple[str, ...], word: str) -> None:
    for suffix in ("html", "md"):
        assert cli.main(["-q", *options, "--no-cache", "--report", f"plan.{suffix}", "easy.py"]) < 2
        text = (here / f"plan.{suffix}").read_text("utf-8")
        (here / "easy.py").write_text(ORIGINAL)
        other = {"fixable": "fixed", "fixed": "fixable"}[word]
        assert re.search(rf">{word}<|\| {word} \|", text)
        assert not re.search(rf"\b\d+ {other}\b|>{other}<|\| {other} \|", text)


def test_files_are_ordered_by_the_work_that_is_left(here: Path) -> None:
    head, *rows = page(here, "--check").rows["files"]
    assert head == ["file", "fixable", "kept", "unsafe", "manual", "error"]
    assert "other.py" not in {row[0] for row in rows}
    efforts = [tuple(int(count) for count in row[:0:-1]) for row in rows]
    assert efforts == sorted(efforts, reverse=True)
    assert next(row[0] for row in rows) == "broken.py"
    assert [row[0] for row in rows][-1] == "easy.py"
    by_rule = page(here, "--check").rows["rules"][1:]
    sums = [sum(int(row[column]) for row in by_rule) for column in range(1, 5)]
    assert sums == [sum(int(row[column]) for row in rows) for column in range(1, 5)]


@pytest.mark.parametrize("options", [("--check",), ()])
def test_every_change_is_shown_before_and_after(here: Path, options: tuple[str, ...]) -> None:
    for name in ("unsafe.py", "hard.py", "broken.py", "book.ipynb"):
        (here / name).unlink()
    before = (here / "easy.py").read_text()
    parsed = page(here, *options, code=1 if options else 0)
    cli.main(["-q", "easy.py"])
    after = (here / "easy.py").read_text()
    old, new = before.splitlines(), after.splitlines()
    shown_old, shown_new = (list(parsed.lines[k]) for k in ("before", "after"))
    shown_old = [line for line in shown_old if line != "(no lines)"]
    shown_new = [line for line in shown_new if line not in ("(no lines)", " ")]
    assert sorted(shown_old) == sorted(line for line in old if line not in new)
    assert sorted(shown_new) == sorted(line for line in new if line and line not in old)


def test_what_needs_a_human_is_shown_where_it_stands(here: Path) -> None:
    parsed = page(here, "--check")
    stays = "\n".join(parsed.lines["stays"])
    assert "grads = tf.gradients(loss, tf.trainable_variables())" in stays
    assert "x = tf.contrib.tpu.keras_to_tpu_model()" in stays
    assert "cell 2, line 2" in (here / "plan.html").read_text()


def test_a_plan_in_markdown_has_the_same_counts(here: Path) -> None:
    rows = page(here, "--check").rows["files"][1:]
    assert cli.main(["-q", "--check", "--no-cache", "--report", "plan.md", "."]) == 2
    text = (here / "plan.md").read_text("utf-8")
    table = text.partition("## Files, the most work first")[2].partition("###")[0]
    cells = [[c.strip(" `") for c in li.split("|")[1:-1]] for li in table.splitlines()[4:] if li]
    assert cells == rows
    fences = re.findall(r"^(`{3,})", text, re.MULTILINE)
    assert len(fences) % 2 == 0
    assert "-  optimizer = tf.contrib.estimator.TowerOptimizer(optimizer)\n" in text


def test_a_plan_of_nothing_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "a.py", UNRELATED)
    assert cli.main(["-q", "--report", "plan.md", "--report", "plan.html", "."]) == 0
    assert "Nothing to do" in (tmp_path / "plan.md").read_text()
    assert "Nothing to do" in (tmp_path / "plan.html").read_text()


def test_a_report_that_cannot_be_written_is_an_error(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(here / "only" / "a.py", UNRELATED)
    assert cli.main(["-q", "only", "--report", "nowhere/plan.html"]) == 2
    assert "--report: nowhere/plan.html cannot be written: No such file" in capsys.readouterr().err


@pytest.mark.parametrize("suffix", [".md", ".html"])
def test_places_of_which_the_same_is_said_are_one_step(suffix: str) -> None:
    text = "x = 1\n" * 30
    file = SourceFile(Path("a.py"), "a.py", text, encoding="utf-8", bom=False)
    findings = [
        Finding("a.py", line, 1, "TFM401", Severity.MANUAL, "found", "do it", applied=False)
        for line in range(2, 27)
    ]
    outcome = Outcome(dry_run=True, findings=findings, texts=[FileTexts(file, text)])
    page = report_of(outcome, suffix)
    assert page.count("also at line 3, line 4, line 5, ") == 1
    assert ", line 26" in page
    assert page.count("do it") == 1


@pytest.mark.parametrize(
    ("severity", "action", "sentence"),
    [
        (Severity.MANUAL, "rename it", "To do: rename it."),
        (Severity.KEPT, "no action needed: it runs", "No action needed: it runs."),
        (Severity.FIXED, "", ""),
    ],
)
def test_advice_is_a_sentence(severity: Severity, action: str, sentence: str) -> None:
    finding = Finding("a.py", 1, 1, "TFM702", severity, "m", action, applied=not action)
    assert advice(finding) == sentence


@pytest.mark.parametrize("suffix", ["md", "html"])
def test_what_a_person_must_do_comes_first(here: Path, suffix: str) -> None:
    put(here / "mixed.py", ORIGINAL + "x = tf.contrib.tpu.keras_to_tpu_model()\n")
    assert cli.main(["-q", "--check", "--no-cache", "--report", f"plan.{suffix}", "."]) == 2
    text = (here / f"plan.{suffix}").read_text("utf-8")
    words = ("manual", "unsafe", "error", "fixable", "kept")
    row = r"^\| ({}) \| \d" if suffix == "md" else "<b class='({})'>"
    work = re.findall(row.format("|".join((*words, "fixed"))), text, re.MULTILINE)
    work = [word.replace("fixed", "fixable") for word in work]
    assert work == list(words)[: len(work)]  # a page leaves out what there is none of
    of_file = text.rpartition("mixed.py")[2]
    assert -1 < of_file.find("keras_to_tpu_model") < of_file.find("TowerOptimizer")
