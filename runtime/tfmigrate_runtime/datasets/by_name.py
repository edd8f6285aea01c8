"""Data sets by their names (``tf.contrib.learn.datasets``)."""

from typing import Any

from tfmigrate_runtime.datasets import base, mnist, synthetic, text_datasets
from tfmigrate_runtime.datasets.base import Dataset


def load_dataset(name: str, size: str = "small", test_with_fake_data: bool = False) -> Any:
    """Loads a data set from its files (``tf.contrib.learn.datasets.load_dataset``).

    Args:
        name: "mnist" (from the directory MNIST-data), "dbpedia" (from dbpedia_data), "iris" or
            "boston".
        size: "small" for one row in 1000 of dbpedia.
        test_with_fake_data: for dbpedia, the few rows that TensorFlow 1.x brought along.

    Returns:
        A Dataset, or Datasets.

    Raises:
        ValueError: there is no such data set, or it has no files of its own.
        FileNotFoundError: its files are absent.
    """
    if name == "mnist":
        return mnist.load_mnist()
    if name == "dbpedia":
        return text_datasets.load_dbpedia(size, test_with_fake_data)
    if name == "iris":
        return base.load_iris()
    if name == "boston":
        return base.load_boston()
    raise ValueError(f"Name of dataset is not found: {name}")


def make_dataset(
    name: str,
    n_samples: int = 100,
    noise: float | None = None,
    seed: int | None = 42,
    *args: Any,
    **kwargs: Any,
) -> Dataset:
    """Makes points of two classes (``tf.contrib.learn.datasets.make_dataset``).

    Args:
        name: "circles" or "spirals".
        n_samples: how many points.
        noise: standard deviation of the noise added to them, None for none.
        seed: seed of numpy's generator, None to leave it as it is.
        *args: further arguments of the function in ``synthetic``; as in TensorFlow 1.x there is
            none that could be given by position.
        **kwargs: further arguments of it.

    Returns:
        data float64 [n_samples, 2], target [n_samples].

    Raises:
        ValueError: there is no such data set.
        TypeError: arguments were given by position.
    """
    makers: dict[str, Any] = {"circles": synthetic.circles, "spirals": synthetic.spirals}
    if name not in makers:
        raise ValueError(f"Synthetic dataset not found or not implemented: {name}")
    dataset: Dataset = makers[name](*args, n_samples=n_samples, noise=noise, seed=seed, **kwargs)
    return dataset
