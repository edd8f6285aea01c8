"""Model functions that hold Keras in every form that programs use, for both TensorFlows.

One source: with ``tf`` the TensorFlow 1.15 module or ``tensorflow.compat.v1``, and ``estimator``
``tf.estimator`` or ``tfmigrate_runtime.estimator``.
"""

# ruff: noqa: B905  (zip of Python 3.7; what a form is, its name says)
import numpy as np

BATCH = 8
FEATURES = 6
EXAMPLES = 32


def data():
    """Returns images [32, 6, 6], word numbers [32, 5], rows [32, 6] and targets [32, 1]."""
    random = np.random.RandomState(7)
    rows = random.normal(size=(EXAMPLES, FEATURES)).astype(np.float32)
    return {
        "row": rows,
        "image": random.normal(size=(EXAMPLES, 6, 6)).astype(np.float32),
        "words": random.randint(0, 11, size=(EXAMPLES, 5)).astype(np.int32),
    }, (rows[:, :1] * 0.7 - rows[:, 1:2] + 0.3).astype(np.float32)


def input_fn(tf, batch, epochs, twins=False):
    """Returns a dataset in a fixed order; with twins every batch holds its rows twice."""
    dataset = tf.data.Dataset.from_tensor_slices(data()).repeat(epochs).batch(batch)
    if not twins:
        return dataset
    twice = lambda rows: tf.concat([rows, rows], 0)  # noqa: E731
    return dataset.map(lambda *batch: tf.nest.map_structure(twice, batch))


