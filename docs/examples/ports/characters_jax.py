"""The LSTM in JAX and optax; the four lines with ``run`` let ``tfmigrate verify`` follow it."""

import jax
import jax.numpy as jnp
import numpy as np
import optax

from tfmigrate_runtime import record

STEPS, ROWS, LENGTH, WIDTH, CLASSES, UNITS = 12, 8, 6, 5, 4, 7


def batches(steps=STEPS):
    random = np.random.RandomState(5)
    for _ in range(steps):
        sequences = random.normal(size=(ROWS, LENGTH, WIDTH)).astype(np.float32)
        yield sequences, sequences[:, :, 0].sum(1).astype(np.int32) % CLASSES


def glorot(key, shape):
    limit = np.sqrt(6.0 / sum(shape))
    return jax.random.uniform(key, shape, minval=-limit, maxval=limit)


def initial(key):
    keys = jax.random.split(key, 3)
    # TensorFlow has one kernel, for the input and the state below each other.
    kernel = glorot(keys[0], (WIDTH + UNITS, 4 * UNITS))
    return {
        "lstm": {
            "input": kernel[:WIDTH],
            "state": kernel[WIDTH:],
            "bias": jnp.zeros(4 * UNITS),
        },
        "logits": {"kernel": glorot(keys[2], (UNITS, CLASSES)), "bias": jnp.zeros(CLASSES)},
    }


def cell(params, carry, x):
    c, h = carry
    gates = x @ params["input"] + h @ params["state"] + params["bias"]
    i, f, g, o = jnp.split(gates, 4, axis=-1)
    c = jax.nn.sigmoid(f + 1.0) * c + jax.nn.sigmoid(i) * jnp.tanh(g)  # 1.0: the forget bias
    h = jax.nn.sigmoid(o) * jnp.tanh(c)
    return (c, h), h


def loss_of(params, sequences, labels):
    start = (jnp.zeros((len(labels), UNITS)),) * 2
    steps = jnp.swapaxes(sequences, 0, 1)
    (_, h), _ = jax.lax.scan(lambda carry, x: cell(params["lstm"], carry, x), start, steps)
    logits = h @ params["logits"]["kernel"] + params["logits"]["bias"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


optimizer = optax.chain(optax.clip_by_global_norm(0.5), optax.sgd(0.1, momentum=0.9))


@jax.jit
def update(params, state, sequences, labels):
    loss, gradients = jax.value_and_grad(loss_of)(params, sequences, labels)
    updates, state = optimizer.update(gradients, state, params)
    return loss, optax.apply_updates(params, updates), state


def main():
    run = record.follow()
    params = run.begin(initial(jax.random.PRNGKey(0)))
    state = optimizer.init(params)
    for sequences, labels in batches():
        loss, params, state = update(params, state, sequences, labels)
        momentum = optax.tree_utils.tree_get(state, "trace")
        params, slots = run.step(loss, params, {"momentum": momentum}, (sequences, labels))
        state = optax.tree_utils.tree_set(state, trace=slots["momentum"])
    loss = loss_of(params, *next(batches()))
    record.evaluation({"loss": loss})
    print(f"loss {loss:.4f}")


if __name__ == "__main__":
    main()
