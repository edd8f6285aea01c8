"""What is shown of a program that failed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tfmigrate_runtime.verify.running import failed_output
from tfmigrate_runtime.verify.running.failed_output import last_words

PROGRAM = """
import json
def build(depth):
    if depth:
        return build(depth - 1) if depth > 1 else json.loads("{")
build({depth})
"""


def output_of(tmp_path: Path, depth: int) -> str:
    script = tmp_path / "train.py"
    script.write_text(PROGRAM.replace("{depth}", str(depth)))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    return done.stderr


def test_the_cause_is_told_with_its_place_in_the_program(tmp_path: Path) -> None:
    said = last_words("before\n" + output_of(tmp_path, 1)).splitlines()
    assert said[1] == "  | before"
    assert said[2] == "  | Traceback (most recent call last):"
    place = f"  {tmp_path / 'train.py'}, line 5, in build: "
    assert said[-1].startswith(place + "json.decoder.JSONDecodeError: Expecting property name")


def test_a_long_traceback_keeps_its_beginning_and_its_end(tmp_path: Path) -> None:
    frames = 30
    made = [f'  File "/somewhere/train.py", line {n}, in f{n}' for n in range(frames)]
    text = "\n".join(["Traceback (most recent call last):", *made, "ValueError: at last"])
    said = last_words(text).splitlines()
    assert len(said) == 1 + 25 + 1 + 1  # an empty line first, a gap, the cause
    assert said[1] == "  | Traceback (most recent call last):"
    assert "  | ... 7 more lines ..." in said
    assert said[-2] == "  | ValueError: at last"
    assert said[-1] == "  /somewhere/train.py, line 29, in f29: ValueError: at last"


def test_what_is_said_after_a_traceback_does_not_hide_it(tmp_path: Path) -> None:
    text = output_of(tmp_path, 1) + "still serving\n" * 100
    said = last_words(text)
    assert "  | Traceback" in said and "JSONDecodeError" in said


def test_a_program_that_says_nothing_of_why() -> None:
    lines = [f"line {number}" for number in range(40)]
    assert last_words("\n".join(lines)) == "".join(f"\n  | {line}" for line in lines[-25:])
    assert last_words("") == ""


def test_what_tensorflow_says_of_itself_is_left_out() -> None:
    chatter = (
        "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR\n"
        "I0000 00:00:1795307406.038978   29253 cudart_stub.cc:31] Could not find cuda drivers\n"
        "2024-01-01 10:00:00.123456: I tensorflow/core/platform/cpu_feature_guard.cc:142] This\n"
    )
    assert last_words(chatter + "killed\n") == "\n  | killed"
    error = "2024-01-01 10:00:00.123456: E tensorflow/core/common_runtime: no memory"
    assert last_words(chatter + error) == f"\n  | {error}"


def test_gpus_that_are_not_there_are_answered_by_replicas() -> None:
    text = (Path(failed_output.__file__).parents[2] / "estimator" / "devices.py").read_text()
    assert "the strategy needs GPU:{max(gpus)}, but TensorFlow finds" in text
    said = last_words(
        "Traceback (most recent call last):\n"
        '  File "train.py", line 3, in <module>\n'
        "ValueError: the strategy needs GPU:1, but TensorFlow finds 0 GPU(s). Pass existing\n"
    )
    assert said.endswith("pass --replicas 2 for CPU devices in place of the GPUs")


def test_an_error_of_several_lines_ends_with_its_cause() -> None:
    output = (
        "Traceback (most recent call last):\n"
        '  File "train.py", line 8, in <module>\n'
        "    step(1)\n"
        "AttributeError: in converted code:\n"
        "\n"
        "    train.py:7 helper  *\n"
        "        return x.no_such(3)\n"
        "\n"
        "    AttributeError: 'Tensor' object has no attribute 'no_such'\n"
        "\n"
        "later output\n"
    )
    said = last_words(output)
    cause = "train.py, line 8: AttributeError: 'Tensor' object has no attribute 'no_such'"
    assert said.splitlines()[-1].strip() == cause


def test_an_error_of_a_graph_ends_with_what_failed_in_it() -> None:
    """The line of the error itself is "Graph execution error:" for all of them."""
    start = (
        'Traceback (most recent call last):\n  File "/somewhere/train.py", line 7, in <module>\n'
    )
    error = f"{start}tensorflow.errors_impl.InvalidArgumentError: Graph execution error:\n\n"
    of_session = f"{error}zeros:0 is both fed and fetched.\n"
    detected = 'Detected at node div defined at (most recent call last):\n  File "/a.py", line 1\n'
    of_function = f"{error}{detected}\nNode: 'div'\nno division by 0\n\t [[{{{{node div}}}}]]\n"
    of_several = f"{error}{detected}\n2 root error(s) found.\n  (0) INVALID_ARGUMENT: no value\n"
    for text, cause in [
        (of_session, "zeros:0 is both fed and fetched."),
        (of_function, "no division by 0"),
        (of_several, "(0) INVALID_ARGUMENT: no value"),
    ]:
        assert last_words(text).splitlines()[-1] == f"  /somewhere/train.py, line 7: {cause}"
    assert last_words(error).splitlines()[-1].endswith("Graph execution error:")
