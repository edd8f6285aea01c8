"""Runs one Keras form as a program: train, evaluate, predict, export; on both TensorFlows."""

# ruff: noqa: PTH118, RUF005, UP031  (runs on Python 3.7 too, with text paths)
import os

import keras_forms
import numpy as np

STEPS = 5
CHECKPOINT = "checkpoint"


def run(tf, estimator, record, form, folder, config, batch=None, initial=None, twins=False):
    """Runs a form and returns everything that can be compared, as arrays by name.

    Args:
        tf: TensorFlow, as in keras_forms.
        estimator: the namespace of the Estimator.
        record: the module of the recorder, whose pinned random numbers are installed.
        form: the name of the form.
        folder: an empty folder.
        config: the RunConfig.
        batch: the size of a batch of the input function, that of keras_forms by default.
        initial: values of variables to start from, by name.
        twins: whether a batch holds its rows twice, once for each of two replicas.

    Returns:
        "loss" [steps], "initial/<variable>", "variable/<variable>" after the last step,
        "checkpoint" (names and shapes as text), "evaluation/<metric>", "prediction" [32, 1],
        "exported" (variables in the SavedModel).
    """
    from tensorflow.python.training import monitored_session

    model_fn = keras_forms.model_fn_of(tf, estimator, form)
    model = estimator.Estimator(model_fn, model_dir=folder, config=config)
    trace = record.Trace(STEPS)
    plain = monitored_session._MonitoredSession.__init__
    batch = batch or keras_forms.BATCH
    record.observe_sessions(trace, initial)
    try:
        model.train(lambda: keras_forms.input_fn(tf, batch, None, twins), steps=STEPS)
    finally:
        monitored_session._MonitoredSession.__init__ = plain
    arrays = {"loss": np.asarray(trace.losses)}
    arrays.update({"initial/" + name: value for name, value in trace.initial.items()})
    arrays.update({"drawn/" + name: value for name, value in trace.drawn.items()})
    arrays.update({"variable/" + name: value[-1] for name, value in trace.values.items()})
    arrays[CHECKPOINT] = listed(tf.train.list_variables(folder))
    metrics = model.evaluate(lambda: keras_forms.input_fn(tf, batch, 1, twins))
    arrays.update({"evaluation/" + name: np.asarray(value) for name, value in metrics.items()})
    rows = model.predict(lambda: keras_forms.input_fn(tf, keras_forms.BATCH, 1))
    arrays["prediction"] = np.stack([row["value"] for row in rows])
    arrays["exported"], arrays["served"] = exported(tf, estimator, model, folder)
    return arrays


def listed(variables):
    """Returns names and shapes as one array of text."""
    return np.asarray(sorted("%s %s" % (name, list(shape)) for name, shape in variables))


def exported(tf, estimator, model, folder):
    """Exports the model; returns the variables that it holds and what it answers, [32, 1]."""
    features = keras_forms.data()[0]

    def receiver_fn():
        given = {
            name: tf.placeholder(value.dtype, [None] + list(value.shape[1:]), name=name)
            for name, value in features.items()
        }
        return estimator.export.ServingInputReceiver(given, given)

    saved = model.export_saved_model(os.path.join(folder, "export"), receiver_fn)
    saved = saved.decode() if isinstance(saved, bytes) else saved
    with tf.Graph().as_default(), tf.Session() as session:
        meta = tf.saved_model.loader.load(session, ["serve"], saved)
        signature = meta.signature_def["serving_default"]
        feeds = {signature.inputs[name].name: features[name] for name in signature.inputs}
        answer = session.run(signature.outputs["value"].name, feeds)
    variables = tf.train.list_variables(os.path.join(saved, "variables", "variables"))
    return listed(variables), answer
