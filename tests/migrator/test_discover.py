from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tfmigrate.files.discover import Discovery, UsageError, discover
from tfmigrate.model.findings import Severity

SCAN, STAT = os.scandir, os.stat


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("import tensorflow\n")


def git_init(folder: Path) -> None:
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)


def names(discovery: Discovery) -> list[str]:
    assert discovery.findings == []
    return [candidate.display for candidate in discovery.candidates]


def test_an_empty_folder_holds_nothing(tree: Path) -> None:
    assert names(discover(["."])) == []


def test_only_python_files_and_notebooks_are_found_in_sorted_order(tree: Path) -> None:
    write(tree, "b.py", "a/z.py", "a/b/c.py", "a.txt", "c.pyc", "d.ipynb", "py", ".py.swp")
    assert names(discover(["."])) == ["a/b/c.py", "a/z.py", "b.py", "d.ipynb"]


def test_paths_in_the_current_folder_are_shown_relative_and_others_as_named(tree: Path) -> None:
    write(tree, "here/a.py", "there/b.py")
    os.chdir(tree / "here")
    absolute = str(tree / "here")
    assert names(discover([absolute, "../there", str(tree / "there" / "b.py")])) == [
        "a.py",
        "../there/b.py",
    ]


def test_a_path_that_does_not_exist_is_a_usage_error(tree: Path) -> None:
    with pytest.raises(UsageError, match=r"^no such file or folder: nowhere\.py$"):
        discover(["nowhere.py"])


def test_an_impossible_path_is_a_usage_error_of_one_line(tree: Path) -> None:
    for name in ("a\0b", "x" * 5000):
        with pytest.raises(UsageError, match="cannot use the path") as caught:
            discover([name])
        assert "\n" not in str(caught.value)


def test_named_files_are_taken_whatever_they_are_called_and_even_if_ignored(tree: Path) -> None:
    git_init(tree)
    (tree / ".gitignore").write_text("*\n")
    write(tree, "train.py", "script", ".venv/lib.py")
    found = discover(["train.py", "script", ".venv/lib.py"], exclude=["train.py"])
    assert names(found) == ["train.py", "script", ".venv/lib.py"]
    assert all(candidate.named for candidate in found.candidates)


def test_a_file_is_taken_once_and_stays_named(tree: Path) -> None:
    write(tree, "a.py", "b.py")
    (tree / "link.py").symlink_to("a.py")
    found = discover([".", "b.py", "./a.py", str(tree)])
    assert names(found) == ["a.py", "b.py"]
    assert [candidate.named for candidate in found.candidates] == [True, True]


def test_foreign_and_generated_folders_are_left_out(tree: Path) -> None:
    skipped = [".git", ".hidden", ".venv", "venv", "node_modules", "__pycache__", "build", "dist"]
    write(tree, *(f"{name}/x.py" for name in [*skipped, "deep/build", "pkg.egg-info", "keep"]))
    write(tree, "myenv/lib/x.py")
    (tree / "myenv" / "pyvenv.cfg").write_text("home = /usr/bin\n")
    assert names(discover(["."])) == ["keep/x.py"]
    assert names(discover(["build", "myenv"])) == ["build/x.py", "myenv/lib/x.py"]


def test_gitignore_files_hold_for_their_folder_and_below(tree: Path) -> None:
    git_init(tree)
    (tree / ".gitignore").write_text("generated/\n/top.py\n*_pb2.py\n")
    write(tree, "top.py", "a/top.py", "a/generated/x.py", "a/x_pb2.py", "b/keep_pb2.py")
    (tree / "b" / ".gitignore").write_text("!keep_pb2.py\n")
    assert names(discover(["."])) == ["a/top.py", "b/keep_pb2.py"]


def test_a_whitelist_takes_back_what_it_names(tree: Path) -> None:
    git_init(tree)
    (tree / ".gitignore").write_text("*\n!*/\n!train*.py\n")
    write(tree, "train.py", "other.py", "a/b/train_eval.py", "a/b/other.py")
    assert names(discover(["."])) == ["a/b/train_eval.py", "train.py"]


