"""Mistakes in the model: its layers, how its variables begin, what it tells."""

from __future__ import annotations

import ast

from source_edits import Found, argument, calls, is_none, keyword, source, with_keyword

_LAYERS = ("dense", "conv2d", "fully_connected")
_OPERATION = "nn.conv2d"  # no layer: it has no variables


def another_activation(tree: ast.AST, text: str) -> Found:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in ("relu", "tanh", "sigmoid", "elu"):
            other = "elu" if node.attr == "relu" else "relu"
            base = source(node.value, text)
            if base.endswith("nn") or base == "tf":
                yield node, f"tf.nn.{other}"
    for call in calls(tree, "fully_connected", "DNNClassifier", "DNNRegressor"):
        if keyword(call, "activation_fn") is None:
            yield call, with_keyword(call, "activation_fn", "tf.nn.elu")


def another_dropout(tree: ast.AST, text: str) -> Found:
    for call in calls(tree, "dropout"):
        for name in ("rate", "keep_prob"):
            value = keyword(call, name)
            if value is not None and not (isinstance(value, ast.Constant) and value.value == 0):
                yield value, f"0.9 * ({source(value, text)})"


def not_in_training(tree: ast.AST, text: str) -> Found:
    """Dropout or batch normalisation is not told that it trains."""
    del text
    for call in calls(tree, "dropout", "batch_normalization", "batch_norm"):
        training = keyword(call, "training", "is_training")
        if training is not None:
            yield training, "False"


def another_start(tree: ast.AST, text: str) -> Found:
    for call in calls(tree, "zeros_initializer", "ones_initializer"):
        yield call, "tf.constant_initializer(0.01)"
    for call in calls(tree, "random_uniform_initializer", "truncated_normal_initializer"):
        yield call, "tf.constant_initializer(0.01)"
    for call in calls(tree, "Variable"):
        if call.args and isinstance(call.args[0], ast.Call):
            yield call.args[0], f"0.5 * {source(call.args[0], text)} + 0.01"
    for call in calls(tree, "dense"):
        if keyword(call, "kernel_initializer") is None:
            yield call, with_keyword(call, "kernel_initializer", "tf.ones_initializer()")


def more_units(tree: ast.AST, text: str) -> Found:
    for call in calls(tree, "dense", "fully_connected"):
        units = argument(call, 1, "units", "num_outputs")
        if isinstance(units, ast.Constant) and isinstance(units.value, int) and units.value > 3:
            yield units, str(units.value + 1)
    for call in calls(tree, "DNNClassifier", "DNNRegressor"):
        units = keyword(call, "hidden_units")
        if units is not None:
            yield units, f"[units + 1 for units in {source(units, text)}]"


def frozen(tree: ast.AST, text: str) -> Found:
    """A layer or a variable is not trained."""
    for call in calls(tree, *_LAYERS, "get_variable"):
        if keyword(call, "trainable") is None and not source(call.func, text).endswith(_OPERATION):
            yield call, with_keyword(call, "trainable", "False")
    for call in calls(tree, "Variable"):
        if keyword(call, "trainable") is None and isinstance(call.args[0], ast.Call):
            yield call, with_keyword(call, "trainable", "False")


def no_bias(tree: ast.AST, text: str) -> Found:
    for call in calls(tree, "dense", "conv2d"):
        if not source(call.func, text).endswith(_OPERATION):
            yield call, with_keyword(call, "use_bias", "False")
    for call in calls(tree, "fully_connected"):
        yield call, with_keyword(call, "biases_initializer", "None")


def another_name(tree: ast.AST, text: str) -> Found:
    del text
    for call in calls(tree, "variable_scope"):
        name = argument(call, 0, "name_or_scope")
        if isinstance(name, ast.Constant) and isinstance(name.value, str) and name.value:
            yield name, repr(name.value + "_1")
    for call in calls(tree, *_LAYERS):
        name = keyword(call, "name", "scope")
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            yield name, repr(name.value + "_1")


def scaled_feature(tree: ast.AST, text: str) -> Found:
    del text
    for call in calls(tree, "numeric_column"):
        if keyword(call, "normalizer_fn") is None:
            yield call, with_keyword(call, "normalizer_fn", "lambda value: 1.05 * value")


def column_left_out(tree: ast.AST, text: str) -> Found:
    for call in calls(tree, "input_layer"):
        columns = argument(call, 1, "feature_columns")
        if columns is not None:
            yield columns, f"{source(columns, text)}[1:]"
    for call in calls(tree, "LinearRegressor", "LinearClassifier", "DNNClassifier", "DNNRegressor"):
        columns = keyword(call, "feature_columns") or (call.args[0] if call.args else None)
        if columns is not None and not isinstance(columns, ast.List):
            yield columns, f"{source(columns, text)}[1:]"


def another_metric(tree: ast.AST, text: str) -> Found:
    names = ("accuracy", "mean_squared_error", "auc", "root_mean_squared_error", "recall")
    for call in calls(tree, *names, "mean_absolute_error"):
        base = source(call.func, text)
        if ".metrics." in base and len(call.args) >= 2:
            yield call.args[1], f"tf.zeros_like({source(call.args[1], text)})"


def another_place(tree: ast.AST, text: str) -> Found:
    """Variables are on another task of the cluster."""
    del text
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value in ("/job:ps/task:0", "/job:ps/task:1"):
            yield node, repr(node.value[:-1] + ("1" if node.value[-1] == "0" else "0"))


def another_number(tree: ast.AST, text: str) -> Found:
    del text
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, float) and node.value:
            yield node, repr(node.value * 1.05)


def half_the_hidden_units(tree: ast.AST, text: str) -> Found:
    """A hyperparameter for the number of units is another."""
    del text
    for call in calls(tree, "HParams"):
        units = keyword(call, "hidden_units", "units")
        if units is not None and not is_none(units):
            yield units, f"{ast.unparse(units)} // 2"
