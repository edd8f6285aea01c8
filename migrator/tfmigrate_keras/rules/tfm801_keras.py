"""A program of an Estimator becomes a Keras 3 model under a tf.distribute strategy.

What it does:
    With `--target keras`, turns the model function into a function that returns a compiled
    functional model, and `train` and `evaluate` of the Estimator into `fit` and `evaluate` of the
    model. `replicate_model_fn` becomes a MirroredStrategy. Names, comments, flags and functions
    stay.

Why:
    The result depends on TensorFlow and Keras alone: it has no `compat.v1`, no session and no
    import of tfmigrate_runtime.

Example:
    Before (with --target keras)::

        import tensorflow as tf


        def model_fn(features, labels, mode):
          hidden = tf.layers.dense(features['x'], 16, activation=tf.nn.relu)
          logits = tf.layers.dense(hidden, 3)
          loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
          optimizer = tf.train.AdamOptimizer(0.01)
          train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
          return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


        def input_fn():
          return tf.data.Dataset.from_tensor_slices(({'x': x}, y)).repeat().batch(32)


        classifier = tf.estimator.Estimator(model_fn)
        classifier.train(input_fn, steps=100)

    After::

        import json
        import os

        import keras
        import tensorflow as tf


        def inputs_of(dataset):
          \"\"\"Returns a keras.Input for each feature of a dataset of (features, labels).\"\"\"
          features, _ = dataset.element_spec
          if isinstance(features, dict):
            return {name: keras.Input(spec.shape[1:], dtype=spec.dtype.name, name=name)
                for name, spec in features.items()}
          return keras.tree.map_structure(
              lambda spec: keras.Input(spec.shape[1:], dtype=spec.dtype.name), features)


        def steps_of(model):
          \"\"\"Returns the number of steps that a model was trained for.\"\"\"
          return int(keras.ops.convert_to_numpy(model.optimizer.iterations))


        def checkpoint_of(model_dir):
          \"\"\"Returns the file of the last checkpoint: weights, slots and steps.\"\"\"
          return os.path.join(model_dir, 'model.weights.h5')


        def save_weights(model, model_dir):
          \"\"\"Saves a model; a program that is killed leaves a whole checkpoint.\"\"\"
          part = os.path.join(model_dir, 'part.weights.h5')
          os.makedirs(model_dir, exist_ok=True)
          model.save_weights(part)
          os.replace(part, checkpoint_of(model_dir))


        def restore_weights(model, model_dir):
          \"\"\"Loads the last checkpoint of a model, if model_dir has one.\"\"\"
          if model_dir and os.path.exists(checkpoint_of(model_dir)):
            rate = model.optimizer.get_config()['learning_rate']
            model.load_weights(checkpoint_of(model_dir))
            if isinstance(rate, float):  # the program's, not the one it had when it saved
              model.optimizer.learning_rate = rate
          elif model_dir and tf.train.latest_checkpoint(model_dir):
            raise ValueError(f'{model_dir} is of TensorFlow 1.x: run `checkpoint convert`')


        class SaveCheckpoints(keras.callbacks.Callback):
          \"\"\"Saves a model in training every save_steps steps, or else every ten minutes.\"\"\"

          def __init__(self, model_dir, save_steps=None):
            super().__init__()
            self.model_dir, self.save_steps = model_dir, save_steps
            self.saved_at = float(tf.timestamp())

          def on_train_batch_end(self, batch, logs=None):
            now = float(tf.timestamp())
            late = now - self.saved_at >= 600
            if (batch + 1) % self.save_steps == 0 if self.save_steps else late:
              save_weights(self.model, self.model_dir)
              self.saved_at = now


        def write_scalars(writer, scalars, step):
          \"\"\"Writes numbers as tf.summary.scalar does, which needs tensorboard.\"\"\"
          with writer.as_default(step):
            for tag, value in scalars.items():
              tf.summary.write(tag, float(value), metadata=bytes([10, 9, 10, 7]) + b'scalars')
          writer.flush()


        class WriteSummaries(keras.callbacks.Callback):
          \"\"\"Writes the speed, and means of the loss and of metrics, of every 100 steps.\"\"\"

          def on_train_begin(self, logs=None):
            self.start, self.steps, self.written_at = steps_of(self.model), 0, float(tf.timestamp())
            self.writer = tf.summary.create_file_writer(self.model.model_dir)

          def on_train_batch_end(self, batch, logs=None):
            steps, now = batch + 1 - self.steps, float(tf.timestamp())
            if self.steps and steps < 100:
              return
            rate = keras.ops.convert_to_numpy(self.model.optimizer.learning_rate)
            values = {**logs, 'learning_rate': rate}
            tags = getattr(self.model, 'summaries', {'loss': 'loss'})
            scalars = {tag: values[name] for tag, name in tags.items()}
            if self.steps:
              scalars['global_step/sec'] = steps / (now - self.written_at)
            write_scalars(self.writer, scalars, self.start + batch + 1)
            self.model.reset_metrics()
            self.steps, self.written_at = batch + 1, now


        def check_alone():
          \"\"\"Ends a program whose TF_CONFIG names several tasks: each trains alone.\"\"\"
          cluster = json.loads(os.environ.get('TF_CONFIG') or '{}').get('cluster', {})
          if sum(map(len, cluster.values())) > 1:
            raise SystemExit('TF_CONFIG names several tasks: unset it, or use no --target keras')


        def train_model(
            model, dataset, model_dir=None, steps=None, max_steps=None, save_steps=None,
            callbacks=()):
          \"\"\"Trains a model from its last checkpoint in model_dir, and saves it there.

          Makes `steps` steps, or as many as are missing to `max_steps`, or those of one pass.
          \"\"\"
          check_alone()
          restore_weights(model, model_dir)
          if save_steps:  # Keras calls back between executions
            divisors = [n for n in range(1, model.steps_per_execution + 1) if save_steps % n == 0]
            model.steps_per_execution = max(divisors)
          if model_dir:
            model.model_dir = model_dir
            callbacks = [*callbacks, WriteSummaries(), SaveCheckpoints(model_dir, save_steps)]
          if max_steps is not None:
            steps = max_steps - steps_of(model)
          if steps is None or steps > 0:
            model.fit(dataset if steps is None else dataset.take(steps), callbacks=list(callbacks))
          if model_dir:
            save_weights(model, model_dir)


        def model_fn(features):
          hidden = keras.layers.Dense(16, activation='relu')(features['x'])
          logits = keras.layers.Dense(3)(hidden)
          loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
          optimizer = keras.optimizers.Adam(0.01, beta_2=0.999000013, epsilon=1e-8)
          model = keras.Model(features, logits)
          model.compile(optimizer=optimizer, loss=loss, steps_per_execution=20)
          model.optimizer.build(model.trainable_variables)  # for checkpoints
          return model


        def input_fn():
          return tf.data.Dataset.from_tensor_slices(({'x': x}, y)).repeat().batch(32)


        train_dataset = input_fn()
        classifier = model_fn(inputs_of(train_dataset))
        train_model(classifier, train_dataset, steps=100)

What is left to you:
    Nothing. `tfmigrate verify` compares the result with the original.

Safety:
    Safe: only what is known to compute the same is converted (docs/how_to/target_keras.md).
"""

from tfmigrate.model.targets import KERAS
from tfmigrate.rulekit.basics import Drafts, Program, Severity

NAME = "keras-model"
SEVERITY = Severity.FIXED
TARGET = KERAS
WHOLE = True


def check(program: Program) -> Drafts:
    """Yields one draft for every file of a program that becomes a Keras model."""
    # Imported here, not at the start of every run: the conversion is 125 modules.
    from tfmigrate_keras.conversion import Conversion, drafts_of
    from tfmigrate_keras.whole_program import conversion

    plan = program.once(conversion)
    if isinstance(plan, Conversion):
        yield from drafts_of(plan, program, "Estimator -> Keras 3 model")
