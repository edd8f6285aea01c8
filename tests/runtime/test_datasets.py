"""The data sets of tf.contrib.learn and of the MNIST tutorial."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
from pathlib import Path
from typing import Any

import dataset_cases
import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import datasets
from tfmigrate_runtime.datasets import mnist

_RECORDED = Path(__file__).with_name("datasets_of_tensorflow_1_15.npz")
_REFERENCE = os.environ.get("TFMIGRATE_REFERENCE_PYTHON")


@pytest.mark.parametrize("packed", [True, False])
def test_everything_is_read_as_by_tensorflow_1_15(tmp_path: Path, packed: bool) -> None:
    dataset_cases.write_files(str(tmp_path), packed)
    _compare(dataset_cases.everything(tf, datasets, str(tmp_path)), np.load(_RECORDED))


@pytest.mark.reference
@pytest.mark.skipif(not _REFERENCE, reason="TFMIGRATE_REFERENCE_PYTHON is not set")
def test_recorded_numbers_are_those_of_tensorflow_1_15(tmp_path: Path) -> None:
    path = tmp_path / "recorded.npz"
    subprocess.run([str(_REFERENCE), dataset_cases.__file__, str(path)], check=True, timeout=120)
    _compare(np.load(path), np.load(_RECORDED))


def _compare(found: Any, expected: Any) -> None:
    assert set(found) == set(expected)
    for name, value in expected.items():
        assert np.asarray(found[name]).dtype == value.dtype, name
        if value.dtype == np.float64:  # sines and cosines of another numpy: its last digits
            np.testing.assert_allclose(found[name], value, rtol=0, atol=1e-14, err_msg=name)
        else:
            np.testing.assert_array_equal(found[name], value, err_msg=name)


def test_seed_of_the_program_orders_batches_without_a_graph_too(tmp_path: Path) -> None:
    dataset_cases.write_files(str(tmp_path))
    orders = []
    for _ in range(2):
        tf.set_random_seed(11)
        data = mnist.read_data_sets(str(tmp_path), validation_size=0)
        orders.append(data.train.next_batch(20)[0])
    np.testing.assert_array_equal(orders[0], orders[1])


def test_fake_data_is_not_read() -> None:
    data = mnist.input_data.read_data_sets("nowhere", fake_data=True, one_hot=True)
    images, labels = data.test.next_batch(3, fake_data=True)
    assert data.train.num_examples == 10000
    assert images == [[1] * 784] * 3
    assert labels == [[1] + [0] * 9] * 3
    assert mnist.read_data_sets("", fake_data=True).train.next_batch(1, True)[1] == [0]


def test_arrays_have_the_names_that_programs_of_1_15_reach_them_by() -> None:
    images = np.arange(8, dtype=np.uint8).reshape(2, 2, 2, 1)
    data = mnist.DataSet(images, np.array([3, 7]), reshape=False)
    assert data._images.shape == (2, 2, 2, 1)
    assert data._labels.tolist() == [3, 7]
    assert (data._num_examples, data._epochs_completed) == (2, 0)
    data._labels = np.array([1, 1])  # as programs that relabel do
    assert data.labels.tolist() == [1, 1]
    assert data.next_batch(2)[1].tolist() == [1, 1]
    with pytest.raises(AttributeError):
        data.labels = np.array([0, 0])  # type: ignore[misc]  # read-only in 1.15 too


def test_absent_files_are_named_and_not_downloaded(tmp_path: Path) -> None:
    dataset_cases.write_files(str(tmp_path))
    (tmp_path / "t10k-labels-idx1-ubyte.gz").unlink()
    with pytest.raises(
        FileNotFoundError, match=r"not contain t10k-labels.*Download it from https://storage"
    ):
        mnist.read_data_sets(str(tmp_path))
    with pytest.raises(
        FileNotFoundError, match=r"nowhere does not contain train-images.*Download them from ftp:"
    ):
        mnist.read_data_sets("nowhere", source_url="ftp:")
    with pytest.raises(FileNotFoundError, match=r"does not exist. Download it from there"):
        datasets.base.maybe_download("x.csv", str(tmp_path), "there")
    with pytest.raises(FileNotFoundError, match=r"MNIST-data does not contain"):
        datasets.load_dataset("mnist")


def test_files_that_are_there_need_no_download(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("")
    path = datasets.base.maybe_download("x.csv", str(tmp_path), "there")
    assert path == str(tmp_path / "x.csv")


def test_wrong_files_are_refused() -> None:
    file = io.BytesIO(gzip.compress(b"\0\0\x08\x01\0\0\0\x02\1"))
    file.name = "labels.gz"  # type: ignore[misc]
    with pytest.raises(ValueError, match=r"labels.gz is cut off: 2 bytes of data expected, 1"):
        mnist.extract_labels(file)
    file.seek(0)
    with pytest.raises(ValueError, match=r"Invalid magic number 2049 in MNIST image file: labels"):
        mnist.extract_images(file)


def test_wrong_arguments_are_refused(tmp_path: Path) -> None:
    dataset_cases.write_files(str(tmp_path))
    with pytest.raises(ValueError, match=r"between 0 and 23\. Received: 24"):
        mnist.read_data_sets(str(tmp_path), validation_size=24)
    images = np.zeros([2, 3, 3, 2], np.uint8)
    with pytest.raises(TypeError, match="expected uint8 or float32"):
        mnist.DataSet(images, np.zeros(2), dtype=tf.float64)
    with pytest.raises(ValueError, match="2 channels"):
        mnist.DataSet(images, np.zeros(2))
    with pytest.raises(ValueError, match=r"labels.shape: \(3,\)"):
        mnist.DataSet(images, np.zeros(3))
    with pytest.raises(ValueError, match="not found: cifar"):
        datasets.load_dataset("cifar")
    with pytest.raises(ValueError, match="not found or not implemented: moons"):
        datasets.make_dataset("moons")
    with pytest.raises(ValueError, match="mode square"):
        datasets.synthetic.spirals(mode="square")


def test_tables_that_tensorflow_brought_along_are_read_from_a_path(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("2,3,a,b,c\n1,2,3,0\n4,5,6,2\n")
    iris, boston = datasets.load_iris(str(path)), datasets.load_boston(str(path))
    assert iris.data.tolist() == boston.data.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert (iris.target.dtype, boston.target.dtype) == (np.int64, np.float64)
    for name in ("iris", "boston"):
        with pytest.raises(ValueError, match=rf"does not include {name}.*csv"):
            datasets.load_dataset(name)


def test_dbpedia_is_read_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = tmp_path / "with.dot"
    monkeypatch.setenv("TF_EXP_BASE_DIR", str(base))
    with pytest.raises(FileNotFoundError, match=r"train.csv and .*test.csv.*dbpedia_csv.tar.gz"):
        datasets.load_dataset("dbpedia")
    with pytest.raises(ValueError, match="does not include text_train"):
        datasets.load_dataset("dbpedia", test_with_fake_data=True)
    directory = base / "dbpedia_data" / "dbpedia_csv"
    directory.mkdir(parents=True)
    for name in ("train.csv", "test.csv"):
        (directory / name).write_text("".join(f"{n % 14},t{n},b{n}\n" for n in range(5)))
    data = datasets.load_dataset("dbpedia", size="large")
    assert data.train.data.tolist()[4] == ["t4", "b4"]
    assert data.test.target.tolist() == [0, 1, 2, 3, 4]
    assert data.validation is None


def test_the_network_of_the_tutorial_learns_and_has_its_names() -> None:
    pixels = np.random.RandomState(0).rand(20, 784).astype(np.float32)
    classes = np.arange(20, dtype=np.int32) % 10
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(1)  # in_top_k counts ties of logits, which some initial values give
        logits = mnist.mnist.inference(tf.constant(pixels), 16, 8)
        loss = mnist.mnist.loss(logits, tf.constant(classes))
        step = mnist.mnist.training(loss, 0.01)
        right = mnist.mnist.evaluation(logits, tf.constant(classes))
        names = [variable.op.name for variable in tf.trainable_variables()]
        assert names == [
            f"{scope}/{name}"
            for scope in ("hidden1", "hidden2", "softmax_linear")
            for name in ("weights", "biases")
        ]
        session.run(tf.global_variables_initializer())
        values = session.run(tf.trainable_variables())
        hidden = np.maximum(pixels @ values[0] + values[1], 0)
        expected = np.maximum(hidden @ values[2] + values[3], 0) @ values[4] + values[5]
        # float32 sums of 784 products, in another order.
        np.testing.assert_allclose(session.run(logits), expected, atol=1e-5)
        shifted = expected - np.log(np.exp(expected).sum(1, keepdims=True))
        first = session.run(loss)
        np.testing.assert_allclose(first, -shifted[np.arange(20), classes].mean(), atol=1e-5)
        assert session.run(right) == (session.run(logits).argmax(1) == classes).sum()
        for _ in range(20):
            session.run(step)
        assert session.run(loss) < first
        assert session.run(tf.global_variables("global_step")) == [20]
