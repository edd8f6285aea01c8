"""TFM720: names that TensorFlow 2.21 does not have and no other rule reports."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import found, migrate_tree, migrated, run, source

from tfmigrate.engine.migration import migrate
from tfmigrate.engine.options import Options

V1 = "import tensorflow as tf\ntf.placeholder(tf.float32)\n"


@pytest.mark.parametrize(
    "text",
    [
        "import tensorflow as tf\ntf.constant(1)\ntf.keras.layers.Dense(1)\n",
        V1 + "tf.train.Saver().save\ntf.flags.FLAGS.name\ntf.logging.info('x')\n",
        V1 + "tf.__version__\ntf.summary.scalar\ntf.layers.dense\n",
        "from tensorflow.python.framework import ops\nops.name_scope\nops._own.x\nops = load()\n",
        "from tensorflow.python.ops import array_ops, gen_array_ops\narray_ops.concat\n"
        "gen_array_ops.concat_v2\ngen_array_ops._ops\ngen_array_ops.Concat\n",
        "from tensorflow.core.framework import graph_pb2\ngraph_pb2.GraphDef\n",
        "import tensorflow.keras.utils as u\nu.to_categorical\n",
        "import tensorflow as tf\nfrom keras import backend as K\nK.clear_session()\n",
        "import tensorflow as tf\nfrom keras.src.layers import x\n",
        "import tensorflow as tf\nif hasattr(tf, 'contrib'):\n  getattr(tf.contrib, 'layers')\n",
        "try:\n  import tensorflow.contrib.x\nexcept ImportError:\n  pass\n",
        "import tensorflow as tf\nclass A:\n  def f(self, x):\n    self.tf, x = x, tf\n"
        "    self.tf.placeholder(x)\n",
        "import tensorflow as tf\nclass A:\n  def f(self, x):\n    self.tf = tf\n"
        "    self.tf = x\n    self.tf.placeholder(x)\n",
        "import tensorflow as tf\nif tf.__version__ < '2':\n  from tensorflow.models import x\n",
        "import tensorflow as tf\ngetattr(tf, name)\ngetattr(tf, 'contrib', None)\n",
        "import importlib\nimportlib.import_module('tensorflow.keras')\n__import__(name)\n",
        "from .tensorflow import contrib\ncontrib.x\n",
        V1 + "tf.best = 0\nif tf.best < x:\n  tf.best = x\n",
        V1 + "tf.flags.own = read()\ntf.flags.own.name\n",
        V1 + "setattr(tf, 'best', 0)\ntf.best\n",
        V1 + "if not hasattr(tf, 'mul'):\n  tf.mul = tf.multiply\ntf.mul(a, b)\n",
        V1 + "tf.train.__dict__[name](0.1)\nvars(tf.nn)\ndir(tf.layers)\nvars(layers)\n",
        V1 + "getattr(tf.train, name)\ngetattr(tf.contrib.losses, name)\n"
        "getattr(tf.contrib.opt, 'AdamWOptimizer')\ngetattr(tf.contrib.opt, name, None)\n",
        V1 + "if 'contrib' in tf.__dict__:\n  vars(tf.layers)\n",
    ],
)
def test_nothing_is_missing(text: str) -> None:
    assert found(text, "TFM720") == []


@pytest.mark.parametrize(
    ("text", "line", "name"),
    [
        (V1 + "tf.logging._log_prefix.info('x')\n", 3, "tf.logging._log_prefix"),
        (
            "from tensorflow.python.ops import rnn_cell_impl as r\nr._other_rnncell(x)\n",
            2,
            "_other_rnncell",
        ),
        ("from tensorflow.python.keras.applications import nets\n", 1, "keras.applications"),
        ("from tensorflow.python.keras.layers import Normal\n", 1, "Normal"),
        ("import tensorflow as tf\nfrom tensorflow.nn.embedding import x\n", 2, "tf.nn.embedding"),
        ("import tensorflow as tf\ntf.python.ops.math_ops.add\n", 2, "tensorflow.python"),
        (V1 + "from keras.utils import HDF5Matrix\n", 3, "keras.utils.HDF5Matrix"),
        (V1 + "from keras import backend as K\nK.no_such_name(1)\n", 4, "no_such_name"),
        (V1 + "x = getattr(tf.contrib, name)\n", 3, "tf.contrib"),
        (V1 + "tf.nothing.best = 0\n", 3, "tf.nothing"),
        (V1 + "tf.best += 1\n", 3, "tf.best"),
        (V1 + "if tf.__version__ < '2':\n  tf.best = 0\ntf.best\n", 5, "tf.best"),
        (V1 + "x = getattr(tf, 'contrib')\n", 3, "tf.contrib"),
        (V1 + "def f(contrib=tf.contrib):\n  pass\n", 3, "tf.contrib"),
        (V1 + "class A:\n  tf = tf\n  x = tf.no_such_name\n", 5, "tf.no_such_name"),
        (
            V1 + "import importlib\nimportlib.import_module('tensorflow.contrib.slim')\n",
            4,
            "tf.contrib.slim",
        ),
        (V1 + "NAME = 'tensorflow.contrib.rnn'\n__import__(NAME)\n", 4, "tf.contrib.rnn"),
        (
            "import tensorflow as tf\nif tf.__version__ >= '1.8':\n"
            "  from tensorflow.python.keras.applications import nets\n",
            3,
            "applications",
        ),
        (
            "import tensorflow as tf\ntry:\n  from tensorflow.nn.models import x\n"
            "except ImportError:\n  from tensorflow.nn.models import y as x\n",
            5,
            "tf.nn.models",
        ),
        (
            "import tensorflow as tf\ntry:\n  from tensorflow.nn.models import x\n"
            "except ImportError:\n  raise\n",
            3,
            "tf.nn.models",
        ),
        (
            "import tensorflow as tf\nclass A:\n  tf = tf\n  def f(self, x):\n"
            "    return self.tf.contrib.layers.flatten(x)\n",
            5,
            "tf.contrib.layers.flatten",
        ),
        (
            "class A:\n  def __init__(self):\n    import tensorflow as tf\n    self.tf = tf\n"
            "  def f(me):\n    return me.tf.placeholder(me.tf.nothing)\n",
            6,
            "tf.nothing",
        ),
        (
            "import tensorflow as tf\ntry:\n  import extra\nexcept ImportError:\n"
            "  tf.nn.no_such_name\n",
            5,
            "tf.nn.no_such_name",
        ),
        (  # Keras 3 lacks both: nothing here asks for Keras 2
            "import tensorflow as tf\ntry:\n  f = tf.keras.backend.get_session\n"
            "except AttributeError:\n  f = tf.compat.v1.keras.backend.get_session\n",
            5,
            "get_session",
        ),
    ],
)
def test_missing_names_are_reported(text: str, line: int, name: str) -> None:
    (told,) = found(text, "TFM720")
    assert told.line == line
    assert name in told.message.split(" is not in ")[0]
    assert told.action
    assert (told.severity.value, told.applied) == ("manual", False)
    after = run(text).texts.get(Path("/nowhere/program.py"), text)
    assert [f.message for f in found(after, "TFM720")] == [told.message]


def test_a_name_that_another_file_sets_is_there(tmp_path: Path) -> None:
    use = "import state\nimport tensorflow as tf\ntf.placeholder(tf.float32)\nprint(tf.best)\n"
    _, told = migrate_tree({"state.py": V1 + "tf.best = 0\n", "main.py": use})
    assert not [f for f in told if f.code == "TFM720"]


def test_what_another_rule_reports_is_reported_once() -> None:
    text = V1 + "from tensorflow.contrib import gan\ngan.gan_train(x)\ntf.contrib.tpu.x(y)\n"
    told = [(f.code, f.line) for f in run(text).findings if f.severity.value == "manual"]
    assert told == [("TFM702", 3), ("TFM702", 5)]


def test_a_module_that_is_gone_is_reported_once() -> None:
    text = "from tensorflow.nn.models import a, b\na.f()\nb.g()\n"
    assert [f.line for f in found(text, "TFM720")] == [2]


def test_comments_and_options_keep_it_off() -> None:
    text = V1 + "tf.logging._log_prefix  # tfmigrate: ignore[TFM720]\n"
    assert found(text, "TFM720") == found(text, "TFM907") == []
    assert found(V1 + "tf.logging._log_prefix\n", "TFM720", ignore=("TFM720",)) == []


def test_a_file_that_is_held_back_is_not_reported_name_by_name() -> None:
    text = "import tensorflow as tf\ntf.Session()\ntf.optimizers.Adam()\n"
    assert [f.code for f in run(text).findings] == ["TFM708"]


@pytest.mark.parametrize(
    "bound",
    ["slim = tf.contrib.slim", "from tensorflow.contrib import slim", "slim = contrib.slim"],
)
def test_nor_is_what_it_reaches_through_a_package_of_contrib(bound: str) -> None:
    text = "import tensorflow as tf\nfrom tensorflow import contrib\n"
    text += "tf.optimizers.Adam()\ntf.placeholder(tf.float32)\n"
    assert not found(f"{text}{bound}\nslim.conv2d(x)\nslim.losses.log_loss(x)\n", "TFM720")


def test_own_packages_are_not_tensorflow(tmp_path: Path) -> None:
    (tmp_path / "keras").mkdir()
    (tmp_path / "keras/__init__.py").write_text("")
    (tmp_path / "keras/no_such.py").write_text("")
    main = source(tmp_path / "main.py", V1 + "from keras.no_such import x\n")
    assert [f.code for f in migrate([main], Options(), [tmp_path]).findings] == ["TFM701"]


def test_own_modules_below_a_folder_called_tensorflow(tmp_path: Path) -> None:
    package = tmp_path / "tensorflow/contrib/learn"
    package.mkdir(parents=True)
    for folder in (package, *list(package.parents)[:2]):
        (folder / "__init__.py").write_text("")
    (package / "own.py").write_text("")
    text = V1 + "from tensorflow.contrib.learn import own\nown.f()\ntf.contrib.gan.x()\n"
    main = source(package / "main.py", text)
    told = [(f.code, f.line) for f in migrate([main], Options(), [tmp_path]).findings]
    assert told == [("TFM701", 1), ("TFM702", 5)]


def test_a_folder_called_tensorflow_within_a_package_is_not_tensorflow() -> None:
    changed, _ = migrate_tree(
        {
            "mine/__init__.py": "",
            "mine/tensorflow/__init__.py": "",
            "mine/tensorflow/contrib/__init__.py": "",
            "mine/tensorflow/contrib/learn/__init__.py": "# tensorflow\n",
            "mine/examples/main.py": "import tensorflow as tf\n"
            "import tensorflow.contrib.learn as learn\ntf.contrib.learn.RunConfig()\n",
        }
    )
    assert "tensorflow" not in changed["mine/examples/main.py"]


def test_names_that_come_by_a_star_import_of_an_own_module() -> None:
    files = {
        "common.py": "import tensorflow as tf\ntf.Session()\nfrom deeper import *\n",
        "deeper.py": "import tensorflow.keras as _hidden\nimport tensorflow.keras as k\n",
        "main.py": "# tensorflow\nfrom common import *\ntf.constant(1)\n"
        "tf.contrib.layers.flatten(1)\nk.no_such\n_hidden.no_such\n",
    }
    changed, findings = migrate_tree(files)
    assert "layers.flatten(1)" in changed["main.py"]
    told = [(f.line, f.message) for f in findings if f.code == "TFM720" and f.path == "main.py"]
    assert told == [
        (5, "tf.keras.no_such is not in TensorFlow 2.21"),
    ]


@pytest.mark.parametrize("name", ["tf.softmax", "tf.nn.l2_norm"])
def test_what_never_was_a_name_of_tensorflow(name: str) -> None:
    (told,) = found(V1 + f"{name}(1)\n", "TFM720")
    assert told.action.startswith("TensorFlow 1.15 does not have it either: correct the name or")


def test_a_file_of_tensorflow_2_that_nothing_starts_runs_with_keras_3() -> None:
    text = "from tensorflow import keras\ndef f(x):\n  keras.losses.mean_squared_error(x, x)\n"
    assert [f.line for f in found(text, "TFM720")] == [3]


def test_a_library_asks_for_keras_2_where_no_script_is_known() -> None:
    text = "import tensorflow as tf\ndef f(x):\n  tf.get_variable('a')\n  tf.layers.dense(x, 1)\n"
    (after,) = run(text).texts.values()
    assert 'os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")' in after
    assert "disable_v2_behavior" not in after
    assert run(after).texts == {}
    assert found(text, "TFM720") == []


def test_layers_of_a_program_whose_start_is_held_back_are_reported() -> None:
    start = (
        "import tensorflow as tf\nimport net\n\n"
        "def model_fn(features, labels, mode, params):\n"
        "  opt = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())\n"
        "  loss = net.loss(features, labels)\n"
        "  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=opt.minimize(loss))\n\n"
        "def make(fn):\n  return tf.estimator.Estimator(fn(model_fn), 'd')\n\n"
        "make(tf.contrib.estimator.replicate_model_fn).train(f)\n"
    )
    net = (
        "import tensorflow.compat.v1 as tf\n\ndef loss(x, y):\n"
        "  return tf.reduce_mean(tf.layers.dense(x, 1) - y)\n"
    )
    changed, findings = migrate_tree({"main.py": start, "net.py": net})
    assert changed == {}
    assert [f.line for f in findings if f.path.endswith("net.py")] == [4]


@pytest.mark.parametrize(
    ("again", "line"),
    [
        ("tf, x = 1, 2\n", 4),
        ("for term, tf in {}.items():\n  print(tf.real)\n", 4),
        ("with open('counts') as tf:\n  pass\n", 4),
        ("tf = count()\n", 4),
        ("x = tf = 1\n", 4),
    ],
)
def test_a_variable_of_the_same_name_hides_nothing(again: str, line: int) -> None:
    text = "import tensorflow as tf\nsession = tf.Session()\ntf.nn.relu(1)\n" + again
    (told,) = found(text, "TFM720")
    assert told.line == 2
    assert f"`tf` at line {line}" in told.action


@pytest.mark.parametrize(
    "text",
    [
        "import tensorflow as tf\nfor term, tf in {}.items():\n  print(tf.total, tf.nn)\n",
        "import tensorflow as tf\ndef count(tf):\n  return tf.Session\n",
        "import numpy as tf\nfor tf in x:\n  tf.Session()\n",
    ],
)
def test_a_count_called_tf_is_none_of_tensorflow(text: str) -> None:
    assert found(text, "TFM720") == []


@pytest.mark.parametrize("end", ["del tf\n", "tf = None\n"])
def test_a_name_may_be_dropped(end: str) -> None:
    new = migrated(f"import tensorflow as tf\ntf.placeholder(tf.float32)\n{end}")
    assert "import tensorflow.compat.v1 as tf" in new


@pytest.mark.parametrize(
    ("imported", "told"),
    [
        ("import importlib\ntf = importlib.import_module('tensorflow')\n", "tf.placeholder"),
        ("from importlib import import_module\ntf = import_module('tensorflow')\n", "tf.place"),
        ("tf = __import__('tensorflow')\n", "tf.placeholder"),
        ("tf = __import__('tensorflow.nn')\n", "tf.placeholder"),
        ("tf = __import__('tensorflow.compat.v1')\n", "tf.placeholder"),
    ],
)
def test_names_of_modules_that_are_imported_by_a_call(imported: str, told: str) -> None:
    findings = found(f"{imported}tf.placeholder(tf.float32)\ntf.nn.relu(1)\n", "TFM720")
    assert [f.message.startswith(told) for f in findings] == [True]


def test_names_below_what_a_tuple_is_assigned() -> None:
    text = (
        "opt, train = tf.contrib.opt, tf.train\nopt.AddSignOptimizer(1)\ntrain.AdamOptimizer(1)\n"
    )
    (finding,) = found(f"import tensorflow as tf\n{text}", "TFM720")
    assert finding.line == 3
    assert finding.message.startswith("tfmigrate_runtime.opt.AddSignOptimizer is not in ")


def test_names_of_a_module_that_is_imported_by_a_call_and_there() -> None:
    text = "import importlib\ntf = importlib.import_module('tensorflow.compat.v1')\n"
    assert found(f"{text}tf.placeholder(tf.float32)\n", "TFM720") == []


@pytest.mark.parametrize(
    ("text", "name", "action"),
    [
        ("tf.estimator.ModeKeys.INFER", "ModeKeys.INFER", "use EVAL, PREDICT or TRAIN"),
        ("tf.contrib.learn.ModeKeys.PREDICT", "ModeKeys.PREDICT", "use EVAL, INFER, TRAIN or"),
    ],
)
def test_constants_that_a_class_does_not_have(text: str, name: str, action: str) -> None:
    (finding,) = found(f"import tensorflow as tf\ntf.placeholder({text})\n", "TFM720")
    assert name in finding.message
    assert finding.action.startswith(action)


def test_constants_that_it_has() -> None:
    text = "tf.estimator.ModeKeys.PREDICT, tf.contrib.learn.ModeKeys.INFER"
    assert not found(f"import tensorflow as tf\ntf.placeholder({text})\n", "TFM720")


@pytest.mark.parametrize(
    ("text", "is_gone"),
    [
        ("from tensorflow.tools.graph_transforms import TransformGraph", True),
        ("from tensorflow.tools import graph_transforms", True),
        ("from tensorflow.tools.docs import doc_controls", False),
        ("import tensorflow.tools", False),
    ],
)
def test_tools_of_tensorflow(text: str, is_gone: bool) -> None:
    told = found(f"{V1}{text}\ntf.Session()\n", "TFM720")
    assert [f.message for f in told] == (
        ["tensorflow.tools.graph_transforms is not in TensorFlow 2.21"] if is_gone else []
    )


def test_mixed_precision_is_public_now() -> None:
    text = V1 + "tf.keras.mixed_precision.experimental.set_policy('mixed_float16')\n"
    (finding,) = found(text, "TFM720")
    assert finding.action is not None
    assert "use tf.keras.mixed_precision: set_global_policy" in finding.action


def test_the_version_of_keras_2() -> None:
    text = "import tensorflow as tf\ntf_keras = 1\nprint(tf.keras.__version__)\n"
    (finding,) = found(f"{text}tf.layers.dense(tf.placeholder(tf.float32), 1)\n", "TFM720")
    assert (finding.line, "__version__" in finding.message) == (3, True)
    assert not found(f"{text}tf.optimizers.Adam()\n", "TFM720")


@pytest.mark.parametrize(
    ("lookup", "message", "action"),
    [
        (
            "tf.nn.rnn_cell.__dict__[name]",
            "tf.nn.rnn_cell.__dict__ is empty",
            "dir(tf.nn.rnn_cell)",
        ),
        ("name in tf.layers.__dict__", "tf.layers.__dict__ is empty", "hasattr(tf.layers, name)"),
        ("vars(tf.keras)", "vars(tf.keras) is empty", "use getattr(tf.keras, name)"),
        ("vars(tf.contrib.slim)", "vars(tf.contrib.slim) is empty", "getattr(tf.contrib.slim"),
        ("(vars)(tf.layers)", "vars(tf.layers) is empty", "dir(tf.layers)"),
        (
            "getattr(tf.contrib.legacy_seq2seq, name)",
            "tfmigrate_runtime.legacy_seq2seq lacks one2many_rnn_seq2seq, which "
            "getattr(tf.contrib.legacy_seq2seq, name) may look up",
            "add an ignore comment",
        ),
        (
            "getattr(tf.contrib.opt, name)",
            "AdamGSOptimizer, AddSignOptimizer and ",
            "add an ignore",
        ),
    ],
)
def test_names_that_are_looked_up_by_their_texts(lookup: str, message: str, action: str) -> None:
    (finding,) = found(V1 + f"{lookup}\n", "TFM720")
    assert message in finding.message
    assert action in finding.action


@pytest.mark.parametrize("name", ["vars", "getattr"])
def test_functions_of_the_program_look_nothing_up(name: str) -> None:
    text = V1 + f"def {name}(*a): return a\n{name}(tf.layers, key)\n{name}(tf.contrib.opt, key)\n"
    assert found(text.replace(", key", "" if name == "vars" else ", key"), "TFM720") == []


@pytest.mark.parametrize(
    ("text", "action"),
    [
        (
            "from keras.utils import np_utils as n\nn.to_categorical(y)\n",
            "keras.utils.to_categorical",
        ),
        ("from keras import objectives\nobjectives.mse(x, y)\n", "keras.losses.mse"),
        (
            "from tensorflow.python.eager import context\ncontext.in_graph_mode()\n",
            "not context.executing_eagerly()",
        ),
    ],
)
def test_what_to_use_in_place_of_names_that_moved(text: str, action: str) -> None:
    (finding,) = found(text, "TFM720")
    assert finding.action == f"use {action}"


@pytest.mark.parametrize(
    ("name", "action"),
    [
        ("keras.preprocessing.image.ImageDataGenerator", "import Keras 2 instead"),
        ("keras.backend.repeat_elements", "or import Keras 2"),
        # Of Keras 1, whose names tf-keras lacks, too.
        ("keras.backend.T", "tf-keras does not have it either"),
        ("keras.engine.training", "tf-keras does not have it either"),
        ("keras.initializations.normal", "keras.initializers"),
        ("keras.optimizers.rmsprop", "use keras.optimizers.RMSprop"),
    ],
)
def test_keras_2_is_advised_where_it_has_the_name(name: str, action: str) -> None:
    (finding,) = found(f"import keras\nprint({name})\n", "TFM720")
    assert action in finding.action


def test_the_dictionary_of_a_package_of_contrib_is_one_finding() -> None:
    text = V1 + "tf.contrib.layers.__dict__[name](x)\n"
    (finding,) = found(text, "TFM702") + found(text, "TFM720")
    assert finding.action == "use getattr(tf.contrib.layers, name)"


def test_each_name_of_a_missing_module_is_reported() -> None:
    findings = found(V1 + "tf.python.one(1)\ntf.python.two(2)\ntf.python.two(3)\n", "TFM720")
    assert [f.line for f in findings] == [3, 4]
    assert [f.action[:45] for f in findings] == [
        "import it (from tensorflow.python import one)",
        "import it (from tensorflow.python import two)",
    ]


def test_a_missing_module_with_one_answer_is_one_finding() -> None:
    text = "import tensorflow as tf\nfrom keras.preprocessing import text\ntext.one()\ntext.two()\n"
    assert len(found(text, "TFM720")) == 1


def test_a_decorator_of_tensorflow_0_is_to_be_removed() -> None:
    (finding,) = found(V1 + "@tf.RegisterShape('A')\ndef f(op): pass\n", "TFM720")
    assert finding.action == "remove it: this decorator had no effect in TensorFlow 1.x"


def test_a_name_that_compat_v1_has_with_keras_3_alone_is_named_in_compat_v2() -> None:
    text = V1 + "tf.keras.losses.Huber(reduction=tf.keras.losses.Reduction.NONE)\n"
    (finding,) = found(text, "TFM720")
    assert finding.action == "use tf.compat.v2.keras.losses.Reduction.NONE"
    assert not found(text.replace("tf.keras.losses.Red", "tf.compat.v2.keras.losses.Red"), "TFM720")


@pytest.mark.parametrize("layers", ["tf.keras.layers.experimental.preprocessing", "preprocessing"])
def test_layers_that_are_experimental_no_more(layers: str) -> None:
    text = (
        "import tensorflow as tf\n"
        "from tensorflow.keras.layers.experimental import preprocessing\n\n"
        f"with tf.distribute.MirroredStrategy().scope():\n  {layers}.Rescaling(0.5)\n"
    )
    (action,) = {f.action for f in found(text, "TFM720")}
    assert action.startswith("use the layer of that name in tf.keras.layers")
