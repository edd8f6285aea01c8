from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from tfmigrate import cli
from tfmigrate.py2 import convert

needs_fissix = pytest.mark.skipif(not convert.is_available(), reason="tfmigrate[py2] is missing")

PROGRAM = """\
#!/usr/bin/env python2
import tensorflow as tf  # 1.4

def model_fn(features, labels, mode):
    print "caf\u00e9", mode
    loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1))
    optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

def main((model_dir, names)):
    steps = len(names) / 2
    estimator = tf.estimator.Estimator(tf.contrib.estimator.replicate_model_fn(model_fn))
    try:
        estimator.train(input_fn, steps=steps)
    except ValueError, error:
        print >>log, `error`
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_python_2_file_is_refused_in_one_line_that_names_the_way_out(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "a.py").write_text(PROGRAM)
    assert cli.main(["."]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("a.py:5:5  TFM900  error    cannot be parsed: Python 2 syntax")
    assert line.endswith("convert it to Python 3 with --py2")
    assert (here / "a.py").read_text() == PROGRAM


@pytest.mark.parametrize(
    "line",
    [
        "print x",
        "exec code",
        "raise E, 'x'",
        "try: pass\nexcept E, e: pass",
        "x = `y`",
        "x <> y",
        "x = 0777",
        "x = 3217920L",
        "x = 0xFFl",
        "x = [y for y in 1, 2]",
        "x = ur'a'",
        "def f((a, b)): pass",
        "def f(x, (a, b)): pass",
        "x = lambda (k, v), y: k",
        "if x:\n\tif y:\n\t\tpass\n        pass",
    ],
)
def test_each_form_of_python_2_is_recognised(
    here: Path, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    (here / "a.py").write_text(f"import tensorflow\n{line}\n")
    assert cli.main(["."]) == 2
    assert "Python 2 syntax" in capsys.readouterr().err


def test_the_option_says_what_it_needs(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(convert, "is_available", lambda: False)
    with pytest.raises(SystemExit) as caught:
        cli.main(["--py2", "."])
    assert caught.value.code == 2
    assert "--py2 needs fissix; run: pip install 'tfmigrate[py2]'" in capsys.readouterr().err


@needs_fissix
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_program_is_converted_and_migrated_as_one_change(
    here: Path, capfdbinary: pytest.CaptureFixture[bytes], newline: str
) -> None:
    cookie = "#!/usr/bin/env python2\n# coding: latin-1\n"
    text = PROGRAM.replace("#!/usr/bin/env python2\n", cookie).replace("\n", newline)
    (here / "a.py").write_bytes(text.encode("latin-1"))
    (here / "no_tensorflow.py").write_text("print 'of the same program'")
    assert cli.main(["--diff", "--py2", "."]) == 1
    assert capfdbinary.readouterr().out.count(b"--- a/a.py") == 1
    assert cli.main(["--py2", "."]) == 0
    output = capfdbinary.readouterr().out
    assert b"a.py:1:1    TFM904  fixed    Python 2 -> Python 3" in output
    new = (here / "a.py").read_bytes().decode("latin-1")
    ast.parse(new)
    assert new.replace(newline, "").count("\n") == 0
    assert 'print("caf\u00e9", mode)' in new
    assert "import tensorflow.compat.v1 as tf  # 1.4" in new
    assert "steps = len(names) // 2" in new
    assert "print(repr(error), file=log)" in new
    assert "TowerOptimizer" not in new
    assert (here / "no_tensorflow.py").read_text() == "print('of the same program')"
    assert cli.main(["-q", "--py2", "."]) == 0
    assert (here / "a.py").read_bytes().decode("latin-1") == new


@needs_fissix
def test_a_division_that_may_change_holds_the_file_back(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (
        "import tensorflow as tf\n\ndef f((a, b), n):\n    print a\n    return [tf.add(a, 1),\n"
        "            len(b) / 2, a / n, a / 2.]\n"
    )
    (here / "a.py").write_text(text)
    assert cli.main(["--py2", "."]) == 1
    output = capsys.readouterr().out
    assert "a.py:6:25  TFM905  unsafe   `a / n` may change: Python 2 drops" in output
    assert "1 unsafe (apply with --unsafe)" in output
    assert (here / "a.py").read_text() == text
    assert cli.main(["--py2", "--unsafe", "."]) == 0
    output = capsys.readouterr().out
    new = (here / "a.py").read_text()
    line = 1 + new[: new.index("a / n")].count("\n")
    assert f"a.py:{line}:25  TFM905  unsafe   `a / n` may have changed" in output
    assert "len(b) // 2, a / n, a / 2.]" in new


@needs_fissix
def test_what_is_python_3_stays_and_what_uses_gone_built_ins_does_not(here: Path) -> None:
    texts = {
        "three.py": "import tensorflow as tf\nprint(list(d.items()), 1 / 2)\n",
        "both.py": "import tensorflow\nfrom six.moves import xrange\nprint(xrange(3), map(f, x))\n",
        "tries.py": "import tensorflow\ntry:\n    unicode\nexcept NameError:\n    unicode = str\n",
        "asks.py": "import tensorflow\nx = unicode if PY2 else str\n",
        "reads.py": "import tensorflow\nx = raw_input if 'raw_input' in dir(b) else input\n",
    }
    for name, text in texts.items():
        (here / name).write_text(text)
    (here / "print.py").write_text("import tensorflow\nprint >>log, 2\n")
    (here / "gone.py").write_text("import tensorflow\nfor i in xrange(7 / 2):\n    d.has_key(i)\n")
    cli.main(["-q", "--py2", "--ignore", "TFM7", "."])
    expected = {name: texts[name] for name in ("three.py", "both.py", "tries.py")}
    assert {name: (here / name).read_text() for name in expected} == expected
    assert (here / "print.py").read_text() == "import tensorflow\nprint(2, file=log)\n"
    assert (here / "gone.py").read_text() == (
        "import tensorflow\nfor i in range(7 // 2):\n    i in d\n"
    )


@needs_fissix
def test_tabs_count_as_python_2_counts_them(here: Path) -> None:
    text = 'if x:\n\tif y:\n\t\ts = """\n\tkept"""\n        print "2"\n'
    (here / "a.py").write_text(text)
    assert cli.main(["-q", "--py2", "a.py"]) == 0
    assert (here / "a.py").read_text() == (
        'if x:\n        if y:\n                s = """\n\tkept"""\n        print("2")\n'
    )


@needs_fissix
@pytest.mark.parametrize("line", ["x = (1", "f(async=True)", "from __builtin__ import False"])
def test_what_is_no_python_at_all_stays_an_error(
    here: Path, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    (here / "a.py").write_text(f"print 1\n{line}\n")
    assert cli.main(["--py2", "a.py"]) == 2
    (error,) = capsys.readouterr().err.splitlines()
    assert "TFM900" in error
    assert "--py2 failed: " in error


@needs_fissix
def test_notebooks_are_converted_cell_by_cell(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = ["%matplotlib inline\nprint 1", "x = y / z", "def f((a, b)):\n  print a\n!ls", PROGRAM]
    document = {
        "cells": [{"cell_type": "code", "source": cell.splitlines(True)} for cell in cells],
        "metadata": {},
    }
    (here / "a.ipynb").write_text(json.dumps(document))
    assert cli.main(["--py2", "--unsafe", "."]) == 0
    assert "a.ipynb:cell 2:1:5    TFM905" in capsys.readouterr().out
    new = json.loads((here / "a.ipynb").read_text())
    first, second, third, program = ("".join(cell["source"]) for cell in new["cells"])
    assert first == "%matplotlib inline\nprint(1)"
    assert second == "x = y / z"
    assert third.endswith("print(a)\n!ls")
    assert "import tensorflow.compat.v1 as tf" in program


@needs_fissix
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        # Of arrays and tables, whose first argument is an axis or a column.
        ("a.sort(1)", "a.sort(1)"),
        ("t = t.sort('size', ascending=False)", "t = t.sort('size', ascending=False)"),
        ("t.sort(columns=['size'])", "t.sort(columns=['size'])"),
        ("import numpy as np; x = np.sort(a[1:])", "import numpy as np; x = np.sort(a[1:])"),
        ("from lib import b; b.sort(a)", "from lib import b; b.sort(a)"),
        ("names.sort(by_size)", "names.sort(key=cmp_to_key(by_size))"),
    ],
)
def test_only_the_sort_of_a_list_takes_a_comparison(line: str, expected: str) -> None:
    assert convert.converted(f"print 1\n{line}\n").text.splitlines()[-1] == expected


@needs_fissix
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "d.has_key(1); raw_input(); reduce(max, [1]); long(1)\n",
            "1 in d; input(); reduce(max, [1]); int(1)\n",
        ),
        ("x = input('n')\n", "x = eval(input('n'))\n"),
        ("x = raw_input(input())\n", "x = input(eval(input()))\n"),
        ("print unicode(raw_input()), input()\n", "print(str(input()), eval(input()))\n"),
    ],
)
def test_what_is_read_is_evaluated_only_where_it_was(before: str, after: str) -> None:
    """fissix met the ``input`` that it had made of ``raw_input``."""
    assert convert.converted(before).text.endswith(after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("for line in open(f):\n    print line,", "for line in open(f):\n    print(line, end='')"),
        (
            "for s in fileinput.input(f):\n    print >>g, 1, s.replace('a', b),",
            "for s in fileinput.input(f):\n    print(1, s.replace('a', b), end='', file=g)",
        ),
        (
            "f = open(g)\nfor s in f: print '-' + s,; print s.strip(),",
            "f = open(g)\nfor s in f: print('-' + s, end=''); print(s.strip(), end=' ')",
        ),
        ("print 'loss %d\\n' % n,", "print('loss %d\\n' % n, end='')"),
        ("print 'loss', n,", "print('loss', n, end=' ')"),
        ("for x in y:\n    print x,", "for x in y:\n    print(x, end=' ')"),
    ],
)
def test_whole_lines_are_printed_without_a_space_behind_them(before: str, after: str) -> None:
    assert convert.converted(f"{before}\n").text == f"{after}\n"


@pytest.mark.parametrize("call", ["cPickle.load(f)", "pickle.loads(f.read())"])
def test_pickles_of_python_2_are_reported(
    here: Path, call: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f"import cPickle, pickle\nimport tensorflow as tf\ntf.Session()\nx = {call}\n"
    (here / "a.py").write_text(f"{text}print x\n")
    cli.main([".", "--py2"])
    output = capsys.readouterr().out
    assert "TFM904  manual" in output and 'pass encoding="latin1"' in output
    for other in (f"{text}print x\npickle.dump(x, f)\n", text.replace(")\n", ", encoding=e)\n")):
        (here / "a.py").write_text(f"{other}print x\n")
        cli.main([".", "--py2"])
        assert "TFM904  manual" not in capsys.readouterr().out


@pytest.mark.parametrize(
    "line",
    [
        "def f(x: int): return x",
        "def f() -> int: return 1",
        "def f(*, x): return x",
        "x = f'{y}'",
        "x: int = 1",
        "class A(object, metaclass=B): pass",
        "raise A from b",
        "class A(object):\n  def f(self): return super().f()",
        "print('b', end='')",
    ],
)
def test_files_that_only_python_3_parses_are_not_converted(
    here: Path, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f"import tensorflow as tf\ntf.Session()\n{line}\nprint('a', xrange(3))\n"
    (here / "a.py").write_text(text)
    cli.main([".", "--py2"])
    assert text.partition(line)[2] in (here / "a.py").read_text()
    output = capsys.readouterr().out
    assert "only Python 2 has xrange" in output and "replace them" in output


@needs_fissix
@pytest.mark.parametrize(
    ("metadata", "is_converted"),
    [
        ({}, True),
        ({"kernelspec": {"name": "python3"}}, False),
        ({"kernelspec": {"name": "python2"}}, True),
        ({"kernelspec": {"name": "my-env", "language": "python"}}, True),
        ({"language_info": {"name": "python", "version": "3.6.13"}}, False),
        ({"language_info": {"name": "python", "version": "2.7.12"}}, True),
        (
            {
                "language_info": {"name": "python", "version": "2.7.12"},
                "kernelspec": {"name": "python3"},
            },
            True,
        ),
    ],
)
def test_notebooks_that_name_python_3_keep_their_prints(
    here: Path, metadata: dict[str, object], is_converted: bool
) -> None:
    source = "print('a', xrange(3))\nimport tensorflow as tf\ntf.Session()\n"
    cells = [{"cell_type": "code", "source": source}]
    (here / "a.ipynb").write_text(json.dumps({"cells": cells, "metadata": metadata}))
    cli.main([".", "--py2"])
    new = json.loads((here / "a.ipynb").read_text())["cells"][0]["source"]
    prints = "print(('a', range(3)))" if is_converted else "print('a', xrange(3))"
    assert "".join(new).startswith(prints)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("d.itervalues().next().shape", "next(iter(d.values())).shape"),
        ("rows.next()[0].next().x", "next(next(rows)[0]).x"),
        ("next(rows.next().x)", "next(next(rows).x)"),
        ("(rows(\n  y)\n    .next()\n    .x)", "(next(rows(\n  y))\n    .x)"),
        ("rows \\\n  .next()[0]", "next(rows)[0]"),
        ("(a or\n b).next(\n).x", "next(a or\n b).x"),
        ("(rows  # first\n  .next().x)", "(rows  # first\n  .next().x)"),
        ("(a or b).next().x", "next(a or b).x"),
        ("((rows)).next()[0]", "next((rows))[0]"),
        ("1 if(a).next().x else 2", "1 if(a).next().x else 2"),
        ("rows.next", "rows.__next__"),
    ],
)
def test_next_amid_a_chain_is_converted(old: str, new: str) -> None:
    assert convert.converted(f"print 1\nx = {old}\n").text == f"print(1)\nx = {new}\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("w = csv.writer(open(p, 'wb'))", "w = csv.writer(open(p, 'w', newline=\"\"))"),
        ("f = file(p, 'ab')\ncsv.writer(f)", "f = open(p, 'a', newline=\"\")\ncsv.writer(f)"),
        (
            "with open(p, mode='rb') as f: csv.reader(f)",
            "with open(p, mode='r', newline=\"\") as f: csv.reader(f)",
        ),
        (
            "with open(p, 'rb') as f: x = np.load(f)\nwith open(q, 'wb') as f: csv.writer(f)",
            "with open(p, 'rb') as f: x = np.load(f)\n"
            "with open(q, 'w', newline=\"\") as f: csv.writer(f)",
        ),
        (
            "with open(p, 'rb') as f:\n  f = open(q, 'rb')\n  csv.reader(f)",
            "with open(p, 'rb') as f:\n  f = open(q, 'r', newline=\"\")\n  csv.reader(f)",
        ),
        ("csv.reader(open(p, 'rb', 9))", "csv.reader(open(p, 'rb', 9))"),
        (
            "import gzip\ncsv.reader(gzip.open(p))",
            'import gzip\ncsv.reader(gzip.open(p, "rt", newline=""))',
        ),
        (
            "import gzip\nwith gzip.open(p, 'rb') as f: csv.reader(f)",
            "import gzip\nwith gzip.open(p, 'rt', newline=\"\") as f: csv.reader(f)",
        ),
        (
            "import tensorflow as tf\ncsv.reader(tf.gfile.Open(p, mode='rb'))",
            "import tensorflow as tf\ncsv.reader(tf.gfile.Open(p, mode='r'))",
        ),
        ("import gzip\ncsv.reader(gzip.open(p, m))", "import gzip\ncsv.reader(gzip.open(p, m))"),
        ("f = open(p, 'rb')\ncsv.reader(p)", "f = open(p, 'rb')\ncsv.reader(p)"),
        ("f = open(p, 'w', 0)", "f = open(p, 'w', 1)"),
        ("f = open(p, 'wb', 0)", "f = open(p, 'wb', 0)"),
        ("import pickle\npickle.load(open(p))", 'import pickle\npickle.load(open(p, "rb"))'),
        ("import numpy\nnumpy.save(open(p, 'w'), x)", "import numpy\nnumpy.save(open(p, 'wb'), x)"),
        ("f = open(p, 'w')\nnp.savetxt(f, x)", "f = open(p, 'w')\nnp.savetxt(f, x)"),
        (
            "from PIL import Image\nwith open(p, 'r') as f: Image.open(f)",
            "from PIL import Image\nwith open(p, 'rb') as f: Image.open(f)",
        ),
        (
            "from subprocess import check_output as run\nx = run(\n  (y),\n).split('a')",
            "from subprocess import check_output as run\n"
            "x = run(\n  (y),\n universal_newlines=True).split('a')",
        ),
        (
            "import subprocess\np = subprocess.Popen(a)\np.stdin.write('x' + y)",
            "import subprocess\np = subprocess.Popen(a, universal_newlines=True)\n"
            "p.stdin.write('x' + y)",
        ),
        (
            "import tempfile\nf = tempfile.NamedTemporaryFile()\nf.write('a' % b)",
            "import tempfile\nf = tempfile.NamedTemporaryFile(mode=\"w\")\nf.write('a' % b)",
        ),
    ],
)
def test_modes_of_files_are_converted(old: str, new: str) -> None:
    assert (
        convert.converted(f"import csv\nprint 1\n{old}\n").text == f"import csv\nprint(1)\n{new}\n"
    )


@pytest.mark.parametrize(
    "lines",
    [
        "for s in open(p, 'rb'): s.decode('utf-8')",
        "for s in sys.stdin:\n    if isinstance(s, bytes): s = s.decode('utf-8')",
        "for s in sys.stdin:\n    s = f(s)\n    s.decode('utf-8')",
        "s = 'a'\nif x: s = f()\ns.decode('utf-8')",
        "s = check_output(x)\ns.decode('utf-8')",
        "def f(s): return s.decode('utf-8')",
        "for s in s.split():\n    s.decode('utf-8')",
        "x = [s.decode('utf-8') for s in y for s in s.split()]",
        "while x:\n    s = s[1:]\n    s.decode('utf-8')",
        "print tokenizer.encode(s), s.encode('utf-8') in d",
        "open(p, 'wb').write(s.encode('utf-8'))",
        "x = a + s.encode('utf-8')",
        "d = dict((k, v.encode('utf-8')) for k, v in x)",
        "g(base64.b64encode(s)), json.dumps(base64.b64encode(s).decode('ascii'))",
        "json.dumps({'x': len(base64.b64encode(s))})",
    ],
)
def test_bytes_that_stay_bytes_are_not_reported(
    here: Path, lines: str, capsys: pytest.CaptureFixture[str]
) -> None:
    head = "import base64, json, sys\nimport tensorflow as tf"
    (here / "a.py").write_text(f"{head}\n{lines}\nprint 'a'\n")
    cli.main([".", "--py2"])
    output = capsys.readouterr().out
    assert "TFM904  fixed" in output and "manual" not in output


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        ("for s in sys.stdin: s.decode('utf-8')", ".decode() of texts"),
        ("for s in sys.stdin:\n    s = s[:-1]\n    s = f(s.decode('utf-8'))", ".decode() of texts"),
        ("with open(p) as g:\n    x = [s.decode('utf-8') for s in g]", ".decode() of texts"),
        ("g = open(p)\nx = g.readline().strip().decode('utf-8')", ".decode() of texts"),
        ("for s in open(p).read().split():\n    s.decode('utf-8')", ".decode() of texts"),
        ("for s in sys.argv[1:]: f(s.decode('utf-8'))", ".decode() of texts"),
        ("print s.encode('utf-8')", "used as text"),
        ("open(p, 'w').write(s.encode('utf-8') + '\\n')", "used as text"),
        ("with open(p, 'w') as g: g.write(s.encode('utf-8'))", "used as text"),
        ("x = '%s: %d' % (s.encode('utf-8'), 1)", "used as text"),
        ("x = s.encode('utf-8').split(' ')", "used as text"),
        ("d = dict((k.encode('utf-8'), v) for k, v in x.items())", "used as text"),
        ("x = {'b64': base64.b64encode(s)}\njson.dumps([x, 1])", "used as text"),
        ("json.dump([s.encode('utf-8') for s in y], g)", "used as text"),
        ("print 'data:' + base64.b64encode(s)", "used as text"),
    ],
)
def test_texts_that_are_decoded_or_encoded_are_reported(
    here: Path, lines: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    head = "import base64, json, sys\nimport tensorflow as tf"
    (here / "a.py").write_text(f"{head}\n{lines}\nprint 'a'\n")
    cli.main([".", "--py2"])
    output = capsys.readouterr().out
    assert output.count("TFM904  manual") == 1 and name in output and "TFM719" not in output


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("print ('loss %d' % n)", "print ('loss %d' % n)"),
        ("print('loss {}'.format(n))", "print('loss {}'.format(n))"),
        ("print(a, b)", "print((a, b))"),
        ("print()", "print()"),
        ("print (x for x in y)", "print((x for x in y))"),
        ("def f(): print (yield x)", "def f(): print((yield x))"),
        ("print (a) % b", "print((a) % b)"),
        ("print (a % b),", "print((a % b), end=' ')"),
        ("print (a.has_key(b))", "print (b in a)"),
    ],
)
def test_parentheses_of_print_statements(before: str, after: str) -> None:
    assert convert.converted(f"{before}\nexec 'x'\n").text == f"{after}\nexec('x')\n"


@pytest.mark.parametrize(
    "line", ["'a'.decode('utf-8')", "for s in sys.stdin: s.decode('utf-8')", "x = cmp(1, 2)"]
)
@pytest.mark.parametrize("runs", [1, 2])
def test_files_are_converted_once(here: Path, line: str, runs: int) -> None:
    text = f"import sys\nimport tensorflow as tf\nprint u'\\uFF0C', 1 / 2\n{line}\n"
    (here / "a.py").write_text(
        f"{text}tf.contrib.layers.conv2d(tf.placeholder(tf.float32), 1, 1)\n"
    )
    for _ in range(runs):
        cli.main([".", "--py2"])
    assert "print('\\uFF0C', 1 // 2)\n" in (here / "a.py").read_text()
