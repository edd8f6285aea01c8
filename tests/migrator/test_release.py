"""What a release consists of: the changelog's form, versions, requirements and the workflow."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
import sys
from importlib.metadata import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
SETUP = str(ROOT / "setup.py")
CHECK = ROOT / "scripts" / "release" / "check_version.py"
CHANGELOG = (ROOT / "CHANGELOG.md").read_text("utf-8")
KINDS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
VERSION = r"\d+\.\d+\.\d+"
# Licenses as pip's metadata name them, by that of the page.
CLASSIFIERS = {
    "Apache-2.0": "Apache",
    "BSD-3-Clause": "BSD|3-Clause",
    "MIT": "MIT",
    "MPL-2.0": "MPL",
    "PSF-2.0": "Python Software Foundation",
}


def project(file: str) -> dict[str, object]:
    found: dict[str, object] = tomllib.loads((ROOT / file).read_text("utf-8"))["project"]
    return found


def problems(changelog: str) -> list[str]:
    """Returns what is not of the form of keepachangelog.com."""
    found = []
    if not changelog.startswith("# Changelog\n"):
        found.append("title")
    versions = re.findall(r"^## (.*)$", changelog, re.MULTILINE)
    for place, version in enumerate(versions):
        name = re.fullmatch(rf"\[(Unreleased)\]|\[({VERSION})\] - \d{{4}}-\d\d-\d\d", version)
        if name is None or bool(name[1]) != (place == 0):
            found.append(version)
        elif not re.search(rf"^\[{name[1] or name[2]}\]: https://", changelog, re.MULTILINE):
            found.append(f"no link for {version}")
    numbers = [
        tuple(map(int, v.split("."))) for v in re.findall(rf"^## \[({VERSION})", changelog, re.M)
    ]
    if numbers != sorted(set(numbers), reverse=True):
        found.append("order")
    for part in re.split(r"^## .*$", changelog, flags=re.MULTILINE)[1:]:
        kinds = re.findall(r"^### (.*)$", part, re.MULTILINE)
        if kinds != [kind for kind in KINDS if kind in kinds]:
            found.append(f"kinds: {kinds}")
    return found


@pytest.mark.parametrize(
    "text",
    [
        CHANGELOG.replace("# Changelog", "# News", 1),
        CHANGELOG.replace("### Added", "### Speed", 1),
        CHANGELOG.replace("## [Unreleased]", "## Unreleased", 1),
        CHANGELOG.replace("[Unreleased]: ", "Unreleased: "),
        CHANGELOG + "\n## [0.1.0]\n",
        CHANGELOG + "\n## [0.1.0] - 2026-01-02\n",
    ],
)
def test_other_forms_are_told(text: str) -> None:
    assert problems(text) != []


def test_the_changelog_has_the_form_of_keep_a_changelog() -> None:
    assert problems(CHANGELOG) == []


def test_the_migrator_requires_three_packages_and_its_own_runtime() -> None:
    required = project("pyproject.toml")["dependencies"]
    assert isinstance(required, list)
    everywhere = [line for line in required if ";" not in line]
    names = [re.split(r"[<>=]", line)[0] for line in everywhere]
    assert names == ["libcst", "pathspec", "rich", "tfmigrate-runtime"]
    assert project("runtime/pyproject.toml")["dependencies"] == []


@pytest.mark.parametrize(("version", "state"), [("0.2.0", "v0.2.0"), ("0.3.0.dev0", "main")])
def test_links_of_the_description_lead_to_the_repository(
    monkeypatch: pytest.MonkeyPatch, version: str, state: str
) -> None:
    place = f"https://github.com/tfmigrate/tfmigrate/blob/{state}"
    raw = f"https://raw.githubusercontent.com/tfmigrate/tfmigrate/{state}"
    text = "![a\nb](docs/a.svg) [c](docs/c.md#d), [e](https://f.org) [g](#h)\n"
    expected = f"![a\nb]({raw}/docs/a.svg) [c]({place}/docs/c.md#d), [e](https://f.org) [g](#h)\n"
    monkeypatch.setitem(sys.modules, "setuptools", SimpleNamespace(setup=None))
    assert runpy.run_path(SETUP)["description"](text, version) == expected


def test_the_readme_is_the_description(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, str] = {}
    monkeypatch.setitem(sys.modules, "setuptools", SimpleNamespace(setup=given.update))
    runpy.run_path(SETUP, run_name="__main__")
    assert given["long_description_content_type"] == "text/markdown"
    links = re.findall(r"\]\(([^)]+)\)", given["long_description"])
    assert len(links) > 20
    assert all(link.startswith("https://") for link in links)
    assert project("pyproject.toml")["dynamic"] == ["readme"]


def test_the_page_has_the_license_of_every_requirement() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    table = dict(
        re.findall(r"^\| ([\w-]+) \| ([\w.-]+) \| [`t]", page.partition("## Licenses")[2], re.M)
    )
    runtime = project("runtime/pyproject.toml")["optional-dependencies"]
    own = project("pyproject.toml")
    extras = own["optional-dependencies"]
    assert isinstance(runtime, dict) and isinstance(extras, dict)
    assert isinstance(own["dependencies"], list)
    lines = [*own["dependencies"], *extras["py2"], *runtime["tensorflow"], *runtime["verify"]]
    names = {re.split(r"[<>=\[]", line)[0] for line in lines} - {"tfmigrate-runtime"}
    assert names == set(table)
    for name in ("libcst", "pathspec", "rich", "fissix"):  # others need not be installed here
        known = metadata(name)
        texts = (known["License-Expression"], known["License"], *known.get_all("Classifier", []))
        assert re.search(CLASSIFIERS[table[name]], "\n".join(filter(None, texts))), name


def test_the_tag_has_to_be_the_version(tmp_path: Path) -> None:
    version = project("pyproject.toml")["version"]
    (tmp_path / "scripts" / "release").mkdir(parents=True)
    (tmp_path / "runtime").mkdir()
    shutil.copy(CHECK, tmp_path / "scripts" / "release")
    for file in ("pyproject.toml", "runtime/pyproject.toml"):
        shutil.copy(ROOT / file, tmp_path / file)

    def check(tag: str) -> tuple[int, str]:
        command = [sys.executable, tmp_path / "scripts" / "release" / CHECK.name, tag]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## [Unreleased]\n")
    assert check(f"v{version}") == (1, f"CHANGELOG.md has no section [{version}]\n")
    assert check("v9.9.9") == (1, "pyproject.toml does not have the version of the tag v9.9.9\n")
    released = (
        f"## [{version}] - 2026-12-01\n\n### Added\n\n- All: [a](docs/a.md), [b](https://b.org).\n"
    )
    (tmp_path / "CHANGELOG.md").write_text(released)
    address = f"https://github.com/tfmigrate/tfmigrate/blob/v{version}/docs/a.md"
    notes = f"### Added\n\n- All: [a]({address}), [b](https://b.org).\n"
    assert check(f"v{version}") == (0, notes)


def test_the_workflow_publishes_what_was_tested_and_built() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text("utf-8"))["jobs"]
    assert jobs["publish"]["needs"] == ["tests", "build"]
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    commands = [step["run"] for step in jobs["build"]["steps"] if "run" in step]
    assert any("check_version.py" in command for command in commands)
    assert {c for c in commands if "-m build" in c} == {
        "python -m build --outdir dist runtime",
        "python -m build --outdir dist .",
    }
    secrets = (ROOT / ".github/workflows/release.yml").read_text("utf-8").count("secrets.")
    assert secrets == 0


def test_the_site_keeps_older_versions_and_starts_with_the_newest(tmp_path: Path) -> None:
    release = runpy.run_path(str(ROOT / "scripts" / "release" / "site.py"))
    built, site = tmp_path / "built", tmp_path / "site"
    (site / "0.9.1").mkdir(parents=True)
    (site / "0.10.0").mkdir()
    for folder in (site / "0.9.1", site / "0.10.0"):
        (folder / "sitemap.xml").write_text(folder.name)
    built.mkdir()
    (built / "sitemap.xml").write_text("new")
    assert release["versions"](site, "0.9.2") == ["0.10.0", "0.9.2", "0.9.1"]
    release["place"](built, site, "0.9.2", "0.10.0")
    assert 'url=0.10.0/"' in (site / "index.html").read_text()
    assert (site / "0.9.2" / "sitemap.xml").read_text() == "new"
    assert (site / "sitemap.xml").read_text() == "0.10.0"
    assert (site / "0.9.1").is_dir() and (site / ".nojekyll").is_file()


def test_the_site_is_published_with_the_release_and_built_for_every_change() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text("utf-8"))["jobs"]
    assert jobs["site"]["needs"] == "publish"
    assert any("scripts/release/site.py" in step.get("run", "") for step in jobs["site"]["steps"])
    checks = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text("utf-8"))["jobs"]
    assert checks["docs"]["steps"][-1] == {"run": "make docs"}
