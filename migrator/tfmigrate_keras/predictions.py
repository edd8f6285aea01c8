"""What a model predicts: a second model of the same layers, for ``predict`` and exports.

A second model, since the output of the first is what its loss is computed from, mostly logits, and
predictions are made of it by further operations. Both have the same layers, and so the same
weights.
"""

import ast
from dataclasses import dataclass, field

from tfmigrate.model.edits import Code
from tfmigrate.resolve.calls import argument, called
from tfmigrate.resolve.module import Module
from tfmigrate_keras.conversion import Conversion, literal, refuse, resolved, stores, value_before
from tfmigrate_keras.model_function import ModelFunction, Spec
from tfmigrate_keras.modes import PREDICT
from tfmigrate_keras.quotes import quoted
from tfmigrate_keras.tensors import is_same, source

PREDICTOR, SIGNATURES = "predictor", "signatures"
_DEFAULT = "serving_default"
_DEFAULTS = tuple(
    f"tensorflow.saved_model.{package}DEFAULT_SERVING_SIGNATURE_DEF_KEY"
    for package in ("", "signature_constants.")
)
_PACKAGE = "tensorflow.estimator.export."
_CLASSIFICATION = "tensorflow.contrib.learn.ProblemType.CLASSIFICATION"
_PROBLEMS = (_CLASSIFICATION, "tensorflow.contrib.learn.ProblemType.UNSPECIFIED")
_AS_TEXT = ("tensorflow.as_string", "tensorflow.strings.as_string")
_OUTPUT = f"{_PACKAGE}PredictOutput"
_OF_EXAMPLES = {
    f"{_PACKAGE}RegressionOutput": "Regress",
    f"{_PACKAGE}ClassificationOutput": "Classify",
}


@dataclass(frozen=True)
class Predictions:
    """The predictions of a model function.

    Attributes:
        value: the code of them; None where the program does not predict.
        signatures: the code of the outputs of each signature of an export, by its name as code;
            None for those of the predictions.
    """

    value: ast.expr | None
    signatures: dict[str, Code | None] = field(default_factory=dict)


def predictions_of(plan: Conversion, model: ModelFunction, exported: bool) -> Predictions:
    """Returns the predictions of a model function, and keeps the code of them.

    Args:
        model: the model function.
        exported: whether the program exports them for serving.

    Raises:
        Refusal: they cannot be moved to the end of the model function.
    """
    spec = model.specs.get(PREDICT)
    predictions = spec.values.get("predictions") if spec else None
    if spec is None or predictions is None:
        refuse(model.function, f"`{model.function.name}` returns no `predictions`")
    signatures = _Signatures(plan, model, predictions).of(spec) if exported else {}
    if exported and None not in signatures.values():
        return Predictions(None, signatures)
    return Predictions(_kept(plan, model, predictions), signatures)


def _kept(plan: Conversion, model: ModelFunction, predictions: ast.expr) -> ast.expr:
    """Returns the code of outputs at the end of the model function, and keeps it."""
    value = predictions
    if isinstance(predictions, ast.Name):
        held = value_before(model.module, predictions)
        if held is not None and plan.is_removed(held):  # in a branch of PREDICT alone
            value = held
    if value is not predictions and not isinstance(value, ast.Dict):
        refuse(value, "the predictions are not written out as a dictionary")
    if isinstance(predictions, ast.Constant):
        refuse(predictions, "the predictions are not known")
    plan.keep(model.module, value)
    for name in (n for n in ast.walk(value) if isinstance(n, ast.Name)):
        _check_name(plan, model, name)
    return value


def _check_name(plan: Conversion, model: ModelFunction, name: ast.Name) -> None:
    """Refuses a name that means something else, or nothing, at the end of the model function."""
    module = model.module
    if (held := value_before(module, name)) is not None and plan.is_removed(held):
        refuse(name, f"`{name.id}` is computed for predictions only", "Compute it in all modes.")
    if name.id == model.parameters.get("labels"):
        refuse(name, "the predictions need the labels")
    for node in plan.left(stores(module, model.function, name.id)):
        if module.position(node) > module.position(name):
            refuse(node, f"`{name.id}` is assigned again after the predictions")


