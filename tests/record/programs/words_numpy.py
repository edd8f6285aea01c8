"""docs/examples/ports/words.py in NumPy, with gradients and Adam by hand."""

import sys

import numpy as np

from tfmigrate_runtime import record

STEPS, ROWS, LENGTH, WORDS = 12, 16, 5, 30
RATE, BETA_1, BETA_2, EPSILON = 0.01, 0.9, 0.999, 1e-8


def batches(steps=STEPS):
    random = np.random.RandomState(7)
    for _ in range(steps):
        words = random.randint(WORDS, size=(ROWS, LENGTH)).astype(np.int32)
        yield words, (words.sum(1) % 2).astype(np.float32)[:, None]


def glorot(random, shape):
    limit = np.sqrt(6.0 / sum(shape))
    return random.uniform(-limit, limit, shape).astype(np.float32)


def initial():
    random = np.random.RandomState(11)
    return {
        "embeddings": random.uniform(-0.05, 0.05, (WORDS, 8)).astype(np.float32),
        "hidden": {"kernel": glorot(random, (8, 6)), "bias": np.zeros(6, np.float32)},
        "logits": {"kernel": glorot(random, (6, 1)), "bias": np.zeros(1, np.float32)},
    }


def forward(params, words):
    mean = params["embeddings"][words].mean(1)
    hidden = np.maximum(mean @ params["hidden"]["kernel"] + params["hidden"]["bias"], 0)
    return mean, hidden, hidden @ params["logits"]["kernel"] + params["logits"]["bias"]


def loss_of(params, words, labels):
    *_, logits = forward(params, words)
    return (np.maximum(logits, 0) - logits * labels + np.log1p(np.exp(-np.abs(logits)))).mean()


def gradients(params, words, labels):
    mean, hidden, logits = forward(params, words)
    of_logits = (1 / (1 + np.exp(-logits)) - labels) / logits.size
    of_hidden = of_logits @ params["logits"]["kernel"].T * (hidden > 0)
    of_mean = of_hidden @ params["hidden"]["kernel"].T
    of_table = np.zeros_like(params["embeddings"])
    np.add.at(of_table, words, of_mean[:, None] / LENGTH)
    return {
        "embeddings": of_table,
        "hidden": {"kernel": mean.T @ of_hidden, "bias": of_hidden.sum(0)},
        "logits": {"kernel": hidden.T @ of_logits, "bias": of_logits.sum(0)},
    }


def changed(function, *trees):
    if isinstance(trees[0], dict):
        return {name: changed(function, *(tree[name] for tree in trees)) for name in trees[0]}
    return function(*trees).astype(np.float32)


def main():
    run = record.follow()
    params = run.begin(initial())
    m, v = (changed(np.zeros_like, params) for _ in range(2))
    for step, (words, labels) in enumerate(batches(), start=1):
        loss, g = loss_of(params, words, labels), gradients(params, words, labels)
        m = changed(lambda m, g: BETA_1 * m + (1 - BETA_1) * g, m, g)
        v = changed(lambda v, g: BETA_2 * v + (1 - BETA_2) * g * g, v, g)
        rate = RATE * np.sqrt(1 - BETA_2**step) / (1 - BETA_1**step)
        params = changed(lambda w, m, v: w - rate * m / (np.sqrt(v) + EPSILON), params, m, v)  # noqa: B023
        params, slots = run.step(loss, params, {"m": m, "v": v}, (words, labels))
        m, v = slots["m"], slots["v"]
    record.evaluation({"loss": loss_of(params, *next(batches()))})
    assert "tensorflow" not in sys.modules


if __name__ == "__main__":
    main()
