"""``--py2``: what a conversion makes of some constructs, and what it leaves."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import found

from tfmigrate import cli
from tfmigrate.py2 import convert

needs_fissix = pytest.mark.skipif(not convert.is_available(), reason="tfmigrate[py2] is missing")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "line",
    [
        *(
            "x = cmp(1, 2)",
            "x = buffer('a')",
            "read = raw_input",
            "import md5",
            "imap = itertools.imap",
        ),
        *("key = 'a'.encode('hex')", "class A:\n    def __div__(self, b):\n        return b"),
    ],
)
def test_what_a_conversion_leaves_is_no_reason_for_another(here: Path, line: str) -> None:
    text = "import itertools\nimport tensorflow as tf\nd = tf.get_collection_ref('a')\n"
    (here / "a.py").write_text(f"{text}print 'a', list(d)\nfor k in d.items(): print k\n{line}\n")
    cli.main([".", "--py2"])
    once = (here / "a.py").read_text()
    assert "print('a', list(d))\nfor k in list(d.items()): print(k)\n" in once
    cli.main([".", "--py2"])
    assert (here / "a.py").read_text() == once


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("import cPickle as pickle, os\n", "import pickle, os\n"),
        ("import Queue as queue  # jobs\n", "import queue  # jobs\n"),
        ("import cPickle as pkl\n", "import pickle as pkl\n"),
        (
            "try:\n    import cPickle as p\nexcept:\n    import pickle as p\n",
            "import pickle as p\n",
        ),
        (
            "if a:\n  try:\n    import cPickle as pickle\n  except IOError:\n    import pickle\n",
            "if a:\n  import pickle\n",
        ),
        (
            "try:\n    import cPickle as p\nexcept ImportError:\n    import json as p\n",
            "try:\n    import pickle as p\nexcept ImportError:\n    import json as p\n",
        ),
        (
            "try:\n    import cPickle as p\nexcept ImportError:\n    # a\n    import pickle as p\n",
            "try:\n    import pickle as p\nexcept ImportError:\n    # a\n    import pickle as p\n",
        ),
    ],
)
@needs_fissix
def test_imports_for_both_pythons_become_one(old: str, new: str) -> None:
    assert convert.converted(old + "print 1\n").text == new + "print(1)\n"


@needs_fissix
def test_names_that_other_files_give_are_known_to_files_of_python_3(here: Path) -> None:
    (here / "data.py").write_text("import tensorflow as tf\n")
    uses = "def f(mode):\n    mode == {0}.ModeKeys.TRAIN\n    return {0}.EstimatorSpec(mode)\n"
    (here / "model.py").write_text("from data import *\n\n" + uses.format("tf.estimator"))
    assert cli.main([".", "--py2", "--no-cache"]) == 0
    assert (here / "model.py").read_text().endswith(uses.format("tf_estimator"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("raise (ValueError('x'))", "raise (ValueError('x'))"),
        ("raise(f(x) or y)", "raise(f(x) or y)"),
        ("raise (E)", "raise (E)"),
        ("raise ((E, F), G)", "raise E"),
        ("raise E, 'x'", "raise E('x')"),
        ("raise ()", "raise ()"),
        ("raise (), None, tb", "raise ()"),
        ("raise 'x', 1", "raise 'x'"),
        ("raise (E), 'x'", "raise E('x')"),
        ("raise (E('x')), None, tb", "raise E('x').with_traceback(tb)"),
        ("raise ((E, F), G), 'x', tb", "raise E('x').with_traceback(tb)"),
        ("raise e, None, tb", "raise e.with_traceback(tb)"),
        ("raise e, None", "raise e"),
        ("raise (KeyError, 'x'), None, tb", "raise KeyError().with_traceback(tb)"),
        ("raise type(e), e, tb", "raise e.with_traceback(tb)"),
        ("raise e.__class__, e", "raise e"),
        ("raise i[0], i[1], i[2]", "raise i[1].with_traceback(i[2])"),
        ("raise i[0], j[1], i[2]", "raise i[0](j[1]).with_traceback(i[2])"),
        ("raise type(e), type(e)('x'), tb", "raise type(e)('x').with_traceback(tb)"),
        (
            "t, v, tb = sys.exc_info()\nraise t, v, tb",
            "t, v, tb = sys.exc_info()\nraise v.with_traceback(tb)",
        ),
        ("type(x) is types.StringType", "type(x) is str"),
    ],
)
@needs_fissix
def test_raised_exceptions_keep_their_arguments(before: str, after: str) -> None:
    assert convert.converted(f"{before}\nprint 1\n").text == f"{after}\nprint(1)\n"


@needs_fissix
@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("map(None, [1], [2])", "map(None, ...)"),
        (
            "try:\n    f()\nexcept (IOError, KeyError) as e:\n    e.message",
            ".message of exceptions",
        ),
    ],
)
def test_what_python_3_lacks_is_reported_after_a_conversion(
    here: Path, line: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "a.py").write_text(f"import tensorflow as tf\ntf.Session()\nprint 1\n{line}\n")
    assert cli.main([".", "--py2"]) == 1
    assert f"only Python 2 has {name}\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    "line",
    [
        "map(f, [1], [2])",
        "try:\n    f()\nexcept tf.errors.OpError as e:\n    e.message",
        "try:\n    f()\nexcept IOError as e:\n    g.message",
    ],
)
def test_what_python_3_has_is_not_reported(line: str) -> None:
    assert not found(f"import tensorflow as tf\ntf.Session()\n{line}\n", "TFM719")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def async(x): return 'async'  # async", "def async_(x): return 'async'  # async"),
        ("def async(x): pass\nself.async(1)", "def async_(x): pass\nself.async_(1)"),
        ("await = 1\nf(await)", "await_ = 1\nf(await_)"),
        ("self.async = 1\nself.async += 1", "self.async_ = 1\nself.async_ += 1"),
        ("async def f(): await g()", "async def f(): await g()"),
    ],
)
@needs_fissix
def test_names_that_python_3_reserved(before: str, after: str) -> None:
    assert convert.converted(f"{before}\nx = 1\n").text == f"{after}\nx = 1\n"


@needs_fissix
@pytest.mark.parametrize("line", ["f(async=1)", "x.async(1)", "async = 1\nf(async=1)"])
def test_names_of_other_code_stay(line: str) -> None:
    with pytest.raises(convert.NotPython2):
        convert.converted(f"print 1\n{line}\n")


def test_a_file_with_such_names_is_one_of_python_2(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "a.py").write_text("import tensorflow as tf\ndef async(x): return tf\n")
    assert cli.main(["."]) == 2
    assert "convert it to Python 3 with --py2" in capsys.readouterr().err


@pytest.mark.parametrize("head", ["", "import tensorflow as tf\n"])
@needs_fissix
def test_streams_of_files_without_a_program_hold_bytes(here: Path, head: str) -> None:
    text = "from cStringIO import StringIO\nfrom PIL import Image\n\n\ndef png(image):\n"
    text += "    s, t = StringIO(), StringIO()\n    s.write('a')\n    u = StringIO()\n"
    (here / "a.py").write_text(f"{head}{text}    image.save(u, format='png')\n    print u\n")
    cli.main([".", "--py2"])
    once = (here / "a.py").read_text()
    assert once.endswith("    u = io.BytesIO()\n    image.save(u, format='png')\n    print(u)\n")
    assert "    s, t = StringIO(), StringIO()\n" in once
    cli.main([".", "--py2"])
    assert (here / "a.py").read_text() == once
