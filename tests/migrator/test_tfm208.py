"""TFM208: the collection of losses."""

from __future__ import annotations

import pytest
from hazards import check_safe, check_unsafe

CODE = "TFM208"


@pytest.mark.parametrize(
    "body",
    [
        "loss = tf.losses.mean_squared_error(labels, features)\n",
        "loss = mse + tf.losses.get_regularization_loss()\n",
        "loss = mse + tf.add_n(tf.losses.get_regularization_losses())\n",
        "loss = mse + sum(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))\n",
        "tf.losses.add_loss(loss)\n",
        "tf.add_to_collection(tf.GraphKeys.LOSSES, loss)\n",
        "tf.add_to_collection('losses', loss)\n",
        "x = tf.get_collection('summaries')\n",
        "x = 'losses'\n",
        "loss = mine.losses.get_total_loss()\n",
    ],
)
def test_losses_of_this_tower(body: str) -> None:
    check_safe(body, CODE)


@pytest.mark.parametrize(
    "body",
    [
        "loss = tf.losses.get_total_loss()\n",
        "loss = tf.losses.get_total_loss(add_regularization_losses=False)\n",
        "loss = tf.add_n(tf.losses.get_losses())\n",
        "loss = tf.add_n(tf.get_collection(tf.GraphKeys.LOSSES))\n",
        "loss = tf.add_n(tf.get_collection(key=tf.GraphKeys.LOSSES, scope=s))\n",
        "loss = tf.add_n(tf.get_collection('losses'))\n",
        "loss = tf.add_n(tf.get_collection_ref('losses'))\n",
        "loss = tf.compat.v1.losses.get_total_loss()\n",
    ],
)
def test_losses_of_all_towers(body: str) -> None:
    check_unsafe(body, CODE, [4])


def test_at_module_level_it_is_no_tower() -> None:
    check_safe("loss = 1\n", CODE, "TOTAL = tf.losses.get_total_loss\n")
