from __future__ import annotations

import io
import sys
from types import SimpleNamespace

import pytest

from tfmigrate import cli

WHOLE = b"""\
# coding: latin-1
import tensorflow as tf

def model_fn(features, labels, mode):
    loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1))
    optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

estimator = tf.estimator.Estimator(  # caf\xe9\r
    tf.contrib.estimator.replicate_model_fn(model_fn))
"""


def stream(data: bytes, monkeypatch: pytest.MonkeyPatch, *options: str, code: int = 0) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    assert cli.main(["-", *options]) == code


def test_a_program_goes_migrated_to_the_standard_output_and_nothing_else_does(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    stream(WHOLE, monkeypatch)
    output = capfdbinary.readouterr()
    assert output.out.startswith(b"# coding: latin-1\nimport tensorflow.compat.v1 as tf\n")
    assert b"# caf\xe9\r\n" in output.out
    assert b"replicate_model_fn" not in output.out
    assert b"<stdin>:2:8   TFM701  fixed" in output.err
    assert output.err.endswith(b"changes.\n")
    stream(output.out, monkeypatch, "-q")
    assert capfdbinary.readouterr().out == output.out


def test_what_does_not_change_goes_through_byte_by_byte(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    data = b"\xef\xbb\xbfx = 1\r\ny = 2\n\rz = '\xc3\xa9'"
    stream(data, monkeypatch)
    assert capfdbinary.readouterr().out == data


def test_a_dry_run_gives_a_diff_or_nothing(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    stream(WHOLE, monkeypatch, "--diff", code=1)
    assert capfdbinary.readouterr().out.startswith(b"--- a/<stdin>\n+++ b/<stdin>\n")
    stream(WHOLE, monkeypatch, "--check", code=1)
    assert capfdbinary.readouterr().out == b""


def test_a_notebook_is_told_by_what_it_holds(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    data = b'{\n "cells": [{"cell_type": "code", "source": ["import tensorflow\\n", "x = ("]}]}'
    stream(data, monkeypatch, code=2)
    assert b"<stdin>:cell 1:2:5  TFM900" in capfdbinary.readouterr().err
    stream(data.replace(b"x = (", b"x = 1"), monkeypatch)
    assert capfdbinary.readouterr().out == data.replace(b"x = (", b"x = 1")


def test_what_cannot_be_read_gives_no_text(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    for data, code in ((b"x = '\xe9'\n", b"TFM901"), (b"print 1\n", b"TFM900")):
        stream(data, monkeypatch, code=2)
        output = capfdbinary.readouterr()
        assert output.out == b""
        assert output.err.startswith(b"<stdin>:1:")
        assert code in output.err


def test_it_stands_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["-", "a.py"])
    assert caught.value.code == 2
    assert "- (standard input) cannot be combined with other paths" in capsys.readouterr().err