class _Signatures:
    """The signatures of an export, by the ``export_outputs`` of an EstimatorSpec."""

    def __init__(self, plan: Conversion, model: ModelFunction, predictions: ast.expr) -> None:
        self._plan, self._model = plan, model
        self._module = model.module
        self._predictions = predictions

    def of(self, spec: Spec) -> dict[str, Code | None]:
        """Returns the code of the outputs of each signature; None for the predictions."""
        if (alternatives := spec.values.get("output_alternatives")) is not None:
            return {_DEFAULT: self._alternative(alternatives)}
        if (export_outputs := spec.values.get("export_outputs")) is None:
            self._check_dictionary(self._predictions)
            return {_DEFAULT: None}
        outputs = source(self._module, export_outputs)
        if not isinstance(outputs, ast.Dict):
            refuse(export_outputs, "the `export_outputs` are not written out as a dictionary")
        signatures: dict[str, Code | None] = {}
        for key, value in zip(outputs.keys, outputs.values, strict=True):
            if (name := self._name(key)) is None or name in signatures:
                refuse(value, "the name of a signature is not written out")
            signatures[name] = self._outputs(name, value)
        if len(signatures) > 1 and _DEFAULT not in signatures:
            refuse(export_outputs, "several signatures, of which none is the default")
        if len(signatures) == 1:  # an Estimator adds the default
            (only,) = signatures.values()
            signatures[_DEFAULT] = only
        return signatures

    def _name(self, key: ast.expr | None) -> str | None:
        if key is None:
            return None
        if self._module.resolve(key) in _DEFAULTS:
            return _DEFAULT
        name = literal(source(self._module, key))
        return name if isinstance(name, str) else None

    def _outputs(self, name: str, node: ast.expr) -> Code | None:
        call = source(self._module, node)
        kind = called(self._module, call)
        if not isinstance(call, ast.Call) or kind not in (_OUTPUT, *_OF_EXAMPLES):
            refuse(node, f"the signature `{name}` is not a PredictOutput")
        if kind == _OUTPUT:
            if (value := argument(call, 0, "outputs")) is None:
                refuse(call, f"the outputs of the signature `{name}`")
            if self._is_predictions(value):
                self._check_dictionary(self._predictions)
                return None
            if isinstance(source(self._module, value), ast.Dict):
                return Code("{0}", (_kept(self._plan, self._model, value),))
            return self._dictionary({"output": value})
        method = _OF_EXAMPLES[kind]
        text = f"the signature `{name}` of an export is for Predict, and not for {method}"
        if self._plan.first_time(call):
            self._plan.unsafe.append((self._module, call, text))
        if method == "Regress":
            return self._dictionary({"outputs": argument(call, 0, "value")})
        scores, classes = argument(call, 0, "scores"), argument(call, 1, "classes")
        return self._dictionary({"scores": scores, "classes": classes})

    def _alternative(self, node: ast.expr) -> Code | None:
        """Returns the code of the outputs of the one alternative of ModelFnOps."""
        module, alternatives = self._module, source(self._module, node)
        if not isinstance(alternatives, ast.Dict) or len(alternatives.values) != 1:
            refuse(node, "the `output_alternatives` are not written out as one")
        pair = source(module, alternatives.values[0])
        kind = resolved(module, pair.elts[0]) if isinstance(pair, ast.Tuple) else ""
        outputs = source(module, pair.elts[-1]) if isinstance(pair, ast.Tuple) else node
        if kind not in _PROBLEMS or not isinstance(outputs, ast.Dict):
            refuse(node, "the outputs of an alternative are not written out as a dictionary")
        names = [literal(key) if key is not None else None for key in outputs.keys]
        named_outputs = {
            str(n): v for n, v in zip(names, outputs.values, strict=True) if n is not None
        }
        text = "the one signature of an export is `serving_default`, which is for Predict"
        self._plan.unsafe.append((module, alternatives, text))
        if kind == _CLASSIFICATION:  # the names of a signature for Classify
            scores = named_outputs.get("scores", named_outputs.get("probabilities"))
            named_outputs = {"scores": scores, "classes": named_outputs.get("classes")}  # type: ignore[dict-item]
        code = self._dictionary(
            {name: self._number(value) for name, value in named_outputs.items()}
        )
        lines = code.template[1:-1].replace(", ", ",\n    ")
        return Code(f"{{\n    {lines},\n}}", code.parts)

    def _number(self, node: ast.expr | None) -> ast.expr | None:
        """Returns what is converted to text, which a model of Keras has not."""
        value = source(self._module, node) if node is not None else None
        if not isinstance(value, ast.Call) or called(self._module, value) not in _AS_TEXT:
            return node
        number = argument(value, 0, "input")
        if number is None or len(value.args) + len(value.keywords) > 1:
            refuse(value, f"`{ast.unparse(value)[:60]}` in an export")
        text = f"`{ast.unparse(number)[:60]}` of an export is a number, and not text"
        self._plan.unsafe.append((self._module, value, text))
        return number

    def _dictionary(self, outputs: dict[str, ast.expr | None]) -> Code:
        """Returns the code of a dictionary of tensors."""
        tensors = {name: value for name, value in outputs.items() if value is not None}
        names = [f"{quoted(self._module, name)}: {{{i}}}" for i, name in enumerate(tensors)]
        parts = tuple(_kept(self._plan, self._model, value) for value in tensors.values())
        return Code(f"{{{', '.join(names)}}}", parts)

    def _is_predictions(self, value: ast.expr) -> bool:
        same = is_same(self._module, value, self._predictions)
        return same or ast.dump(value) == ast.dump(self._predictions)

    def _check_dictionary(self, value: ast.expr) -> None:
        if not isinstance(source(self._module, value), ast.Dict):
            refuse(value, "an export of predictions that are no dictionary")


def signatures_code(module: Module, model: str, inputs: str, predictions: Predictions) -> Code:
    """Returns the statement that keeps the signatures of an export with a model."""
    texts: dict[str, str] = {}
    parts: list[ast.expr] = []
    for name, code in predictions.signatures.items():
        if code is None:
            texts[name] = f"{model}.{PREDICTOR}"
            continue
        text = code.template
        for index in reversed(range(len(code.parts))):
            text = text.replace(f"{{{index}}}", f"{{{len(parts) + index}}}")
        parts += code.parts
        texts[name] = f"keras.Model({inputs}, {text})"
    head = f"{model}.{SIGNATURES} = "
    names = [quoted(module, name) for name in texts]
    codes = list(predictions.signatures.values())
    if len(texts) == 2 and codes[0] is codes[1]:
        (text, *_) = texts.values()
        common_parts = parts[: len(codes[0].parts)] if codes[0] else []
        return Code(f"{head}dict.fromkeys", tuple(common_parts), (f"[{', '.join(names)}]", text))
    if len(texts) > 1 and all(name.isidentifier() for name in texts):
        arguments = tuple(f"{name}={text}" for name, text in texts.items())
        return Code(f"{head}dict", tuple(parts), arguments)
    entries = ", ".join(f"{n}: {t}" for n, t in zip(names, texts.values(), strict=True))
    return Code(f"{head}{{{entries}}}", tuple(parts))