class Forms:
    """The forms; each method takes (features, training) and returns (predictions, losses, updates).

    ``predictions`` is float32 [batch, 1].
    """

    def __init__(self, tf):
        """Takes the TensorFlow module; makes what a program builds once for all graphs."""
        self.tf = tf
        self.keras = tf.keras
        self.layers = tf.keras.layers

    def layers_called(self, features, training):
        hidden = self.layers.Dense(5, activation="tanh")(features["row"])
        hidden = self.layers.Dropout(0.3)(hidden, training=training)
        return self.layers.Dense(1)(hidden), [], []

    def sequential_lazy(self, features, training):
        model = self.keras.Sequential(
            [self.layers.Dense(5, activation="relu"), self.layers.Dense(1)]
        )
        return model(features["row"], training=training), [], []

    def sequential_shaped(self, features, training):
        model = self.keras.models.Sequential()
        model.add(self.layers.Dense(5, activation="relu", input_shape=(FEATURES,)))
        model.add(self.layers.Dense(1))
        return model(features["row"], training=training), [], []

    def mnist_sequential(self, features, training):
        layers = self.layers
        pool = layers.MaxPooling2D((2, 2), (2, 2), padding="same", data_format="channels_last")
        model = self.keras.Sequential(
            [
                layers.Reshape(target_shape=(6, 6, 1), input_shape=(6, 6)),
                layers.Conv2D(3, 3, padding="same", activation=self.tf.nn.relu),
                pool,
                layers.Conv2D(4, 3, padding="same", activation=self.tf.nn.relu),
                pool,
                layers.Flatten(),
                layers.Dense(6, activation=self.tf.nn.relu),
                layers.Dropout(0.4),
                layers.Dense(1),
            ]
        )
        return model(features["image"], training=training), [], []

    def functional(self, features, training):
        rows = self.keras.Input(shape=(FEATURES,))
        hidden = self.layers.Dense(5, activation="sigmoid", name="hidden")(rows)
        joined = self.layers.concatenate([hidden, rows])
        model = self.keras.Model(inputs=rows, outputs=self.layers.Dense(1)(joined))
        return model(features["row"], training=training), [], []

    def functional_on_features(self, features, training):
        rows = self.keras.Input(tensor=features["row"])
        hidden = self.layers.Dense(5, activation="sigmoid")(rows)
        model = self.keras.Model(inputs=rows, outputs=self.layers.Dense(1)(hidden))
        return model.output, [], []

    def subclassed(self, features, training):
        keras = self.keras

        class Network(keras.Model):
            def __init__(self):
                super().__init__()
                self.first = keras.layers.Dense(5, activation="relu")
                self.blocks = [keras.layers.Dense(4, activation="tanh") for _ in range(2)]
                self.last = keras.layers.Dense(1)

            def call(self, inputs, training=False):
                hidden = self.first(inputs)
                for block in self.blocks:
                    hidden = block(hidden)
                return self.last(hidden)

        return Network()(features["row"], training=training), [], []

    def subclassed_layer(self, features, training):
        keras = self.keras

        class Scale(keras.layers.Layer):
            def build(self, input_shape):
                shape = [int(input_shape[-1])]
                self.factor = self.add_weight("factor", shape=shape, initializer="ones")
                super().build(input_shape)

            def call(self, inputs):
                return inputs * self.factor

        return self.layers.Dense(1)(Scale()(features["row"])), [], []

    def _batch_norm_model(self):
        layers = self.layers
        return self.keras.Sequential(
            [
                layers.Dense(5),
                layers.BatchNormalization(momentum=0.8),
                layers.Activation("relu"),
                layers.Dense(1),
            ]
        )

    def batch_norm_updates(self, features, training):
        model = self._batch_norm_model()
        return model(features["row"], training=training), [], model.updates

    def batch_norm_updates_for(self, features, training):
        model = self._batch_norm_model()
        outputs = model(features["row"], training=training)
        return outputs, [], model.get_updates_for(features["row"])

    def batch_norm_layer_collection(self, features, training):
        tf = self.tf
        norm = self.layers.BatchNormalization(momentum=0.8)
        hidden = norm(self.layers.Dense(5)(features["row"]), training=training)
        for update in norm.updates:
            tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, update)
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        return self.layers.Dense(1)(tf.nn.relu(hidden)), [], updates

    def regularized_model(self, features, training):
        l2 = self.keras.regularizers.l2(0.01)
        model = self.keras.Sequential(
            [
                self.layers.Dense(5, activation="relu", kernel_regularizer=l2),
                self.layers.Dense(1, kernel_regularizer=l2),
            ]
        )
        outputs = model(features["row"], training=training)
        return outputs, model.losses, []

    def regularized_losses_for(self, features, training):
        l2 = self.keras.regularizers.l2(0.01)
        model = self.keras.Sequential(
            [
                self.layers.Dense(5, kernel_regularizer=l2, activity_regularizer=l2),
                self.layers.Dense(1),
            ]
        )
        outputs = model(features["row"], training=training)
        losses = list(model.get_losses_for(None)) + list(model.get_losses_for(features["row"]))
        return outputs, losses, []

    def regularized_by_collection(self, features, training):
        l2 = self.keras.regularizers.l2(0.01)
        outputs = self.layers.Dense(1, kernel_regularizer=l2)(features["row"])
        self.tf.losses.add_loss(self.tf.losses.get_regularization_loss())
        return outputs, [self.tf.losses.get_regularization_loss()], []

    def beside_tf_layers(self, features, training):
        hidden = self.layers.Dense(5, activation="relu")(features["row"])
        hidden = self.tf.layers.dense(hidden, 4, activation=self.tf.nn.tanh)
        hidden = self.layers.Dense(3)(hidden)
        return self.tf.layers.dense(hidden, 1), [], []

    def under_variable_scope(self, features, training):
        with self.tf.variable_scope("net"):
            hidden = self.layers.Dense(5, activation="relu")(features["row"])
            with self.tf.name_scope("inner"):
                hidden = self.layers.Dense(4)(hidden)
        with self.tf.variable_scope("net", reuse=self.tf.AUTO_REUSE):
            hidden = self.tf.layers.dense(hidden, 3, name="plain")
            return self.layers.Dense(1, name="out")(hidden), [], []

    def shared_layer(self, features, training):
        shared = self.layers.Dense(4, activation="tanh")
        left, right = shared(features["row"]), shared(features["row"][:, ::-1])
        return self.layers.Dense(1)(self.layers.add([left, right])), [], []

    def recurrent(self, features, training):
        layers = self.layers
        words = layers.Embedding(11, 4, mask_zero=True)(features["words"])
        return layers.Dense(1)(layers.GRU(3)(words)), [], []

    def recurrent_unrolled(self, features, training):
        layers = self.layers
        words = layers.Embedding(11, 3)(features["words"][:, :3])
        return layers.Dense(1)(layers.Bidirectional(layers.LSTM(2, unroll=True))(words)), [], []

    def many_layers(self, features, training):
        """Every kind of layer once: the names of their variables."""
        layers = self.layers
        picture = self.tf.expand_dims(features["image"], -1)
        hidden = layers.SeparableConv2D(2, 3)(layers.Conv2DTranspose(2, 2)(picture))
        hidden = layers.PReLU(shared_axes=[1, 2])(layers.DepthwiseConv2D(2)(hidden))
        hidden = layers.LayerNormalization()(layers.Flatten()(hidden))
        line = layers.LocallyConnected1D(2, 3)(layers.Conv1D(3, 2)(features["image"]))
        line = layers.TimeDistributed(layers.Dense(2))(line)
        line = layers.SimpleRNN(2, return_sequences=True, unroll=True)(line)
        both = layers.LSTM(2, unroll=True, return_sequences=True)
        line = layers.Bidirectional(both)(line)
        cells = [layers.GRUCell(2), layers.LSTMCell(3)]
        line = layers.RNN(cells, unroll=True)(line)
        film = self.tf.reshape(features["image"], [-1, 4, 3, 3, 1])
        film = layers.Flatten()(layers.ConvLSTM2D(1, 2)(film))

        class Net2DBlock(self.keras.layers.Dense):
            pass

        film = Net2DBlock(2)(film)
        return layers.Dense(1)(layers.concatenate([hidden, line, film])), [], []

    def found_by_name(self, features, training):
        """The second network is made after gradients of the first: replicas have taken turns."""
        tf = self.tf
        first = self.keras.Sequential([self.layers.Dense(3, input_shape=(FEATURES,))])
        aside = tf.reduce_mean(tf.square(first(features["row"])))
        optimizer = tf.train.GradientDescentOptimizer(0.01)
        updates = [optimizer.minimize(aside, var_list=first.weights)] if training else []
        rows = self.keras.Input(shape=(FEATURES,))
        second = self.keras.Model(rows, self.layers.Dense(4, activation="tanh")(rows))
        hidden = second.get_layer("dense_1")(features["row"])
        return self.layers.Dense(1)(hidden), [], updates

    def random_initializers(self, features, training):
        keras = self.keras
        hidden = self.layers.Dense(
            5, kernel_initializer="he_normal", bias_initializer=keras.initializers.RandomUniform()
        )(features["row"])
        hidden = self.layers.Dense(
            4, kernel_initializer=keras.initializers.TruncatedNormal(stddev=0.1)
        )(hidden)
        return (
            self.layers.Dense(1, kernel_initializer=keras.initializers.Orthogonal(seed=3))(hidden),
            [],
            [],
        )

    def learning_phase(self, features, training):
        self.keras.backend.set_learning_phase(int(training))
        hidden = self.layers.Dropout(0.5)(self.layers.Dense(5, activation="tanh")(features["row"]))
        return self.layers.Dense(1)(hidden), [], []

    def created_and_applied(self, features, training):
        layer = self.layers.Dense(4, activation="relu")
        layer.build([None, FEATURES])
        with self.tf.control_dependencies([self.tf.no_op()]):
            hidden = layer(features["row"])
        return self.layers.Dense(1)(hidden), [], []

    def keras_metrics(self, features, training):
        return self.layers.Dense(1)(features["row"]), [], []

    def keras_adam_get_updates(self, features, training):
        return self.layers.Dense(1)(features["row"]), [], []

    def keras_sgd_get_gradients(self, features, training):
        return self.layers.Dense(1)(features["row"]), [], []


