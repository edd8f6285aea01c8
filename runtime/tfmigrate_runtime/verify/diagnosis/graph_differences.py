"""Where the graphs of two programs differ, for what updates do not show the cause of.

A dropout of 0.32 in place of 0.3, an activation that is lost, a sum over another axis: each changes
every update in another direction, from which nothing can be read. In the graphs that
``sessions/operations.py`` has recorded it is one constant, one setting or one op. What steps were
fed is compared as well (``sessions/fed_values.py``): a different batch looks like a different
gradient.

Both graphs may come from different versions of TensorFlow, whose functions are written in different
ops (``dropout`` of 1.15 multiplies, that of 2.21 selects). So the functions concerned count as one
op, with their numbers; of other ops those are counted that compute something of their own. Nothing
is said of graphs that have too little in common: layers with other names, towers that became
replicas.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

_MOST = 3  # sentences
_MOST_LIMITS = 6
_IN_COMMON = 0.7  # of the named ops of either graph, for what only one of them has
_NEAR = 1e-4  # of the numbers that steps are fed: they may be computed by the program
# Scopes of functions that versions of TensorFlow write in different ops; of the first, a graph that
# lacks them computes something else.
_NAMED = "dropout|random_uniform|random_normal|truncated_normal|clip_by_global_norm|batchnorm"
_FUNCTIONS = re.compile(
    rf"(?:^|/)({_NAMED}|Tensordot|conv1d|Conv1D|zeros_like|ones_like|num_present|[Aa]ssert\w*|"
    r"confusion_matrix|remove_squeezable_dimensions|ExponentialMovingAverage|AssignMovingAvg)(?=/)"
)
_IS_NAMED = re.compile(rf"(^|/)({_NAMED})$")
# Constants of expressions that a program writes.
_WRITTEN = re.compile(
    r"(^|/)((mul|add|sub|truediv|pow|Pow|Maximum|Minimum)/[xy]"
    r"|(Sum|Mean|Max|Min|Prod|ArgMax|ArgMin)/(reduction_indices|dimension))$"
)
_DECAYS = re.compile(r"(^|/)\w+Decay/")  # their functions are written differently, too
_CONTRIB = "contrib "  # before the line that called a function of tf.contrib, or of the runtime
# Names of what is compared to a number.
_LIMITS = re.compile(
    r"(^|/)(clip_by_\w+|Minimum|Maximum|Less|LessEqual|Greater|GreaterEqual|PiecewiseConstant)(/|$)"
)
# Names of what optimizers and averages are set to.
_RATES = re.compile(
    r"(^|/)(learning_rate|momentum|beta1|beta2|epsilon|decay|rho|batchnorm|FusedBatchNorm\w*|"
    r"ExponentialMovingAverage|AssignMovingAvg)(_\d+)?$"
)
_SHAPES = re.compile(r"shape|ExpandDims|Rank|range|perm|Squeeze", re.I)
# What versions write differently, and what only passes on, turns or counts.
_SAME_TYPES = {
    "Add": "AddV2",
    "Select": "SelectV2",
    "FusedBatchNorm": "FusedBatchNormV3",
    "FusedBatchNormV2": "FusedBatchNormV3",
    "BatchMatMul": "BatchMatMulV2",
    "Gather": "GatherV2",
    "ResourceGather": "GatherV2",
    "MaxPoolV2": "MaxPool",
}
_COMPUTES = re.compile(
    r"^(Relu6?|LeakyRelu|Elu|Selu|Sigmoid|Tanh|Soft(max|plus|sign)|LogSoftmax|"
    r"(Sparse)?SoftmaxCrossEntropyWithLogits|"
    r"(DepthwiseConv2dNative|Conv[23]D|Conv2DBackpropInput)|(Max|Avg)Pool(3D)?|"
    r"FusedBatchNormV3|LRN|L2Loss|StopGradient|ReverseSequence|ReverseV2|MatMul|BatchMatMulV2|"
    r"Mean|Max|Min|Prod|Square|Sqrt|Rsqrt|Log|Log1p|Exp|Abs|Pow|Sin|Cos|Erf|ArgMax|ArgMin|TopKV2|"
    r"Multinomial|Random(Uniform|UniformInt|StandardNormal|Gamma\w*|Poisson\w*|Shuffle)|TruncatedNormal|ClipByValue|GatherV2|OneHot|Sign|Floor|Sparse\w+|"
    r"(Resource)?(Sparse)?Apply\w+)$"
)


class _Value(NamedTuple):
    """A constant, or what an op is set to.

    Attributes:
        text: of JSON.
        place: the line of the program that made it, "" where that is not known.
    """

    text: str
    place: str


@dataclass
class _Graph:
    """The ops of one graph.

    Attributes:
        constants: by name: ops of one name in their order.
        settings: what ops are set to, by their name and the name of the setting.
        computes: the lines of ops that compute something, by type and name.
        functions: the numbers in scopes of functions, by the scope.
    """

    constants: dict[str, list[_Value]] = field(default_factory=lambda: defaultdict(list))
    settings: dict[tuple[str, str], list[_Value]] = field(default_factory=lambda: defaultdict(list))
    computes: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))
    functions: dict[str, set[float]] = field(default_factory=lambda: defaultdict(set))

    @classmethod
    def of(cls, lines: list[str]) -> _Graph:
        """Returns the graph of ``meta["operations"]["text"]``."""
        graph = cls()
        for line in lines:
            name, kind, text, place, *_ = (*line.split("\t"), "")
            graph._add(name, _SAME_TYPES.get(kind, kind), json.loads(text), place)
        for scope, numbers in graph.functions.items():
            if not scope.endswith("dropout"):
                continue
            # 2.21 multiplies what a dropout leaves by a constant.
            scales = {n for n in numbers if any(abs(n * (1 - rate) - 1) < 1e-5 for rate in numbers)}
            graph.functions[scope] = numbers - scales
        return graph

    def _add(self, name: str, kind: str, settings: Mapping[str, Any], place: str) -> None:
        if (function := _FUNCTIONS.search(name)) is not None:
            self.functions[name[: function.end()]].update(_numbers(settings.get("value")))
        elif kind == "Const":
            if "value" in settings and not _SHAPES.search(name):
                self.constants[name].append(_Value(json.dumps(settings["value"]), place))
        else:
            for key, value in settings.items():
                self.settings[name, key].append(_Value(json.dumps(value), place))
            if _COMPUTES.match(kind):
                # Resource variables have ops of other names.
                kind, name = (text.replace("Resource", "") for text in (kind, name))
                self.computes[kind, name].append(place)

    @property
    def kinds(self) -> Counter[str]:
        """How many ops of each type compute something."""
        kinds: Counter[str] = Counter()
        for (kind, _), places in self.computes.items():
            kinds[kind] += len(places)
        return kinds


def _numbers(value: Any) -> set[float]:
    """Returns the number that a constant is, where a program may have written it."""
    return {value} if isinstance(value, float) and value == value and value not in (0, 1) else set()


def differences(original: Mapping[str, Any], migrated: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns a sentence for each of the first few differences of the graphs.

    Args:
        original: ``meta`` of the original's trace.
        migrated: that of the migrated program.
    """
    if (graphs := _graphs(original, migrated)) is None:
        return ()
    old, new = graphs
    sentences = [sentence for _, sentence in _of_values(old, new)]
    common = sum(
        min(len(places), len(new.computes.get(k, ()))) for k, places in old.computes.items()
    )
    if common >= _IN_COMMON * max(old.kinds.total(), new.kinds.total()):
        sentences += _of_operations(old, new)
    return tuple(sentences[:_MOST])


