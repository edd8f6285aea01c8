"""What tf.contrib.eager had works under the runtime's name."""

from __future__ import annotations

from pathlib import Path

import pytest
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import eager, staging


def test_gradients_of_functions() -> None:
    (gradient,) = eager.gradients_function(lambda x: x * x)(3.0)
    value, _ = eager.value_and_gradients_function(lambda x: x * x)(3.0)
    variable = eager.Variable(2.0)
    ((implicit, of),) = eager.implicit_gradients(lambda: variable**3)()
    assert (float(gradient), float(value), float(implicit)) == (6.0, 9.0, 12.0)
    assert of is variable


def test_iterators_end() -> None:
    read = eager.Iterator(tf.data.Dataset.range(2))
    assert [int(read.next()), *(int(element) for element in read)] == [0, 1]
    with pytest.raises(tf.errors.OutOfRangeError):
        read.get_next()


def test_iterators_are_for_eager_execution() -> None:
    with tf.Graph().as_default(), pytest.raises(RuntimeError, match="eager execution"):
        eager.Iterator(tf.data.Dataset.range(2))


def test_savers_keep_variables_by_their_names(tmp_path: Path) -> None:
    one, two = eager.Variable(1.0, name="one"), eager.Variable([2.0], name="two")
    prefix = eager.Saver([one, two]).save(str(tmp_path / "model"), global_step=7)
    assert prefix == str(tmp_path / "model-7")
    assert tf.train.list_variables(prefix) == [("one", []), ("two", [1])]
    one.assign(5.0)
    eager.Saver({"one": one}).restore(tf.train.latest_checkpoint(str(tmp_path)))
    assert float(one) == 1.0
    with tf.Graph().as_default(), pytest.raises(RuntimeError, match="eager execution"):
        eager.Saver([one])


def test_devices_have_full_names() -> None:
    assert eager.list_devices()[0] == "/job:localhost/replica:0/task:0/device:CPU:0"
    assert eager.num_gpus() == len(tf.config.list_logical_devices("GPU"))


def test_staging_areas_keep_tensors() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        area = staging.StagingArea([tf.float32], [[]])
        put, (got,) = area.put([tf.constant(4.0)]), area.get()
        session.run(put)
        assert session.run(got) == 4.0
