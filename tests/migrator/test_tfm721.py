"""TFM721: names that moved within Python's library and within Keras."""

from __future__ import annotations

import pytest
from support import check, check_unchanged, found, migrate_tree, migrated, run

V1 = "import tensorflow as tf\ntf.Session()\n"


@pytest.mark.parametrize(
    "text",
    [
        "import urlparse\nimport collections\ncollections.Mapping\n",
        "import tensorflow as tf\nimport urlparse\n",
        "import tensorflow.compat.v1 as tf\nfrom collections import OrderedDict\ntf.Session()\n",
        "import tensorflow.compat.v1 as tf\ntry:\n  import cPickle\nexcept ImportError:\n"
        "  import pickle as cPickle\ntf.Session()\n",
        "import tensorflow.compat.v1 as tf\ntry:\n  import queue\nexcept ImportError:\n"
        "  import Queue as queue\ntf.Session()\n",
        "import tensorflow.compat.v1 as tf\ntry:\n  from collections.abc import Mapping\n"
        "except ImportError:\n  from collections import Mapping\ntf.Session()\n",
        "import sys\nimport tensorflow.compat.v1 as tf\nif sys.version_info[0] < 3:\n"
        "  import urlparse\ntf.Session()\n",
        "import tensorflow.compat.v1 as tf\nfrom .keras.utils import np_utils\ntf.Session()\n",
        "import tensorflow.compat.v1 as tf\nfrom keras.layers import Dense\ntf.Session()\n",
    ],
)
def test_nothing_moved(text: str) -> None:
    check_unchanged(text)
    assert not found(text, "TFM721")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import urlparse", "import urllib.parse as urlparse"),
        ("from urlparse import urljoin as j", "from urllib.parse import urljoin as j"),
        ("import cPickle as pickle", "import pickle"),
        ("from collections import Mapping", "from collections.abc import Mapping"),
        ("import time\ntime.clock()", "import time\ntime.perf_counter()"),
        ("import sys\nprint(sys.maxint)", "import sys\nprint(sys.maxsize)"),
        (
            "from pkg_resources import parse_version as pv",
            "from packaging.version import parse as pv",
        ),
    ],
)
def test_moved_names(before: str, after: str) -> None:
    body = "def f():\n  return tf.Session()\n"
    imported = "import tensorflow as tf\n"
    new = imported.replace("tensorflow as", "tensorflow.compat.v1 as")
    check(f"{imported}{before}\n{body}", f"{new}{after}\n{body}")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "from keras.utils.np_utils import to_categorical",
            "from keras.utils import to_categorical",
        ),
        ("from keras.layers.core import Dense", "from keras.layers import Dense"),
        ("from keras.engine.topology import Layer", "from keras.layers import Layer"),
    ],
)
def test_names_of_keras_outside_of_tensorflow_1(before: str, after: str) -> None:
    eager = "import tensorflow as tf\n\n\n@tf.function\ndef f(x):\n  return x\n"
    files = {
        "old.py": "import tensorflow as tf\nimport new\n\ndef f():\n  return tf.Session()\n",
        "new.py": f"{before}\n{eager}",
    }
    changed, _ = migrate_tree(files)
    assert changed["new.py"] == f"{after}\n{eager}"


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("import urllib2", "urllib.request"),
        ("from StringIO import StringIO", "io.BytesIO"),
        ("import pkg_resources", "importlib.metadata"),
        ("import imp\nimp.load_source('a', 'b')", "importlib"),
        ("from itertools import izip", "zip"),
        ("import itertools\nitertools.izip(a, b)", "zip"),
        ("import urllib\nurllib.urlretrieve(u)", "urllib.request.urlretrieve"),
        ("import fractions\nfractions.gcd(1, 2)", "math.gcd"),
        ("import string\nstring.replace(s, 'a', 'b')", "text.replace(...)"),
        ("from string import atoi", "int"),
        ("import string\nstring.maketrans('a', 'b')", "str.maketrans"),
        ("import sys\nsys.setdefaultencoding('gbk')", "reload"),
        ("from skimage.measure import compare_ssim", "structural_similarity"),
        ("import matplotlib.pyplot as plt\nplt.hold(True)", "remove"),
        ("from scipy import signal\nsignal.hann(3)", "scipy.signal.windows.hann"),
        ("import pandas as pd\npd.rolling_mean(x, 3)", ".rolling(...).mean()"),
        (
            "from tensorflow_serving.apis import prediction_service_pb2 as service\n"
            "service.beta_create_PredictionService_stub(channel)",
            "prediction_service_pb2_grpc",
        ),
    ],
)
def test_names_that_are_gone(text: str, advice: str) -> None:
    (told,) = found(V1 + text + "\n", "TFM721")
    assert told.severity.value == "manual"
    assert advice in told.action