def test_the_repository_above_a_subfolder_has_its_say(tree: Path) -> None:
    git_init(tree)
    (tree / ".gitignore").write_text("/models/old/\n")
    (tree / ".git" / "info" / "exclude").write_text("scratch*.py\n")
    write(tree, "models/old/x.py", "models/new/x.py", "models/new/scratch1.py")
    assert names(discover(["models"])) == ["models/new/x.py"]
    os.chdir(tree / "models")
    assert names(discover(["."])) == ["new/x.py"]
    os.chdir(tree / "models" / "new")
    assert names(discover([".."])) == ["../new/x.py"]


def test_a_named_folder_is_searched_even_if_it_is_ignored(tree: Path) -> None:
    git_init(tree)
    (tree / ".gitignore").write_text("/out/\n")
    write(tree, "out/gen/x.py", "out/gen/y.py")
    (tree / "out" / "gen" / ".gitignore").write_text("y.py\n")
    assert names(discover(["out", "out/gen"])) == ["out/gen/x.py"]


def test_gitignore_holds_outside_of_a_repository_too(tree: Path) -> None:
    write(tree, "a/x.py", "a/y.py")
    (tree / "a" / ".gitignore").write_text("y.py\r\n")
    assert names(discover(["."])) == ["a/x.py"]


def test_a_worktree_uses_the_exclude_file_of_its_repository(tree: Path) -> None:
    main = tree / "main"
    git_init(main)
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    for command in (
        [*identity, "commit", "--quiet", "--allow-empty", "--message=x"],
        ["worktree", "add", "--quiet", "../work"],
    ):
        subprocess.run(["git", "-C", str(main), *command], check=True)
    (main / ".git" / "info" / "exclude").write_text("y.py\n")
    write(tree / "work", "x.py", "y.py")
    assert names(discover(["work"])) == ["work/x.py"]


def test_repositories_inside_a_repository_are_left_out(tree: Path) -> None:
    git_init(tree)
    write(tree, "x.py", "module/y.py", "clone/z.py")
    (tree / "module" / ".git").write_text("gitdir: ../.git/modules/module\n")
    git_init(tree / "clone")
    assert names(discover(["."])) == ["x.py"]
    assert names(discover(["clone"])) == ["clone/z.py"]


def test_repositories_side_by_side_are_each_searched_by_their_own_rules(tree: Path) -> None:
    for name in ("one", "two"):
        write(tree / name, "x.py", "y.py")
        git_init(tree / name)
    (tree / "one" / ".gitignore").write_text("x.py\n")
    (tree / "two" / ".git" / "info" / "exclude").write_text("y.py\n")
    assert names(discover(["."])) == ["one/y.py", "two/x.py"]


def test_exclude_takes_gitignore_patterns(tree: Path) -> None:
    write(tree, "a/x.py", "a/b/x.py", "c/x.py", "c/y.py", "x.py")
    assert names(discover(["."], exclude=["a/b/", "/x.py", "y.*"])) == ["a/x.py", "c/x.py"]
    assert names(discover(["."], exclude=["*", "!c", "!y.py"])) == ["c/y.py"]


def test_exclude_is_relative_to_the_named_folder_outside_of_the_current_one(tree: Path) -> None:
    write(tree, "elsewhere/a/x.py", "elsewhere/b/x.py")
    (tree / "here").mkdir()
    os.chdir(tree / "here")
    assert names(discover(["../elsewhere"], exclude=["/a/"])) == ["../elsewhere/b/x.py"]


def test_a_meaningless_exclude_is_a_usage_error(tree: Path) -> None:
    with pytest.raises(UsageError, match="--exclude"):
        discover(["."], exclude=["!"])


