"""Random blocks under a device setter do the same once they are replica functions.

The programs are run, before and after, with stand-ins for TensorFlow that only call.
"""

from __future__ import annotations

import builtins
import contextlib
import textwrap
from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support import migrated

NAMES = ("a", "b", "c", "d")
SETTER = "tf.train.replica_device_setter(cluster=1)"


class Strategy:
    """Calls the replica function, as a strategy of one replica does."""

    def run(self, function: Any, args: tuple[Any, ...] = ()) -> Any:
        return function(*args)

    def scope(self) -> Any:
        return contextlib.nullcontext()


def imported(name: str, *_: Any) -> Any:
    tensorflow = SimpleNamespace(
        device=lambda _: contextlib.nullcontext(),
        train=SimpleNamespace(
            replica_device_setter=lambda **_: None,
            MonitoredTrainingSession=contextlib.nullcontext,
        ),
        disable_v2_behavior=lambda: None,
    )
    tensorflow.compat = SimpleNamespace(v1=tensorflow)
    between_graph = SimpleNamespace(parameter_server_strategy=lambda **_: Strategy())
    return SimpleNamespace(between_graph=between_graph) if "tfmigrate" in name else tensorflow


def seen_by(text: str) -> list[Any] | None:
    """Returns what a program gives to ``out``, None where it fails or does not end."""
    seen: list[Any] = []

    def out(*values: Any) -> int:
        seen.append([v if isinstance(v, (int, tuple, list)) else type(v).__name__ for v in values])
        if len(seen) > 300:
            raise OverflowError
        return len(seen)

    names = {"__builtins__": {**vars(builtins), "__import__": imported}, "out": out}
    names["__name__"] = "program"
    try:
        exec(compile(text, "program.py", "exec", dont_inherit=True), names)
    except (NameError, OverflowError, TypeError, ZeroDivisionError):
        return None
    return seen


name = st.sampled_from(NAMES)
value = st.one_of(
    st.integers(0, 3).map(str),
    name,
    st.builds("({},)[0]".format, name),
    st.builds("[{1} for {0} in range(2)][0]".format, name, name),
    st.builds("(lambda {0}=1: {0})()".format, name),
    st.builds("len([({0} := 1)])".format, name),
)
simple = st.one_of(
    st.builds("{} = {}".format, name, value),
    st.builds("{} = {} = {}".format, name, name, value),
    st.builds("{}, {} = {}, 5".format, name, name, value),
    st.builds("{} += 1".format, name),
    st.builds("out({})".format, value),
    st.builds("import math as {0}; {0} = 1".format, name),
    st.builds("def h(): return {}\nout(h())".format, name),
    st.builds("def {0}(): return 1\n{0} = 2".format, name),
    st.builds("def k():\n  outer {0}\n  {0} = 6\nk()".format, name),
    st.just("out(h())"),
    st.builds("if {}: {} = 4".format, name, name),
)


def nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    lines = st.lists(inner, min_size=1, max_size=3).map("\n".join)

    def under(*heads: str) -> st.SearchStrategy[str]:
        def joined(test: str, *bodies: str) -> str:
            parts = [
                f"{head.format(test)}\n{textwrap.indent(body, '  ')}"
                for head, body in zip(heads, bodies, strict=True)
            ]
            return "\n".join(parts)

        return st.builds(joined, name, *[lines] * len(heads))

    return st.one_of(
        under("if {}:"),
        under("if {} == 1:", "else:"),
        under("for {} in range(2):"),
        under("for {} in range(3):", "  break\nelse:").map(lambda t: t.replace("  break", "", 1)),
        under("while out() < 9:"),
        under("try:", "except ValueError:"),
        under("try:", "except NameError as {}:", "else:", "finally:"),
        under("with tf.device({}):"),
        under("def f():").map(lambda text: f"{text}\nf()"),
    )


body = st.lists(st.recursive(simple, nested, max_leaves=6), min_size=1, max_size=5).map("\n".join)


@given(body, body, body, st.booleans(), st.booleans(), st.booleans())
def test_program_does_the_same(
    before: str, block: str, after: str, in_function: bool, session: bool, returns: bool
) -> None:
    start = "a = 0\nb = 2\nc = 3\n" + "d = 0\n" * (not session)
    start += "def h(): return 7\n"
    last = ""
    if session:
        last = "with tf.train.MonitoredTrainingSession():\n  " + after.replace("\n", "\n  ")
        after = f"out({', '.join(NAMES[:2])})"
    elif in_function and returns:
        last = "return a, b"
    inner = textwrap.indent(f"{block}\n{last}", "  ")
    text = f"{start}{before}\nwith tf.device({SETTER}):\n{inner}\n{after}\n"
    text += (
        "out(a, b)\nfor v in (lambda: c, lambda: d):\n  try: out(v())\n  except NameError: out()\n"
    )
    if in_function:
        text = "def main():\n" + textwrap.indent(text, "  ") + "out(main())\n"
    text = text.replace("outer ", "nonlocal " if in_function else "global ")
    text = "import tensorflow as tf\n" + text
    compile(text, "program.py", "exec", dont_inherit=True)
    expected = seen_by(text)
    result = migrated(text)
    if expected is not None:
        assert seen_by(result) == expected, result


def test_most_of_the_programs_are_migrated() -> None:
    changed: list[bool] = []

    @given(body)
    def count(block: str) -> None:
        inner = textwrap.indent(block.replace("outer ", "global "), "  ")
        text = "import tensorflow as tf\na = b = c = d = 1\ndef h(): return 1\n"
        text += f"with tf.device({SETTER}):\n{inner}\nout(a, b, c, d)\n"
        changed.append(migrated(text) != text)

    count()
    assert sum(changed) > 0.3 * len(changed)