def test_a_branch_of_a_try_moves_where_no_other_has_the_current_name() -> None:
    check(
        "import tensorflow as tf\ntry:\n  import fast\nexcept ImportError:\n"
        "  from urlparse import urljoin as fast\n\n\ndef f():\n  return tf.Session()\n",
        "import tensorflow.compat.v1 as tf\ntry:\n  import fast\nexcept ImportError:\n"
        "  from urllib.parse import urljoin as fast\n\n\ndef f():\n  return tf.Session()\n",
    )


HEAD = "import inspect\nimport sys\nimport tensorflow as tf\nx = tf.placeholder(float)\n"


@pytest.mark.parametrize("field", [".args", ".varargs", ".defaults", "[0]", "[3]"])
def test_fields_of_getargspec(field: str) -> None:
    after = migrated(f"{HEAD}y = 'reuse' in inspect.getargspec(f){field}\n")
    assert after.endswith(f"y = 'reuse' in inspect.getfullargspec(f){field}\n")


PANDAS = f"import pandas as pd\n{HEAD}"


@pytest.mark.parametrize(
    "value",
    ["pd.read_csv(f)", "pd.DataFrame(y)[['a']].dropna().iloc[:, 1]", "pd.concat([y, z]).T"],
)
def test_matrices_of_pandas(value: str) -> None:
    text = f"{PANDAS}t = {value}\nt = t.fillna(0)\ny = t.as_matrix()\n"
    assert migrated(text).endswith("y = t.to_numpy()\n")
    assert migrated(f"{PANDAS}y = {value}.as_matrix()  # all\n").endswith(".to_numpy()  # all\n")


@pytest.mark.parametrize("call", ["y.as_matrix()", "pd.read_csv(f).as_matrix(columns=['a'])"])
def test_matrices_that_are_reported(call: str) -> None:
    text = f"{PANDAS}def f(y):\n  return {call}\n"
    assert [f.message for f in found(text, "TFM721")] == ["pandas 1.0 removed .as_matrix()"]
    assert not found(text.replace("import pandas as pd\n", "import other as pd\n"), "TFM721")


def test_generators_that_end_by_an_exception() -> None:
    text = HEAD + (
        "def rows(n):\n  while True:\n    if n < 0:\n      raise StopIteration  # no more\n"
        "    yield n\n    with y:\n      raise StopIteration()\n"
    )
    returns = text.replace("raise StopIteration()", "return").replace(
        "raise StopIteration", "return"
    )
    assert migrated(text).endswith(returns.removeprefix(HEAD))


@pytest.mark.parametrize(
    "text",
    [
        "class A:\n  def __next__(self):\n    raise StopIteration\n",
        "def f():\n  def g():\n    yield 1\n  raise StopIteration\n",
        "def f():\n  try:\n    yield 1\n    raise StopIteration\n  except E:\n    a()\n",
        "def f():\n  yield 1\n  raise StopIteration(2)\n",
        "def f():\n  yield 1\n  raise ValueError\n",
    ],
)
def test_other_raised_exceptions_stay(text: str) -> None:
    assert not found(HEAD + text, "TFM721")


@pytest.mark.parametrize(
    "line",
    [
        "y = inspect.getargspec(f)",
        "y = inspect.getargspec(f).keywords",
        "y = inspect.getargspec(f)[-1]",
    ],
)
def test_other_uses_of_getargspec_are_reported(line: str) -> None:
    assert migrated(f"{HEAD}{line}\n").endswith(f"{line}\n")
    assert "manual" in [f.severity.value for f in found(f"{HEAD}{line}\n", "TFM721")]


@pytest.mark.parametrize(
    "lines",
    [
        "reload(sys)\nsys.setdefaultencoding('utf-8')\n",
        "reload(sys); sys.setdefaultencoding('utf8')\n",
        "import importlib\nimportlib.reload(sys)\nsys.setdefaultencoding('UTF-8')\n",
    ],
)
def test_utf_8_is_the_default_encoding(lines: str) -> None:
    after = migrated(f"{HEAD}{lines}y = 1\n")
    assert "reload(" not in after and "setdefaultencoding" not in after
    assert not [f for f in run(HEAD + lines).findings if f.severity.value == "manual"]


def test_a_different_default_encoding_is_reported() -> None:
    text = HEAD + "reload(sys)\nsys.setdefaultencoding('gbk')\n"
    assert migrated(text).endswith("reload(sys)\nsys.setdefaultencoding('gbk')\n")
    codes = [f.code for f in run(text).findings if f.severity.value == "manual"]
    assert sorted(codes) == ["TFM719", "TFM721"]


STREAMS = "import io\nimport numpy as np\nfrom PIL import Image\nimport tensorflow as tf\n"
STREAMS += "x = tf.placeholder(tf.float32)\n"


