"""TFM719: what Python 3 lacks of Python 2, in files that it can parse."""

from __future__ import annotations

import pytest
from support import found, migrate_tree


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("x = cmp(1, 2)", "cmp"),
        ("x = apply(f, [1])", "apply"),
        ("x = intern('a')", "intern"),
        ("x = map(int, [1])[0]", "map()[...]"),
        ("x = zip([1], [2])[-1][0]", "zip()[...]"),
        ("x = filter(None, y)[:2]", "filter()[...]"),
        ("x = range(3) + [1]", "range() + ..."),
        ("x = [0] + range(3)", "range() + ..."),
        ("x = map(int, y) + y", "map() + ..."),
        ("x = y[: len(y) / 2]", "`/` of integers"),
        ("x = y[a / 2 :, 0]", "`/` of integers"),
        ("for i in range(len(y) / 2): pass", "`/` of integers"),
        ("from six.moves import range; range(y / 2)", "`/` of integers"),
        ("x = y[len(y) / 2]", "`/` of integers"),
        ("n = y / z; w = range(n)", "`/` of integers"),
        (
            "def f(n): range(n)\ndef g(x, **kw): f(**kw)\ng(3, n=y / z)\nf(len(y) / 2)",
            "`/` of integers",
        ),
        ("f = open('log', 'w', 0)", "open() of unbuffered texts"),
        ("f = open('log', buffering=0, mode='a')", "open() of unbuffered texts"),
        ("import csv; csv.reader(open('a', 'rb'))", "csv of binary files"),
        ("import csv, gzip; csv.reader(gzip.open('a'))", "csv of binary files"),
        ("import csv; csv.reader(tf.gfile.GFile('a', 'rb'))", "csv of binary files"),
        ("import csv; csv.DictWriter(f=open('a', mode='wb'), fieldnames=n)", "csv of binary files"),
        ("from csv import writer; f = open('a', 'wb'); writer(f)", "csv of binary files"),
        ("from PIL import Image; f = open('a', 'r'); Image.open(f)", "open() of bytes as text"),
        ("import pickle; pickle.dump(y, open(p, 'w'))", "open() of bytes as text"),
        ("import subprocess as s; s.check_output(y).split('x')", "text in pipes of bytes"),
        (
            "import subprocess; p = subprocess.Popen(y); a = p.communicate()[0]; 'x' in a.strip()",
            "text in pipes of bytes",
        ),
        (
            "import subprocess; p = subprocess.Popen(y); t = '%s' % y; p.stdin.write(t.strip())",
            "text in pipes of bytes",
        ),
        (
            "import tempfile; f = tempfile.TemporaryFile(); f.write('\\n'.join(y))",
            "text in binary temporary files",
        ),
        ("x = y.keys()[0]", ".keys()[...]"),
        ("x = y.items()[:3]", ".items()[...]"),
        ("y.values().sort()", ".values().sort()"),
        ("x = y.items() + z.items()", ".items() + ..."),
        ("tf.reduce_mean(map(f, y))", "map() as a list"),
        ("tf.summary.merge(y.values())", ".values() as a list"),
        ("with tf.Session() as s: s.run([a, {'b': y.values()}])", ".values() as a list"),
        ("e = y.keys(); tf.train.MonitoredSession().run(fetches=e)", ".keys() as a list"),
        ("y.sort(cmp=f)", "cmp of sort"),
        ("x = sorted(y, lambda a, b: a - b)", "cmp of sort"),
        ("x = y.encode('hex')", '.encode("hex")'),
        ("x = 'abc'.decode('utf-8')", ".decode() of texts"),
        ("import csv; csv.reader(y).next()", ".next()"),
        ("raise StandardError", "StandardError"),
        ("try: print >>y, 'a'\nexcept IOError: pass", "print >>file"),
        ("try: x = unicode(y)\nexcept UnicodeDecodeError: x = y", "unicode"),
        ("try: x = xrange(3)\nexcept Exception: raise", "xrange"),
    ],
)
def test_methods_and_quotients_of_python_2(line: str, name: str) -> None:
    (finding,) = found(f"import tensorflow as tf\ntf.placeholder(tf.float32)\n{line}\n", "TFM719")
    assert finding.line == 3
    assert finding.message.startswith(f"only Python 2 has {name}")


