"""Points of two classes in the plane (``tf.contrib.learn.datasets.synthetic``)."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tfmigrate_runtime.datasets.base import Dataset

__all__ = ["circles", "spirals"]


def circles(
    n_samples: int = 100,
    noise: float | None = None,
    seed: int | None = None,
    factor: float = 0.8,
    n_classes: int = 2,
    **kwargs: Any,
) -> Dataset:
    """Makes circles within each other, one a class.

    numpy's generator is drawn from in the order of TensorFlow 1.15: the points are the same.

    Args:
        n_samples: how many points.
        noise: standard deviation of the noise added to them, None for none.
        seed: seed of numpy's generator, None to leave it as it is.
        factor: radius of a circle, as a share of the one around it.
        n_classes: how many circles.
        **kwargs: ignored, as in TensorFlow 1.x.

    Returns:
        data float64 [n_samples, 2], target [n_samples].
    """
    if seed is not None:
        np.random.seed(seed)
    each = n_samples // n_classes
    angles = np.linspace(0, 2 * np.pi, each)
    # Multiplied one after another: powers of the factor would round differently.
    x, y = [], []
    cosine, sine = np.cos(angles), np.sin(angles)
    for _ in range(n_classes):
        x.append(cosine)
        y.append(sine)
        cosine, sine = cosine * factor, sine * factor
    extras = n_samples % n_classes
    x.append(np.cos(np.random.rand(extras) * 2 * np.pi))
    y.append(np.sin(np.random.rand(extras) * 2 * np.pi))
    return _shuffled(x, y, [*range(n_classes)], each, extras, noise)


def spirals(
    n_samples: int = 100,
    noise: float | None = None,
    seed: int | None = None,
    mode: str = "archimedes",
    n_loops: int = 2,
    **kwargs: Any,
) -> Dataset:
    """Makes two spirals, one a class.

    numpy's generator is drawn from in the order of TensorFlow 1.15: the points are the same.

    Args:
        n_samples: how many points.
        noise: standard deviation of the noise added to them, None for none.
        seed: seed of numpy's generator, None to leave it as it is.
        mode: "archimedes", "bernoulli" or "fermat".
        n_loops: how often a spiral turns.
        **kwargs: exp_scale, the growth of a "bernoulli" spiral; others are ignored, as in
            TensorFlow 1.x.

    Returns:
        data float64 [n_samples, 2], target [n_samples].

    Raises:
        ValueError: there is no such mode.
    """
    if mode not in _SPIRALS:
        raise ValueError(f"Cannot generate spiral with mode {mode}")
    if seed is not None:
        np.random.seed(seed)
    spiral = _SPIRALS[mode]
    each = n_samples // 2
    angles = np.linspace(0, 2 * n_loops * np.pi, each)
    arms = [spiral(angles, label * np.pi, **kwargs) for label in range(2)]
    if extras := n_samples % 2:
        arms.append(spiral(np.random.rand(extras) * 2 * np.pi, 0.0, **kwargs))
    return _shuffled([x for x, _ in arms], [y for _, y in arms], [0, 1], each, extras, noise)


def _shuffled(
    x: list[Any], y: list[Any], labels: list[int], each: int, extras: int, noise: float | None
) -> Dataset:
    target = np.hstack(
        [label * np.ones(each, np.int32) for label in labels] + [np.zeros(extras, np.int32)]
    )
    data = np.vstack((np.hstack(x), np.hstack(y))).T
    order = np.random.permutation(range(len(target)))
    if noise is not None:
        data += np.random.normal(scale=noise, size=data.shape)
    return Dataset(data[order], target[order])


def _archimedes(angles: Any, offset: float, **kwargs: Any) -> tuple[Any, Any]:
    return _scaled(angles * np.cos(angles + offset), angles * np.sin(angles + offset))


def _bernoulli(
    angles: Any, offset: float, exp_scale: float = 0.1, **kwargs: Any
) -> tuple[Any, Any]:
    radius = np.exp(exp_scale * angles)
    return _scaled(radius * np.cos(angles + offset), radius * np.sin(angles + offset))


def _fermat(angles: Any, offset: float, **kwargs: Any) -> tuple[Any, Any]:
    return _scaled(
        np.sqrt(angles) * np.cos(angles + offset), np.sqrt(angles) * np.sin(angles + offset)
    )


def _scaled(x: Any, y: Any) -> tuple[Any, Any]:
    return x / np.max(np.abs(x)), y / np.max(np.abs(y))


_SPIRALS: dict[str, Callable[..., tuple[Any, Any]]] = {
    "archimedes": _archimedes,
    "bernoulli": _bernoulli,
    "fermat": _fermat,
}