@pytest.mark.parametrize(
    "lines",
    [
        "y = Image.open({}(x))",
        "s = {}(x)\ny = np.load(s)",
        "s = {}()\nnp.save(s, [1])",
        "s = {}()\nImage.new(1).save(s, format='png')",
        "s = {}()\nImage.new(1).save(s, 'PNG')",
        "s = {}()\nfigure.savefig(s)",
        "s = {}()\ntf.Summary.Image(encoded_image_string=s.getvalue())",
        "s = {}(b'abc')",
        "import scipy.io.wavfile as wav\ns = {}(x)\nrate, y = wav.read(s)",
        "import pickle\ny = pickle.load({}(x))",
        "import pickle\ns = {}()\npickle.dump(y, s)",
        "import zipfile\nzipfile.ZipFile(file={}(x))",
        "import gzip\ngzip.GzipFile(fileobj={}(x))",
        "import tarfile\ns = {}()\ntarfile.open(fileobj=s, mode='w')",
        "import zlib\ns = {}()\nzlib.decompress(s.getvalue(), 31)",
        "s = {}()\nftp.retrbinary('RETR a', s.write)",
    ],
)
def test_streams_of_bytes(lines: str) -> None:
    after = migrated(f"{STREAMS}{lines.format('io.StringIO')}\n")
    assert after.endswith(f"\n{lines.format('io.BytesIO')}\n")


@pytest.mark.parametrize(
    "lines",
    [
        "s = io.StringIO()\nnp.savetxt(s, [1])",
        "s = io.StringIO()\nmodel.save(s)",
        "import zlib\ns = io.StringIO()\ns.write('a')\nzlib.compress(s.getvalue())",
        "s = io.StringIO()\nftp.retrlines('LIST', s.write)",
        "y = np.load(x)\ns = io.StringIO('abc')",
        "from mine import StringIO\ny = Image.open(StringIO(x))",
    ],
)
def test_streams_of_texts(lines: str) -> None:
    assert migrated(f"{STREAMS}{lines}\n").endswith(f"\n{lines}\n")


def test_streams_that_a_try_imports() -> None:
    text = "try:\n  from StringIO import StringIO\nexcept ImportError:\n  from io import StringIO\n"
    after = migrated(f"{text}import tensorflow as tf\ntf.Session()\ns = StringIO()\nf.savefig(s)\n")
    assert "import io\n" in after
    assert after.endswith("\ns = io.BytesIO()\nf.savefig(s)\n")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("import baselines.common.tf_util as U", "no release of baselines runs on TensorFlow "),
        ("import tflearn", "no release of tflearn runs on TensorFlow 2.16 or later"),
        (
            "from tensor2tensor import layers, models",
            "no release of tensor2tensor runs ",
        ),
        ("import sonnet as snt", "sonnet needs TensorFlow 1.x, and sonnet for TensorFlow 2 has "),
        ("from cleverhans.attacks import FastGradientMethod", "cleverhans.attacks needs "),
    ],
)
def test_packages_that_need_tensorflow_1_are_reported(line: str, message: str) -> None:
    (finding,) = found(f"{line}\nimport tensorflow as tf\ntf.Session()\n", "TFM721")
    assert finding.message.startswith(message)
    assert (finding.line, finding.severity.value) == (1, "manual")


def test_programs_of_such_packages_need_not_name_tensorflow() -> None:
    tree = {
        "train.py": "import tflearn\n\ntflearn.DNN(tflearn.input_data(shape=[None, 4]))\n",
        "pets.py": "from tensor2tensor.utils import registry\n\n\n@registry.register_model\n"
        "class Pets:\n  pass\n",
        "other.py": "import sonnet as snt\n\nsnt.Linear(4)\n",
    }
    reported = [(f.path, f.severity.value) for f in migrate_tree(tree)[1] if f.code == "TFM721"]
    assert sorted(reported) == [("pets.py", "manual"), ("train.py", "manual")]


@pytest.mark.parametrize(
    "line",
    [
        "import tensorflow_hub as hub",
        "from cleverhans.tf2 import attacks",
        "import texar.torch as tx",
        "from baselines import logger",
        "from .sonnet import nets",
        "try:\n  import sonnet\nexcept ImportError:\n  sonnet = None",
    ],
)
def test_other_packages_are_not(line: str) -> None:
    assert not found(f"{line}\nimport tensorflow as tf\ntf.Session()\n", "TFM721")


def test_own_packages_are_not() -> None:
    tree = {
        "sonnet/__init__.py": "x = 1\n",
        "train.py": "import sonnet\nimport tensorflow as tf\ntf.Session()\n",
    }
    assert not [f for f in migrate_tree(tree)[1] if f.code == "TFM721"]


def test_a_copy_of_a_package_without_a_part_is_not_its_release() -> None:
    text = "from tensor2tensor.utils import registry\nimport tensorflow as tf\ntf.Session()\n"
    tree = {"tensor2tensor/__init__.py": "", "tensor2tensor/models.py": text}
    assert not [f for f in migrate_tree(tree)[1] if f.code == "TFM721"]


def test_gym_records_videos_with_other_wrappers() -> None:
    text = f"import gym\n{HEAD}env = gym.wrappers.Monitor(gym.make('Pong-v0'), 'videos')\n"
    (finding,) = found(text, "TFM721")
    assert finding.severity.value == "manual"
    assert finding.message.startswith("gym.wrappers.Monitor is not in current Gym")