@pytest.mark.parametrize(
    ("lines", "is_told"),
    [
        ("try:\n  for i in xrange(3): f()\nexcept Exception: g()", True),
        ("try:\n  f(); x = xrange(3)\nexcept: g()", True),
        ("try: f()\nfinally: xrange(3)", True),
        ("try: f()\nexcept NameError: g()\nelse: xrange(3)", True),
        ("try: xrange\nexcept NameError: xrange = range", False),
        ("try: x = unicode(y)\nexcept: x = y", False),
        ("try:\n  for i in y.iteritems(): f()\nexcept AttributeError: g()", False),
    ],
)
def test_names_that_are_tried(lines: str, is_told: bool) -> None:
    text = f"import tensorflow as tf\ntf.placeholder(tf.float32)\n{lines}\n"
    assert len(found(text, "TFM719")) == is_told


@pytest.mark.parametrize(
    ("members", "name"),
    [
        ("def __nonzero__(self): return True", "__nonzero__"),
        ("def __div__(self, other): return 1", "__div__"),
        ("def __iter__(self): return self\n  def next(self): return 1", "next() of iterators"),
    ],
)
def test_methods_of_classes_of_python_2(members: str, name: str) -> None:
    text = f"import tensorflow as tf\ntf.placeholder(tf.float32)\nclass A(object):\n  {members}\n"
    assert [f.message for f in found(text, "TFM719")] == [f"only Python 2 has {name}"]
    both = {"__nonzero__": "__bool__", "__div__": "__truediv__"}.get(name, "__next__")
    assert not found(f"{text}  {both} = None\n", "TFM719")


@pytest.mark.parametrize(
    "line",
    [
        "x = list(map(int, [1]))[0]",
        "x = range(3)[1]",
        "x = range(3) + numpy.ones(3)",
        "x = y[: len(y) // 2]",
        "x = y[a / b]",
        "x = len(y) / 2",
        "n = y / z\nn = int(n)\nrange(n)",
        "def f(n): return range(n)\ndef g(**kw): return f(**kw)\ng(n=y / z)\ng(n=3)",
        "def f(n): return range(n)\ndef g(**kw):\n  kw['n'] = 3\n  return f(**kw)\ng(n=y / z)",
        "def f(n): return range(n)\ndef g(**kw): return f(**kw)\ng(n=y / z)\ng(**x)",
        "def g(**kw): return g(**kw)\ndef f(n): return range(n)\nf(**kw)",
        "n = y / z\nn = 3 if a else n\nrange(n)",
        "f = open('log', 'wb', 0), open('log', 'w', 1), open('log', mode, 0)",
        "def f(map): return map(1)[0]",
        "import pandas\nx = pandas.read_csv(p).keys()[0]",
        "import pickle; pickle.load(open('a', 'rb')); f = open('a'); f.readline(); pickle.load(f)",
        "import subprocess; subprocess.check_output(y).split(b'x')",
        "import csv, gzip; csv.reader(gzip.open('a', 'rt')); csv.reader(tf.gfile.GFile('a'))",
        "import subprocess; subprocess.check_output(y).decode().split('x')",
        "import subprocess; subprocess.check_output(y, text=True).split('x')",
        "import subprocess; subprocess.check_output(**y).split('x')",
        "import tempfile; f = tempfile.TemporaryFile('w'); f.write('x')",
        "import six, tempfile\nf = tempfile.TemporaryFile()\nif six.PY2: f.write('x')\n"
        "else: f.write('x'.encode())",
        "import six, subprocess\np = subprocess.Popen(y)\nif six.PY2: p.stdin.write('x')\n"
        "else: p.stdin.write(b'x')",
        "x = list(y.keys())[0]",
        "tf.Session().run(list(y.values())), tf.Session().run({'a': y}), runner.run(y.values())",
        "tf.add_n(y.values()), tf.group(*y.values()), tf.constant(range(3)), tf.concat(y, 0)",
        "y = z if a else y.values()\ntf.stack(y)",
        "class A:\n  def values(self): return []\ntf.stack(A().values())",
        "y.sort(key=f)",
        "x = y.decode('utf-8')",
        "x = mnist.next(3), iterator.next()",
        "from __future__ import division\nx = y[: len(y) / 2]",
        "from functools import reduce, cmp_to_key as cmp\nreduce(cmp, y)",
    ],
)
def test_no_lists_and_quotients(line: str) -> None:
    assert not found(f"{line}\nimport tensorflow as tf\ntf.placeholder(tf.float32)\n", "TFM719")