NAMES = sorted(name for name in vars(Forms) if not name.startswith("_"))


def model_fn_of(tf, estimator, form):
    """Returns a model_fn around one of the forms."""
    forms = Forms(tf)

    def model_fn(features, labels, mode):
        training = mode == estimator.ModeKeys.TRAIN
        predicted, losses, updates = getattr(forms, form)(features, training)
        predictions = {"value": predicted}
        if mode == estimator.ModeKeys.PREDICT:
            exported = {"serving_default": estimator.export.PredictOutput(predictions)}
            return estimator.EstimatorSpec(mode, predictions, export_outputs=exported)
        loss = tf.losses.mean_squared_error(labels, predicted)
        if losses:
            loss += tf.add_n(losses)
        if not training:
            metrics = {"error": tf.metrics.mean_absolute_error(labels, predicted)}
            if form == "keras_metrics":
                average = tf.keras.metrics.Mean()
                average.update_state(tf.square(labels - predicted))
                accuracy = tf.keras.metrics.BinaryAccuracy(name="hit")
                accuracy.update_state(tf.cast(labels > 0, tf.float32), tf.sigmoid(predicted))
                metrics.update(average=average, accuracy=accuracy)
            return estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)
        if form.startswith(("keras_adam", "keras_sgd")):
            return estimator.EstimatorSpec(mode, loss=loss, train_op=keras_step(tf, form, loss))
        optimizer = tf.train.MomentumOptimizer(0.05, 0.9)
        with tf.control_dependencies(updates):
            step = optimizer.minimize(loss, tf.train.get_or_create_global_step())
        return estimator.EstimatorSpec(mode, loss=loss, train_op=step)

    return model_fn


def keras_step(tf, form, loss):
    """Returns the training step of a Keras optimizer that counts by the global step."""
    variables = tf.trainable_variables()
    if form == "keras_adam_get_updates":
        optimizer = tf.keras.optimizers.Adam(0.05)
    else:
        optimizer = tf.keras.optimizers.SGD(0.05, momentum=0.9)
    optimizer.iterations = tf.train.get_or_create_global_step()
    if form == "keras_adam_get_updates":
        return tf.group(optimizer.get_updates(loss, variables))
    gradients = optimizer.get_gradients(loss, variables)
    return optimizer.apply_gradients(list(zip(gradients, variables)))
