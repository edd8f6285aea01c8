"""distilled.py with models of Keras that ``fit`` trains one after the other."""

import numpy as np
import tensorflow as tf
from keras import Input, Model, Sequential, layers, losses, optimizers

TEMPERATURE, SHARE = 4.0, 0.3


def network(units, name):
    return Sequential([Input([8]), layers.Dense(units, "elu"), layers.Dense(3)], name=name)


teacher, student = network(16, "teacher"), network(6, "student")
of_classes = losses.SparseCategoricalCrossentropy(from_logits=True)


class Distilled(Model):
    def __init__(self):
        super().__init__()
        self.student, self.teacher = student, teacher

    def train_step(self, data):
        x, y = data
        soft = tf.nn.softmax(self.teacher(x, training=False) / TEMPERATURE)
        with tf.GradientTape() as tape:
            logits = self.student(x, training=True)
            of_soft = tf.nn.softmax_cross_entropy_with_logits(soft, logits / TEMPERATURE)
            loss = SHARE * of_classes(y, logits)
            loss += (1 - SHARE) * TEMPERATURE**2 * tf.reduce_mean(of_soft)
        variables = self.student.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return {"loss": loss}


rows = np.random.RandomState(0).normal(size=(96, 8)).astype(np.float32)
classes = rows[:, :3].argmax(1)
how = {"batch_size": 16, "shuffle": False, "verbose": 0}
teacher.compile(optimizers.SGD(0.1, 0.9, nesterov=True), of_classes)
teacher.fit(rows, classes, **how)
teacher.trainable = False
distilled = Distilled()
distilled.compile(optimizers.RMSprop(0.01, 0.9, epsilon=1e-6))
distilled.optimizer.build(student.trainable_variables)
for square in distilled.optimizer._velocities:
    square.assign(tf.ones_like(square))
distilled.fit(rows, classes, **how)