def test_links_to_files_do_not_lead_out_of_the_named_folders(tree: Path) -> None:
    write(tree, "real/x.py", "outside.txt", "there/y.py")
    write(tree, "search/z.py", "search/program", "search/venv/v.py", "search/venv/program")
    links = {
        "folder": tree / "real",
        "outside.py": tree / "outside.txt",
        "other.py": tree / "there" / "y.py",
        "again.py": Path("z.py"),
        "inside.py": Path("program"),
        "left_out.py": Path("venv/v.py"),
        "left_out_too.py": Path("venv/program"),
        "dangling.py": Path("gone.py"),
    }
    for name, target in links.items():
        (tree / "search" / name).symlink_to(target)
    found = discover(["search"])
    assert names(found) == ["search/z.py", "search/inside.py"]
    assert [skipped.path for skipped in found.skipped] == ["search/other.py", "search/outside.py"]
    assert found.skipped[0].detail == str(tree / "there" / "y.py")
    # What is named is taken, wherever it leads.
    assert names(discover(["search/other.py"])) == ["search/other.py"]
    assert names(discover(["search/folder"])) == ["search/folder/x.py"]
    found = discover(["search", "there/y.py"])
    assert names(found) == ["search/z.py", "there/y.py", "search/inside.py"]
    assert [skipped.path for skipped in found.skipped] == ["search/outside.py"]


IDENTITY = ("-c", "user.name=a", "-c", "user.email=a@example.com")


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *IDENTITY, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.mark.parametrize("version", ["2", "4"])
@pytest.mark.parametrize("form", ["sha1", "sha256"])
def test_tracked_files_are_taken_though_they_are_ignored(
    tree: Path, version: str, form: str
) -> None:
    git(tree, "init", f"--object-format={form}", ".")
    write(tree, "kept_pb2.py", "out/deep/a.py", "out/deep/c.py", "out/new.py", "free.py")
    git(tree, "add", "kept_pb2.py", "out/deep/a.py", "out/deep/c.py")
    git(tree, "update-index", "--index-version", version)
    write(tree, "new_pb2.py")
    (tree / ".gitignore").write_text("*_pb2.py\n/out/\n")
    found = discover(["."])
    assert names(found) == ["free.py", "kept_pb2.py", "out/deep/a.py", "out/deep/c.py"]
    assert found.ignored == 2
    assert names(discover(["."], exclude=["out/deep/c.py"]))[-1] == "out/deep/a.py"
    git(tree, "update-index", "--split-index")
    git(tree, "add", "--force", "out/new.py")
    assert "out/new.py" in names(discover(["."]))


def test_a_worktree_has_an_index_of_its_own(tree: Path) -> None:
    git(tree, "init", "main")
    main = tree / "main"
    write(main, "a.py", "b.py")
    git(main, "add", "a.py")
    git(main, "commit", "-m", "x")
    git(main, "worktree", "add", "../work")
    write(tree / "work", "b.py")
    git(tree / "work", "add", "b.py")
    for folder in (main, tree / "work"):
        (folder / ".gitignore").write_text("*.py\n")
    assert names(discover(["main"])) == ["main/a.py"]
    assert names(discover(["work"])) == ["work/a.py", "work/b.py"]


@pytest.mark.parametrize("index", [b"", b"DIRC", b"DIRC\0\0\0\2\0\0\0\7short", b"\xff" * 200])
def test_an_index_that_cannot_be_read_tracks_nothing(tree: Path, index: bytes) -> None:
    git_init(tree)
    write(tree, "a.py", "b.py")
    (tree / ".gitignore").write_text("a.py\n")
    (tree / ".git" / "index").write_bytes(index)
    assert names(discover(["."])) == ["b.py"]


@pytest.mark.parametrize("seed", range(8))
def test_the_tracked_files_agree_with_git(tree: Path, seed: int) -> None:
    rng = random.Random(seed)
    git_init(tree)
    for _ in range(40):
        folders = [rng.choice(["a", "b" * 70, "\u00e9"]) for _ in range(rng.randint(0, 3))]
        write(tree, "/".join([*folders, rng.choice(["a.py", "b.py", "k.ipynb", "x.txt"])]))
    some = [str(path) for path in tree.rglob("*.*") if path.is_file() and ".git" not in path.parts]
    git(tree, "add", *rng.sample(sorted(some), k=min(9, len(some))))
    (tree / ".gitignore").write_text(rng.choice(["*\n", "*.py\n", "a/\n", "a.py\nb*\n"]))
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True,
        capture_output=True,
    ).stdout.decode()
    expected = {name for name in listing.split("\0") if name.endswith((".py", ".ipynb"))}
    assert set(names(discover(["."]))) == expected


