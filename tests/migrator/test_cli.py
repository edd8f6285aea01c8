from __future__ import annotations

import codecs
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import pytest

from tfmigrate import __version__, cli
from tfmigrate.files import write
from tfmigrate.rulekit.registry import rules

ORIGINAL = """\
import tensorflow as tf


def model_fn(features, labels, mode):
  loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features['x'], 1))
  optimizer = tf.train.GradientDescentOptimizer(0.1)
  optimizer = tf.contrib.estimator.TowerOptimizer(optimizer)
  train_op = optimizer.minimize(loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def main(input_fn):
  classifier = tf.estimator.Estimator(
      model_fn=tf.contrib.estimator.replicate_model_fn(model_fn))  # \u00e9
  classifier.train(input_fn, steps=100)
"""

BY_HAND = ORIGINAL.replace(
    "  train_op = optimizer.minimize(loss, tf.train.get_global_step())\n",
    "  grads = tf.gradients(loss, tf.trainable_variables())\n"
    "  train_op = optimizer.apply_gradients(zip(grads, tf.trainable_variables()))\n",
)

UNRELATED = "print('no trace of it here')\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(path: Path, text: str = ORIGINAL, encoding: str = "utf-8") -> bytes:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode(encoding))
    return path.read_bytes()


def tfmigrate(
    *arguments: str, folder: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs tfmigrate as its own process."""
    command = [sys.executable, "-m", "tfmigrate", *arguments]
    path = os.pathsep.join(entry for entry in sys.path if entry)
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )


def usage_error(arguments: Sequence[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Runs tfmigrate in this process and returns its one line of complaint."""
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    output = capsys.readouterr()
    assert caught.value.code == 2
    assert output.out == ""
    usage, complaint = output.err.splitlines()
    assert usage.startswith("usage: tfmigrate")
    return complaint


# Nothing to do.


def test_nothing_to_do_is_said_plainly(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here / "a.py", UNRELATED)
    put(here / "b.py", "import tensorflow as tf  # TensorFlow 2\n\nx = tf.constant(1)\n")
    before = {path.name: path.stat().st_mtime_ns for path in here.iterdir()}
    assert cli.main(["."]) == 0
    output = capsys.readouterr()
    expected = "Nothing to do: no TensorFlow 1.x distributed training code found in 2 files.\n"
    assert (output.out, output.err) == (expected, "")
    assert {path.name: path.stat().st_mtime_ns for path in here.iterdir()} == before


def test_files_of_a_tree_that_do_not_name_tensorflow_are_not_parsed_but_named_ones_are(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(here / "old.py", "print 'Python 2, none of our business'\n")
    assert cli.main(["."]) == 0
    assert cli.main(["old.py"]) == 2
    assert "old.py:1:1  TFM900" in capsys.readouterr().err


def test_quiet_prints_nothing_when_all_is_well(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(here / "a.py")
    assert cli.main(["-q", "."]) == 0
    output = capsys.readouterr()
    assert (output.out, output.err) == ("", "")


# Usage errors: one line, exit code 2.


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "no path given; use `tfmigrate .` to migrate the current folder"),
        (["--check"], "no path given"),
        (["nowhere"], "no such file or folder: nowhere"),
        (["-q", "verify"], "put the command first: tfmigrate verify"),
        (["--dif", "."], "unrecognized arguments: --dif"),
        (["--select", "TFM9999", "."], "--select: unknown code TFM9999; `tfmigrate rules`"),
        (["--select", "TFM201,", "."], "--select: unknown code ''"),
        (["--ignore", "TFM201,W605", "."], "--ignore: unknown code W605"),
        (["--exclude", "!", "."], "--exclude"),
        (["--quiet", "--verbose", "."], "not allowed with argument"),
        (["--color", "sometimes", "."], "invalid choice: 'sometimes'"),
        (["explain"], "the following arguments are required: CODE"),
        (["explain", "TFM201", "TFM999"], "unknown code TFM999; `tfmigrate rules`"),
        (["rules", "TFM201"], "unrecognized arguments: TFM201"),
    ],
)
def test_usage_errors_are_one_line(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    put(here / "a.py")
    assert words in usage_error(arguments, capsys)
    assert (here / "a.py").read_text() == ORIGINAL


# Rewriting.


def test_a_program_is_rewritten_in_place_and_a_second_run_changes_nothing(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(here / "train.py")
    assert cli.main(["."]) == 0
    output = capsys.readouterr()
    assert output.err == ""
    assert "train.py:7:15" in output.out
    assert output.out.endswith("\n1 file migrated, 4 changes.\n")
    migrated = (here / "train.py").read_text()
    assert "TowerOptimizer" not in migrated
    assert "tf.distribute.MirroredStrategy()" in migrated
    assert cli.main(["."]) == 0
    assert "Nothing to do" in capsys.readouterr().out
    assert (here / "train.py").read_text() == migrated


def test_options_may_stand_between_paths(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here / "a.py")
    put(here / "-b.py")
    assert cli.main(["a.py", "--check", "--", "-b.py"]) == 1
    assert "2 files would be migrated" in capsys.readouterr().out


def test_files_keep_their_mode_newlines_encoding_byte_order_mark_and_links(here: Path) -> None:
    crlf = ORIGINAL.replace("\n", "\r\n")
    mixed = ORIGINAL.replace("\n", "\r\n", 4)
    put(here / "mode.py")
    (here / "mode.py").chmod(0o755)
    put(here / "crlf.py", crlf)
    put(here / "mixed.py", mixed)
    put(here / "bom.py", "\ufeff" + ORIGINAL)
    put(here / "latin.py", "# coding: latin-1\n" + ORIGINAL, "latin-1")
    put(here / "real" / "target.txt")
    (here / "link.py").symlink_to("real/target.txt")
    plain = put(here / "plain.py")
    assert cli.main(["-q", "."]) == 0

    expected = (here / "plain.py").read_bytes()
    assert expected != plain
    assert (here / "mode.py").stat().st_mode & 0o777 == 0o755
    assert (here / "mode.py").read_bytes() == expected
    assert (here / "crlf.py").read_bytes() == expected.replace(b"\n", b"\r\n")
    assert (here / "bom.py").read_bytes() == codecs.BOM_UTF8 + expected
    latin = "# coding: latin-1\n" + expected.decode()
    assert (here / "latin.py").read_bytes() == latin.encode("latin-1")
    assert (here / "link.py").is_symlink()
    assert (here / "real" / "target.txt").read_bytes() == expected
    lines = (here / "mixed.py").read_bytes().splitlines(keepends=True)
    untouched = [line for line in mixed.encode().splitlines(keepends=True) if line in lines]
    assert sum(line.endswith(b"\r\n") for line in untouched) == 3
    assert lines[-1].endswith(b"steps=100)\n")


def test_bad_files_are_named_and_untouched_while_good_ones_are_migrated(here: Path) -> None:
    bad = {
        "broken.py": put(here / "broken.py", ORIGINAL + "def (:\n"),
        "python2.py": put(here / "python2.py", ORIGINAL + "print 'done'\n"),
        "latin.py": put(here / "latin.py", ORIGINAL, "latin-1"),
        "nul.py": put(here / "nul.py", ORIGINAL + "x = '\0'\n"),
    }
    put(here / "a.py")
    put(here / "z.py")
    result = tfmigrate(".", folder=here)
    assert result.returncode == 2
    assert (
        "2 files migrated, 8 changes; 2 files could not be read; 2 files could not be parsed."
        in result.stdout
    )
    for name in bad:
        assert name not in result.stdout
        assert (here / name).read_bytes() == bad[name]
    assert (here / "a.py").read_text() == (here / "z.py").read_text() != ORIGINAL
    broken, latin, nul, python2 = sorted(result.stderr.splitlines())
    assert broken.startswith("broken.py:16:")
    assert "cannot be parsed" in broken
    assert latin == (
        "latin.py:14:70  TFM901  error    not valid UTF-8 at byte 0xe9; add an encoding cookie "
        "(# -*- coding: latin-1 -*-) or save the file as UTF-8"
    )
    assert nul.startswith("nul.py:16:6  TFM901  error    the file contains a NUL byte")
    assert python2.startswith("python2.py:16:1  TFM900  error    cannot be parsed: Python 2 syntax")


def test_a_file_that_cannot_be_written_does_not_stop_the_others(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(here / "a.py")
    put(here / "locked.py")
    put(here / "z.py")
    (here / "locked.py").chmod(0o444)
    assert cli.main(["."]) == 2
    output = capsys.readouterr()
    assert "2 files migrated, 8 changes; 1 file could not be written." in output.out
    reason = "not written: the file is read-only"
    assert output.err == f"locked.py:1:1  TFM903  error    {reason}\n"
    labels = [line.split()[2] for line in output.out.splitlines() if line.startswith("locked.py:")]
    assert labels == ["fixable"] * 4
    assert (here / "locked.py").read_text() == ORIGINAL
    assert (here / "a.py").read_text() != ORIGINAL
    assert (here / "z.py").read_text() != ORIGINAL


def test_what_needs_manual_work_is_left_and_gives_1(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(here / "a.py", BY_HAND)
    assert cli.main(["."]) == 1
    output = capsys.readouterr()
    assert "manual" in output.out
    assert output.out.rstrip().endswith("manual work.")


def test_select_and_ignore_take_codes_and_prefixes_in_any_case(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(here / "a.py")
    assert cli.main(["--check", "--select", "tfm201,TFM202", "--select", "TFM", "."]) == 1
    assert "TFM701" in capsys.readouterr().out
    assert cli.main(["--check", "--ignore", "TFM2", "--ignore", "tfm6,tfm7", "."]) == 0
    assert "Nothing to do" in capsys.readouterr().out


def test_exclude_leaves_files_of_a_tree_out(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here / "keep" / "a.py")
    put(here / "migrate" / "a.py")
    assert cli.main(["--exclude", "keep/", "."]) == 0
    assert (here / "keep" / "a.py").read_text() == ORIGINAL
    assert (here / "migrate" / "a.py").read_text() != ORIGINAL


def test_verbose_names_the_migrated_files_and_counts_the_parsed_ones(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(here / "a.py")
    put(here / "b.py", UNRELATED)
    assert cli.main(["-v", "."]) == 0
    assert "migrated a.py\n2 files found, 1 parsed\n" in capsys.readouterr().out


# Looking first.


@pytest.mark.parametrize("option", ["--check", "--diff"])
def test_check_and_diff_write_nothing_and_give_1(
    here: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    put(here / "a.py")
    before = (here / "a.py").stat().st_mtime_ns
    assert cli.main([option, "."]) == 1
    output = capsys.readouterr()
    assert "1 file would be migrated, 4 changes." in output.out + output.err
    assert "fixable" in output.out + output.err
    assert (here / "a.py").stat().st_mtime_ns == before
    assert (here / "a.py").read_text() == ORIGINAL


@pytest.mark.parametrize("option", ["--check", "--diff"])
def test_check_and_diff_give_0_where_nothing_would_change(here: Path, option: str) -> None:
    put(here / "a.py", UNRELATED)
    assert cli.main([option, "."]) == 0


def test_check_would_fail_where_writing_would(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    put(here / "a.py")

    def refuse(source: object, text: str) -> NoReturn:
        raise write.UnwritableFile(3, 4, "iso-8859-1 has no such character")

    monkeypatch.setattr("tfmigrate.engine.run.encoded", refuse)
    assert cli.main(["--check", "."]) == 2
    output = capsys.readouterr()
    assert "a.py:3:4  TFM903" in output.err
    assert "1 file could not be written." in output.out


def test_the_diff_applies_with_git_from_the_root_and_from_a_subfolder(here: Path) -> None:
    git = ["git", "-c", "core.autocrlf=false"]
    subprocess.run([*git, "init", "--quiet"], cwd=here, check=True)
    texts = {
        "sub/a.py": ORIGINAL.encode(),
        "sub/with space.py": ORIGINAL.replace("\n", "\r\n").encode(),
        "sub/end.py": ORIGINAL.rstrip("\n").encode(),
        "sub/latin.py": ("# coding: latin-1\n" + ORIGINAL).encode("latin-1"),
        "sub/bom.py": codecs.BOM_UTF8 + ORIGINAL.encode(),
    }
    (here / "sub").mkdir()
    for folder, path, unbuffered in ((here, "sub", "1"), (here / "sub", ".", "")):
        for name, data in texts.items():
            (here / name).write_bytes(data)
        command = [sys.executable, "-m", "tfmigrate", "--diff", path]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        environment["PYTHONUNBUFFERED"] = unbuffered
        result = subprocess.run(command, cwd=folder, env=environment, capture_output=True)
        assert result.returncode == 1
        assert result.stdout.count(b"\n--- a/") == len(texts) - 1
        assert b"5 files would be migrated" in result.stderr
        apply = [*git, "apply", "--whitespace=nowarn", "-"]
        subprocess.run(apply, cwd=folder, input=result.stdout, check=True)
        applied = {name: (here / name).read_bytes() for name in texts}
        for name, data in texts.items():
            (here / name).write_bytes(data)
        assert cli.main(["-q", str(here / "sub")]) == 0
        assert {name: (here / name).read_bytes() for name in texts} == applied


def test_no_colour_goes_into_a_pipe_unless_asked_for(here: Path) -> None:
    put(here / "a.py")
    for options, environment in (([], {}), (["--color", "never"], {}), ([], {"NO_COLOR": "1"})):
        result = tfmigrate("--diff", *options, ".", folder=here, **environment)
        assert "\x1b" not in result.stdout + result.stderr
    result = tfmigrate("--diff", "--color=always", ".", folder=here)
    assert "\x1b[32m+" in result.stdout


# Commands.


def test_rules_lists_every_rule_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["rules"]) == 0
    codes = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert codes == sorted(set(codes))
    assert {rule.code for rule in rules()} < set(codes)


@pytest.mark.parametrize("code", [*(rule.code for rule in rules()), "TFM900", "TFM901", "TFM909"])
def test_every_code_is_explained_with_and_without_colour(
    code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["explain", code.lower()]) == 0
    plain = capsys.readouterr().out
    assert plain.startswith(code)
    assert len(plain.splitlines()) > 3 and "::\n" not in plain
    assert cli.main(["explain", code, "--color", "always"]) == 0
    coloured = capsys.readouterr().out
    stripped = "".join(piece.partition("m")[2] for piece in ("\x1b[m" + coloured).split("\x1b["))
    assert stripped.split() == plain.split()


def test_rules_has_a_table_for_terminals(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["rules", "--color", "always"]) == 0
    coloured = capsys.readouterr().out
    assert "\x1b[" in coloured
    assert "TFM201" in coloured


def test_a_command_wins_over_a_file_of_its_name_and_the_file_has_another_name(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(here / "rules" / "a.py")
    assert cli.main(["rules"]) == 0
    assert "TFM201" in capsys.readouterr().out
    assert cli.main(["./rules"]) == 0
    assert "rules/a.py:7:15" in capsys.readouterr().out


def test_verify_hands_its_arguments_over(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The runtime's side stands in for itself: what counts is what it is given."""
    package = here / "stand_in"
    for name in ("tfmigrate_runtime/verify/cli.py", "numpy.py", "psutil.py", "tensorflow.py"):
        put(package / name, "raise ImportError('nothing here is imported before verify runs')\n")
    put(package / "tfmigrate_runtime" / "__init__.py", "")
    put(package / "tfmigrate_runtime" / "verify" / "__init__.py", "")
    put(
        package / "tfmigrate_runtime" / "verify" / "cli.py",
        "def main(arguments):\n    print(arguments)\n    return len(arguments)\n",
    )
    program = f"import sys; sys.path.insert(0, {str(package)!r}); from tfmigrate import cli; "
    program += "sys.exit(cli.main(['verify', 'a.py', 'b.py', '--', '--check']))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True
    )
    assert (result.stdout, result.stderr) == ("['a.py', 'b.py', '--', '--check']\n", "")
    assert result.returncode == 4


@pytest.mark.parametrize("missing", ["tensorflow", "numpy", "tfmigrate_runtime", "psutil"])
def test_verify_says_what_it_needs(
    missing: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == missing else name)
    assert cli.main(["verify", "a.py", "b.py"]) == 2
    output = capsys.readouterr()
    what = "psutil" if missing == "psutil" else "TensorFlow"
    expected = f"tfmigrate: tfmigrate verify needs {what}; run: pip install 'tfmigrate[runtime]'\n"
    assert (output.out, output.err) == ("", expected)


def test_help_names_every_option_the_commands_and_the_exit_codes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["--help"])
    text = capsys.readouterr().out
    assert caught.value.code == 0
    for word in ("--diff", "--check", "--unsafe", "--select", "--ignore", "--exclude", "--quiet"):
        assert word in text
    for words in ("tfmigrate verify", "tfmigrate explain", "./verify", "exit codes:", "examples:"):
        assert words in text
    assert max(len(line) for line in text.splitlines()) <= 100


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"tfmigrate {__version__}\n"


# When things go wrong.


def test_an_internal_error_is_one_line_and_a_traceback_only_on_demand(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    put(here / "a.py")

    def fail(*arguments: object) -> NoReturn:
        raise ZeroDivisionError("over\nzero")

    monkeypatch.setattr("tfmigrate.engine.run.discover", fail)
    assert cli.main(["."]) == 2
    assert capsys.readouterr().err == (
        "tfmigrate: internal error: ZeroDivisionError: over zero; "
        "run with --verbose for the traceback\n"
    )
    assert cli.main(["--verbose", "."]) == 2
    assert "Traceback (most recent call last)" in capsys.readouterr().err
    assert (here / "a.py").read_text() == ORIGINAL


def test_an_interrupt_gives_130_and_leaves_whole_files(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a.py", "b.py", "c.py"):
        put(here / name)
    real, calls = os.fsync, []

    def interrupt_second(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) == 2:
            raise KeyboardInterrupt
        real(descriptor)

    monkeypatch.setattr(os, "fsync", interrupt_second)
    assert cli.main(["."]) == 130
    expected = "tfmigrate: interrupted: no file is half-written\n"
    assert capsys.readouterr().err == expected
    assert sorted(path.name for path in here.iterdir()) == ["a.py", "b.py", "c.py"]
    assert (here / "a.py").read_text() != ORIGINAL
    assert (here / "b.py").read_text() == (here / "c.py").read_text() == ORIGINAL


def test_a_real_ctrl_c_gives_130(here: Path) -> None:
    """The process interrupts itself where the engine would work: no timing is involved."""
    put(here / "a.py")
    program = (
        "import os, signal, sys\n"
        "from tfmigrate import cli\n"
        "from tfmigrate.engine import migration as engine\n"
        # A process that a shell started in the background ignores interrupts.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def interrupt(*arguments):\n"
        f"    os.kill(os.getpid(), {int(signal.SIGINT)})\n"
        "    raise SystemExit('the signal did not interrupt')\n"
        "engine.migrate = interrupt\n"
        "sys.exit(cli.main(['.']))\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run(
        [sys.executable, "-c", program], cwd=here, env=environment, capture_output=True, timeout=60
    )
    assert result.returncode == 130
    assert b"Traceback" not in result.stderr


def test_a_reader_that_goes_away_is_no_crash(here: Path) -> None:
    for index in range(60):
        put(here / f"a{index}.py")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "tfmigrate", "--diff", "-q", "."]
    process = subprocess.Popen(
        command, cwd=here, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    errors = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=60) == 141
    assert errors == b""


def test_file_names_that_are_not_utf_8_are_shown_and_migrated(here: Path) -> None:
    name = os.fsdecode(b"caf\xe9.py")
    put(here / name)
    result = tfmigrate(".", folder=here, PYTHONIOENCODING="ascii")
    assert result.returncode == 0
    assert "caf\\udce9.py:7:15" in result.stdout
    assert (here / name).read_text() != ORIGINAL


def test_what_follows_two_dashes_is_a_path(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here / "-x.py")
    put(here / "--check")
    assert "-x.py; did you mean -- -x.py?" in usage_error(["--check", "-x.py"], capsys)
    assert cli.main(["--check", "-q", "--", "-x.py"]) == 1
    assert cli.main(["-q", "--", "-x.py", "--check"]) == 0
    assert "MirroredStrategy" in (here / "--check").read_text()
    assert "MirroredStrategy" in (here / "-x.py").read_text()


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["--unsaf", "a.py"], "unrecognized arguments: --unsaf; did you mean --unsafe?"),
        (["--targt=keras", "a.py"], "did you mean --target?"),
        (["--bogus", "a.py"], "unrecognized arguments: --bogus"),
        (["--target", "kera", "a.py"], "; did you mean keras?"),
        (["verif", "a.py"], "no such file or folder: verif; did you mean tfmigrate verify?"),
    ],
)
def test_the_closest_option_is_named(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], hint: str
) -> None:
    put(here / "a.py")
    assert usage_error(arguments, capsys).endswith(hint)


def test_exit_zero_is_not_for_failures(here: Path) -> None:
    put(here / "a.py", BY_HAND)
    put(here / "b.py", "import tensorflow as tf\ntf.contrib.x(\n")
    assert cli.main(["-q", "--check", "a.py"]) == 1
    assert cli.main(["-q", "--check", "--exit-zero", "a.py"]) == 0
    assert cli.main(["-q", "--check", "--exit-zero", "a.py", "b.py"]) == 2


def test_a_line_of_generated_data_is_refused(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(here / "a.py", "import tensorflow as tf\nROWS = [" + "1," * 500_001 + "]\n" + ORIGINAL)
    assert cli.main(["a.py"]) == 2
    assert "a.py:2:1  TFM901  error    the line has 1,000,011 bytes" in capsys.readouterr().err


def test_no_control_character_of_a_diff_reaches_a_terminal(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(here / "a.py", ORIGINAL.replace("\u00e9", "\x1b[2J\t\u00e9"))
    assert cli.main(["--diff", "a.py"]) == 1
    assert "# \x1b[2J\t\u00e9" in capsys.readouterr().out  # for git apply
    assert cli.main(["--diff", "--color=always", "a.py"]) == 1
    shown = capsys.readouterr().out
    assert "\x1b[2J" not in shown
    assert "# \\x1b[2J" in shown