@pytest.mark.parametrize(
    "lines",
    [
        "s = 'a'\ns = s.strip()\ns in y",
        "s = 'a'\nt = s.strip()\ns = t.strip()\np.communicate(s)",
        "s = s.strip()\ns.split('x')",
        "s = 'a'\ns = '%s' % s\ns = s + s\ns in y",
    ],
)
def test_texts_that_come_from_themselves(lines: str) -> None:
    assert not found(f"import tensorflow as tf\ntf.placeholder(tf.float32)\n{lines}\n", "TFM719")


def test_pipes_of_texts_that_come_from_themselves() -> None:
    text = (
        "import subprocess\nimport tensorflow as tf\ntf.placeholder(tf.float32)\n"
        "s = 'a'\ns = s.strip()\np = subprocess.Popen(y)\np.communicate(s)\n"
    )
    (finding,) = found(text, "TFM719")
    assert finding.message == "only Python 2 has text in pipes of bytes"


_PATH = "import os, sys\nsys.path.insert(0, os.path.dirname(__file__))\n"
_PACKAGE = {
    "train.py": "import tensorflow as tf\nfrom data.reader import read\nsess = tf.Session()\n",
    "data/__init__.py": "",
    "data/reader.py": "import tensorflow as tf\nfrom util import load\nread = tf.read_file\n",
    "data/util.py": "def load(): pass\n",
}


@pytest.mark.parametrize("py2", [False, True])
def test_imports_of_files_beside_a_part_of_a_package(py2: bool) -> None:
    text = _PACKAGE["data/reader.py"].replace("read =", "print 1\nread =" if py2 else "read =")
    _, findings = migrate_tree(_PACKAGE | {"data/reader.py": text}, py2=py2)
    (finding,) = [f for f in findings if f.code == "TFM719"]
    assert (
        finding.message == "only Python 2 finds `util`, which is next to this file in its package"
    )
    assert finding.action.startswith(
        "write `from .util import ...`, or `from data.util import ...`"
    )


@pytest.mark.parametrize("end", ["finally: f()", "except IOError: pass"])
def test_imports_in_a_try_that_is_there_for_something_else(end: str) -> None:
    text = f"import tensorflow as tf\ntry:\n  import util\n{end}\n"
    _, findings = migrate_tree(_PACKAGE | {"data/reader.py": text})
    assert [f.line for f in findings if f.code == "TFM719"] == [3]


@pytest.mark.parametrize(
    "files",
    [
        {"util.py": ""},
        {"data/reader.py": "import tensorflow as tf\nfrom .util import load\n"},
        {"data/reader.py": "import tensorflow as tf\ntry: import util\nexcept ImportError: pass\n"},
        {"data/reader.py": "import tensorflow as tf\nimport json\n", "data/json.py": ""},
        {"train.py": "import sys\nsys.path.append('data')\n" + _PACKAGE["train.py"]},
        {"train.py": "import tensorflow as tf\n", "data/run.py": "import reader"},
        {"data/util.py": _PATH + "import tensorflow as tf\n"},
        {"data/reader.py": "import tensorflow as tf\nimport reader\n"},
        {
            "data/reader.py": "from __future__ import absolute_import, division\n"
            + _PACKAGE["data/reader.py"]
        },
    ],
)
def test_imports_that_python_3_finds(files: dict[str, str]) -> None:
    _, findings = migrate_tree(_PACKAGE | files)
    assert not [f for f in findings if f.code == "TFM719"]