def test_links_in_a_circle_end(tree: Path) -> None:
    write(tree, "a/x.py")
    (tree / "a" / "up").symlink_to("..")
    (tree / "a" / "self.py").symlink_to("self.py")
    found = discover(["."])
    assert [candidate.display for candidate in found.candidates] == ["a/x.py"]
    (finding,) = found.findings
    assert (finding.path, finding.severity) == ("a/self.py", Severity.ERROR)
    assert "symbolic links" in finding.message


def test_an_unreadable_folder_is_an_error_and_the_others_are_searched(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tree, "a/x.py", "secret/x.py", "z/x.py")

    def scan(path: Any) -> Iterator[os.DirEntry[str]]:
        if str(path).endswith("secret"):
            raise PermissionError(13, "Permission denied", str(path))
        return SCAN(path)

    def status(path: Any, **options: Any) -> os.stat_result:
        if "secret/" in os.fspath(path):
            raise PermissionError(13, "Permission denied", str(path))
        return STAT(path, **options)

    monkeypatch.setattr(os, "scandir", scan)  # root may read every folder
    monkeypatch.setattr(os, "stat", status)
    found = discover(["."])
    assert [candidate.display for candidate in found.candidates] == ["a/x.py", "z/x.py"]
    (finding,) = found.findings
    assert (finding.path, finding.code, finding.severity) == ("secret", "TFM902", Severity.ERROR)
    assert finding.message == "cannot read the folder: Permission denied"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every folder")
def test_a_folder_without_permissions_is_an_error(tree: Path) -> None:
    write(tree, "a/x.py", "secret/x.py")
    (tree / "secret").chmod(0)
    try:
        found = discover(["."])
        assert discover(["secret"]).findings == found.findings
    finally:
        (tree / "secret").chmod(0o755)
    assert [candidate.display for candidate in found.candidates] == ["a/x.py"]
    assert [finding.path for finding in found.findings] == ["secret"]


def test_a_folder_whose_ignore_file_is_unreadable_is_not_searched(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tree, "a/x.py", "b/x.py")
    (tree / "b" / ".gitignore").write_text("x.py\n")

    def forbid(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "read_bytes", forbid)
    found = discover(["."])
    assert [candidate.display for candidate in found.candidates] == ["a/x.py"]
    assert [finding.path for finding in found.findings] == ["b"]


def test_roots_are_the_named_folders_and_those_of_named_files(tree: Path) -> None:
    write(tree, "a/x.py", "b/x.py", "b/y.py")
    assert discover(["a", "b/x.py", "b/y.py"]).roots == [Path("a"), Path("b")]


PATTERNS = [
    *("*", "!*/", "!*.py", "foo/", "foo/*", "foo/**", "!foo/keep/", "!foo/keep", "/a", "!/a/"),
    *("a/b", "**/b", "b.py", "!b.py", "/foo/b.py", "a/**/b.py", "*.py", "!keep.py", "/*", "!/foo"),
    *("[ab].py", "?.py", "foo/*/", "\\!x.py", "# comment", "a.py ", "!a/", "keep/*.py", "**"),
    *("!**/", "foo**", "a/", "!foo/**", "", "!", "a\\"),
]


@pytest.mark.parametrize("seed", range(40))
def test_the_ignore_rules_agree_with_git(tree: Path, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(14):
        folders = [rng.choice(["a", "b", "foo", "keep"]) for _ in range(rng.randint(0, 3))]
        write(tree, "/".join([*folders, rng.choice(["a.py", "b.py", "keep.py", "!x.py"])]))
    folders_below = sorted(path for path in tree.rglob("*") if path.is_dir())
    for folder in [tree, *rng.sample(folders_below, k=min(2, len(folders_below)))]:
        lines = rng.sample(PATTERNS, k=rng.randint(1, 5))
        (folder / ".gitignore").write_text("\n".join(lines) + "\n")
    git_init(tree)
    (tree / ".git" / "info" / "exclude").write_text(rng.choice(PATTERNS) + "\n")
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--others", "--exclude-standard"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    expected = [name for name in listing.split("\0") if name.endswith(".py")]
    assert sorted(names(discover(["."]))) == sorted(expected)