def without_effect(original: Mapping[str, Any], migrated: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns a sentence for each of the first few numbers that differ where programs train alike.

    A limit of gradients that is not reached, a boundary of a schedule behind the last step, and a
    rate whose difference is lost in rounding: 1e-5 and 1.2e-5 below the root of a variance; or is
    capped: ``ExponentialMovingAverage(0.99, step)`` decays by 2 / 11 in the first step. Other
    numbers have an effect: where they differ, as in a regularizer of Keras that halves nothing, the
    graphs compute the same in another way.

    Args:
        original: ``meta`` of the original's trace.
        migrated: that of the migrated program.
    """
    graphs = _graphs(original, migrated)
    sentences = []
    for name, sentence in () if graphs is None else _of_values(*graphs):
        if _LIMITS.search(name):
            sentences.append(f"{sentence} No compared step reached it.")
        elif _RATES.search(name):
            sentences.append(f"{sentence} What that changes is less than what was allowed.")
    return tuple(sentences[:_MOST])


def unreached_limits(original: Mapping[str, Any], migrated: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns what is not compared: limits of the original that no step reaches, in a few words.

    Where both programs have graphs, their constants are compared: ``without_effect`` has those that
    differ. A program without one may have any number there.

    Args:
        original: ``meta`` of the original's trace.
        migrated: that of the migrated program.
    """
    texts = (original.get("limits") or {}).get("unreached", ())
    if not texts or _graphs(original, migrated) is not None:
        return ()
    more = [f"{len(texts) - _MOST_LIMITS} more"] if len(texts) > _MOST_LIMITS else []
    shown = ", ".join([*texts[:_MOST_LIMITS], *more])
    return (f"limits that no step of the original reaches ({shown})",)


def _graphs(
    original: Mapping[str, Any], migrated: Mapping[str, Any]
) -> tuple[_Graph, _Graph] | None:
    """Returns the graphs of both programs, None where one is not recorded."""
    lines = [(meta.get("operations") or {}).get("text") or [] for meta in (original, migrated)]
    return (_Graph.of(lines[0]), _Graph.of(lines[1])) if all(lines) else None


def fed_differently(
    original: Mapping[str, Any], migrated: Mapping[str, Any], until: int | None = None
) -> tuple[str, ...]:
    """Returns a sentence for each of the first few placeholders that steps are fed differently.

    Args:
        original: ``meta`` of the original's trace.
        migrated: that of the migrated program.
        until: how many steps both have made alike. What is fed later may follow from what differs.
    """
    old, new = (meta.get("fed") or {} for meta in (original, migrated))
    return tuple(_fed(old, new, until))[:_MOST]


def _fed(old: Mapping[str, Any], new: Mapping[str, Any], until: int | None) -> Iterator[str]:
    for name, entries in old.items():
        for (step, *numbers), (_, *others) in zip(entries, new.get(name, ()), strict=False):
            if until is not None and step > until:
                break
            allowed = _NEAR * max(map(abs, numbers + others))
            if any(abs(a - b) > allowed for a, b in zip(numbers, others, strict=True)):
                mean = " on the average" if numbers[1] or others[1] else ""
                yield (
                    f"In step {step + 1}, {name} is fed {numbers[0]:.6g}{mean} in the original, "
                    f"{others[0]:.6g} in the migrated program."
                )
                break


def _compared(name: str, old: _Graph, new: _Graph) -> tuple[list[_Value], list[_Value]]:
    """Returns the constants of a name: axes and sizes in contrib's functions are their own."""
    values = [graph.constants.get(name, []) for graph in (old, new)]
    if any(each.place.startswith(_CONTRIB) for each in values[0] + values[1]):
        values = [[v for v in each if isinstance(json.loads(v.text), float)] for each in values]
    return values[0], values[1]


def _of_values(old: _Graph, new: _Graph) -> list[tuple[str, str]]:
    """Returns what is said of numbers in the same place, by names: first what programs write."""
    sentences: list[tuple[str, str]] = []
    of_integers: list[tuple[str, str]] = []
    for scope, numbers in old.functions.items():
        others = new.functions.get(scope, numbers)
        own = (numbers - others, others - numbers)
        if len(own[0]) == len(own[1]) == 1:
            values = [_Value(str(*each), "") for each in own]
            sentences.append((scope, _values(f"{scope} has the number", *values)))
        elif _IS_NAMED.search(scope) and len(numbers ^ others) == 1:
            whose = "original's" if numbers else "migrated program's"
            number = (numbers ^ others).pop()
            sentences.append((scope, f"Only the {whose} {scope} has the number {number}."))
    for name in old.constants:
        for pair in _different(*_compared(name, old, new)):
            is_number = isinstance(json.loads(pair[0].text), float)
            sentence = name, _values(f"the constant {name} is", *pair)
            (sentences if is_number else of_integers).append(sentence)
    for (name, key), settings in old.settings.items():
        for pair in _different(settings, new.settings.get((name, key), [])):
            sentences.append((name, _values(f"{name} has {key}", *pair)))
    return sentences + of_integers


def _different(old: list[_Value], new: list[_Value]) -> list[tuple[_Value, _Value]]:
    """Returns the pairs of values that differ, each once; nothing where their number differs."""
    pairs = zip(old, new, strict=True) if len(old) == len(new) else ()
    return list({(a.text, b.text): (a, b) for a, b in pairs if a.text != b.text}.values())


def _values(what: str, old: _Value, new: _Value) -> str:
    sides = (
        f"{json.loads(each.text)} in the {whose}{_at(each.place)}"
        for each, whose in ((old, "original"), (new, "migrated program"))
    )
    return f"In the graph, {what} {', '.join(sides)}."


def _of_operations(old: _Graph, new: _Graph) -> Iterator[str]:
    """Yields what is said of what only one of the graphs has."""
    sides = ((old, new, "the original's"), (new, old, "the migrated program's"))
    for graph, other, whose in sides:
        for kind, count in (graph.kinds - other.kinds).items():
            ops = f"{count} ops" if count > 1 else "an op"
            yield f"Only {whose} graph has {ops} {kind}{_where(kind, graph, other)}."
    for graph, other, whose in sides:
        for scope in graph.functions:
            if scope not in other.functions and _IS_NAMED.search(scope):
                yield f"Only {whose} graph has {scope}."
    for graph, other, whose in sides:
        for name in graph.constants:
            values, others = _compared(name, graph, other)
            if len(values) > len(others) and _WRITTEN.search(name) and not _DECAYS.search(name):
                places = {v.text: v.place for v in values if not v.place.startswith(_CONTRIB)}
                more = Counter(v.text for v in values) - Counter(v.text for v in others)
                for text in [text for text in more if text in places]:
                    at = _at(places[text])
                    yield f"Only {whose} graph has the constant {name} = {text}{at}."


def _where(kind: str, graph: _Graph, other: _Graph) -> str:
    """Returns the names and lines of ops of which the other graph has fewer."""
    shown = [
        f"{name}{_at(places[-1])}"
        for (k, name), places in graph.computes.items()
        if k == kind and len(places) > len(other.computes.get((k, name), ()))
    ]
    return f": {', '.join(shown[:2])}" if shown else ""


def _at(place: str) -> str:
    place = place.removeprefix(_CONTRIB)
    return f" ({place})" if place else ""
