"""Where graphs differ: nothing of two versions of TensorFlow, one sentence of what a program does.

operations_of_tensorflow_1_15.json has what the recorder reads on TensorFlow 1.15.5 of three of
tests/verify/programs.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from verify_support import PROGRAMS, TIMEOUT

from tfmigrate_runtime.verify.diagnosis.graph_differences import (
    differences,
    fed_differently,
    without_effect,
)
from tfmigrate_runtime.verify.running.run_program import Program, run_recorded
from tfmigrate_runtime.verify.traces.trace import read_trace

STORED = Path(__file__).with_name("operations_of_tensorflow_1_15.json")
LAYERS = [
    ("layer/MatMul", "MatMul", {"transpose_a": False}),
    ("layer/Relu", "Relu", {}),
    ("layer/MatMul", "MatMul", {"transpose_a": False}),
    ("mul/x", "Const", {"value": 0.01}),
    ("mul", "Mul", {}),
    ("Sum/reduction_indices", "Const", {"value": 1}),
    ("Mean", "Mean", {"keep_dims": False}),
]
Op = tuple[str, str, dict[str, Any]]


def meta(*operations: Op, fed: dict[str, Any] | None = None, place: str = "") -> dict[str, Any]:
    text = [
        f"{name}\t{kind}\t{json.dumps(settings)}\t{place}" for name, kind, settings in operations
    ]
    return {"operations": {"text": text}, "fed": fed or {}}


@pytest.mark.parametrize("name", ["characters", "sequences", "factors"])
def test_nothing_is_said_of_one_program_on_two_versions(name: str, tmp_path: Path) -> None:
    run_recorded(
        Program(PROGRAMS / f"{name}.py", (str(tmp_path / "out"),)),
        trace := tmp_path / "t.npz",
        TIMEOUT,
    )
    migrated, _ = read_trace(trace)
    original = {"operations": {"text": json.loads(STORED.read_text())[name]}}
    assert len(migrated["operations"]["text"]) > 100
    assert differences(original, migrated) == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param([], [], id="old traces have no ops"),
        pytest.param(LAYERS, [], id="a program without a graph"),
        pytest.param(LAYERS, LAYERS[::-1], id="another order"),
        pytest.param(
            LAYERS,
            [(f"other/{name}", kind, settings) for name, kind, settings in LAYERS],
            id="other scopes",
        ),
        pytest.param(
            [("add", "Add", {}), ("dropout/rate", "Const", {"value": 0.2})],
            [
                ("add", "AddV2", {}),
                ("dropout/Const", "Const", {"value": 1.25}),
                ("dropout/GreaterEqual/y", "Const", {"value": 0.2}),
            ],
            id="how versions write them",
        ),
    ],
)
def test_no_difference(old: list[Op], new: list[Op]) -> None:
    assert differences(meta(*old), meta(*new)) == ()


def _with(index: int, *operations: Op) -> list[Op]:
    return [*LAYERS[:index], *operations, *LAYERS[index + 1 :]]


@pytest.mark.parametrize(
    ("new", "sentence"),
    [
        (
            _with(3, ("mul/x", "Const", {"value": 0.02})),
            "In the graph, the constant mul/x is 0.01 in the original, 0.02 in the migrated "
            "program.",
        ),
        (
            _with(5, ("Sum/reduction_indices", "Const", {"value": 0})),
            "In the graph, the constant Sum/reduction_indices is 1 in the original, 0 in the "
            "migrated program.",
        ),
        (
            _with(6, ("Mean", "Mean", {"keep_dims": True})),
            "In the graph, Mean has keep_dims False in the original, True in the migrated program.",
        ),
        (_with(1), "Only the original's graph has an op Relu: layer/Relu."),
        (
            _with(1, LAYERS[1], ("stop", "StopGradient", {})),
            "Only the migrated program's graph has an op StopGradient: stop.",
        ),
        (
            _with(1, LAYERS[1], ("layer/dropout/GreaterEqual/y", "Const", {"value": 0.5})),
            "Only the migrated program's graph has layer/dropout.",
        ),
        (
            [op for op in LAYERS if not op[0].startswith("mul")],
            "Only the original's graph has the constant mul/x = 0.01.",
        ),
    ],
    ids=lambda value: value[:60] if isinstance(value, str) else "",
)
def test_a_difference_is_named(new: list[Op], sentence: str) -> None:
    assert differences(meta(*LAYERS), meta(*new)) == (sentence,)


def test_a_number_that_a_function_has_once_is_named() -> None:
    draws = ("random_uniform/RandomUniform", "RandomUniform", {})
    old = meta(*LAYERS, draws)
    new = meta(*LAYERS, draws, ("random_uniform/mul/y", "Const", {"value": 0.9}))
    assert differences(old, new) == (
        "Only the migrated program's random_uniform has the number 0.9.",
    )


def test_resource_variables_have_ops_of_other_names() -> None:
    step = "train/update_kernel"
    old = meta(("dense/Tanh", "Tanh", {}), *((f"{step}/ApplyAdam", "ApplyAdam", {}),) * 4)
    new = meta(
        ("dense/Sigmoid", "Sigmoid", {}),
        *((f"{step}/ResourceApplyAdam", "ResourceApplyAdam", {}),) * 4,
    )
    assert differences(old, new) == (
        "Only the original's graph has an op Tanh: dense/Tanh.",
        "Only the migrated program's graph has an op Sigmoid: dense/Sigmoid.",
    )


def test_what_is_fed_counts_until_the_first_step_that_differs() -> None:
    old = meta(fed={"rate": [[0, 0.1, 0.0], [1, 0.1, 0.0]], "x": [[0, 1.0, 0.5], [1, 2.0, 0.5]]})
    new = meta(fed={"rate": [[0, 0.1, 0.0], [1, 0.2, 0.0]], "x": [[0, 1.0, 0.5], [1, 3.0, 0.5]]})
    assert fed_differently(old, new, 0) == ()
    assert fed_differently(old, new, 1) == (
        "In step 2, rate is fed 0.1 in the original, 0.2 in the migrated program.",
        "In step 2, x is fed 2 on the average in the original, 3 in the migrated program.",
    )
    assert fed_differently(old, meta(fed={}), 1) == ()


def test_the_line_of_the_program_is_named() -> None:
    old, new = meta(*LAYERS, place="train.py:3"), meta(*_with(1), place="contrib train.py:4")
    assert differences(old, new) == (
        "Only the original's graph has an op Relu: layer/Relu (train.py:3).",
    )
    new = meta(*_with(3, ("mul/x", "Const", {"value": 0.02})), place="contrib train.py:4")
    assert differences(old, new) == (
        "In the graph, the constant mul/x is 0.01 in the original (train.py:3), 0.02 in the "
        "migrated program (train.py:4).",
    )


def test_integers_inside_of_functions_of_contrib_are_not_compared() -> None:
    new = meta(*_with(5, ("Sum/reduction_indices", "Const", {"value": 0})), place="contrib a.py:4")
    assert differences(meta(*LAYERS, place="contrib a.py:4"), new) == ()


def test_traces_without_lines_are_read() -> None:
    text = [f"{name}\t{kind}\t{json.dumps(settings)}" for name, kind, settings in LAYERS]
    assert differences({"operations": {"text": text}}, meta(*_with(1))) == (
        "Only the original's graph has an op Relu: layer/Relu.",
    )


def test_limits_that_no_step_has_reached_are_named() -> None:
    """Of other numbers nothing is known: Keras' regularizers have others in ops of one name."""
    old = [("clip_by_value/Minimum/y", "Const", {"value": 5.0}), *LAYERS]
    new = [("clip_by_value/Minimum/y", "Const", {"value": 4.0}), *LAYERS]
    assert without_effect(meta(*old), meta(*old)) == ()
    assert without_effect(meta(*old), meta(*new)) == (
        "In the graph, the constant clip_by_value/Minimum/y is 5.0 in the original, 4.0 in the "
        "migrated program. No compared step reached it.",
    )
    new[4] = ("mul/x", "Const", {"value": 0.02})
    assert len(differences(meta(*old), meta(*new))) == 2
    assert len(without_effect(meta(*old), meta(*new))) == 1
    rates = [[("Adam/epsilon", "Const", {"value": value}), *LAYERS] for value in (1e-8, 2e-8)]
    (sentence,) = without_effect(meta(*rates[0]), meta(*rates[1]))
    assert sentence.endswith(
        "is 1e-08 in the original, 2e-08 in the migrated program. What that changes is less than "
        "what was allowed."
    )


def test_decays_that_the_number_of_updates_caps_are_named() -> None:
    """Of ``ExponentialMovingAverage(0.9, step)``, which has (1 + step) / (10 + step) too."""
    capped = [("ExponentialMovingAverage/add_1/x", "Const", {"value": 10.0}), *LAYERS]
    graphs = [
        [("ExponentialMovingAverage/decay", "Const", {"value": decay}), *capped]
        for decay in (0.9, 0.99)
    ]
    assert without_effect(meta(*graphs[0]), meta(*graphs[0])) == ()
    assert without_effect(meta(*graphs[0]), meta(*graphs[1])) == (
        "In the graph, ExponentialMovingAverage has the number 0.9 in the original, 0.99 in the "
        "migrated program. What that changes is less than what was allowed.",
    )
