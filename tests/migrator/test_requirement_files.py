"""TFM908 in the kinds of files that list packages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_cli import UNRELATED, put

from tfmigrate import cli
from tfmigrate.files.environments import Kind, kind_of, outdated

OLDEST = (2, 16)


def texts(text: str, kind: Kind) -> list[str]:
    return [requirement.text for requirement in outdated(text, OLDEST, kind)]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("requirements.txt", Kind.LINES),
        ("requirements/base.txt", Kind.LINES),
        ("requirements/dev.in", Kind.LINES),
        ("gpu_requirements.in", Kind.LINES),
        ("notes/base.txt", None),
        ("Train.Dockerfile", Kind.IMAGE),
        ("Containerfile", Kind.IMAGE),
        ("env-gpu.yml", Kind.CONDA),
        ("conda.yaml", Kind.CONDA),
        ("meta.yaml", Kind.CONDA),
        ("tox.ini", Kind.SECTIONS),
        ("docker-compose.yml", Kind.COMMANDS),
        ("Makefile", Kind.COMMANDS),
        ("readme.txt", None),
    ],
)
def test_names(name: str, kind: Kind | None) -> None:
    assert kind_of(Path(name)) is kind


@pytest.mark.parametrize(
    "line",
    [
        "TensorFlow_GPU==1.14.0",
        "tensorflow (==1.15)",
        "intel-tensorflow==1.15.2",
        "tf-nightly==1.15.0.dev20190821",
    ],
)
def test_other_spellings(line: str) -> None:
    assert texts(line, Kind.LINES) == [line]


def test_wheels() -> None:
    wheel = "tensorflow_gpu-1.12.0-cp36-cp36m-linux_x86_64.whl"
    assert texts(f"https://example.org/gpu/{wheel}\n", Kind.LINES) == [wheel]
    assert texts("tensorflow-2.16.1-cp310-cp310-linux_x86_64.whl\n", Kind.LINES) == []


def test_conda_has_spaces_and_a_newer_tensorflow_gpu() -> None:
    text = """
dependencies:
  - python=3.7
  - tensorflow 1.15.*
  - tensorflow-gpu
  - tensorflow=2
  - conda-forge::tensorflow-base=1.14
  - pip:
    - tensorflow-gpu
  - tensorflow-gpu
"""
    found = list(outdated(text, OLDEST, Kind.CONDA))
    shown = [(requirement.line, requirement.text) for requirement in found]
    assert shown == [(4, "tensorflow=1.15.*"), (7, "tensorflow-base=1.14"), (9, "tensorflow-gpu")]


def test_tables_of_poetry_and_words_about_a_project() -> None:
    text = """
[project]
name = "tensorflow-gpu"
keywords = ["tensorflow-gpu"]
description = "For tensorflow<2"
dependencies = [
  "tensorflow<2", "tensorflow-gpu",
]
[tool.poetry.dependencies]
tensorflow = {version = "1.15", optional = true}
[tool.poetry.dependencies.tensorflow-cpu]
version = "1.15"
[tool.other]
version = "1.15"
"""
    assert texts(text, Kind.TABLES) == [
        "tensorflow<2",
        "tensorflow-gpu",
        'tensorflow = {version = "1.15"',
        'tensorflow-cpu= "1.15"',
    ]


def test_sections() -> None:
    text = """
[metadata]
keywords = tensorflow, tensorflow-gpu
[options]
install_requires =
    tensorflow-gpu
[tensorflow-gpu]
[testenv]
deps =
    tf1: tensorflow==1.15
"""
    assert texts(text, Kind.SECTIONS) == ["tensorflow-gpu", "tensorflow==1.15"]


def test_setup_is_read_as_python() -> None:
    text = """
'''Once with tensorflow==1.4.'''
from setuptools import setup
REQUIRED = ["tensorflow>=1.14,<2.0", "six"]
for name in ["tensorflow", "tensorflow-gpu"]:
    print(name == "tensorflow-gpu")
print("tensorflow==1.15 is needed")
setup(
    name="tensorflow-gpu",
    description="tensorflow<2",
    keywords=["tensorflow-gpu"],
    install_requires=REQUIRED,
    extras_require={"gpu": ["tensorflow-gpu"], "new": ["tensorflow>=2.16"]},
)
"""
    assert texts(text, Kind.SETUP) == ["tensorflow>=1.14,<2.0", "tensorflow-gpu"]
    assert texts("print 'x'\ny = ['tensorflow<2']\n", Kind.SETUP) == ["tensorflow<2"]


def test_dockerfiles() -> None:
    text = """
ARG TF_VERSION=1.15.0
FROM tensorflow/tensorflow:${TF_VERSION}-gpu
FROM nvcr.io/nvidia/tensorflow:19.10-py3
FROM nvcr.io/nvidia/tensorflow:24.06-tf2-py3
LABEL tensorflow=1.15
ENV PACKAGES="tensorflow-gpu"
RUN pip install \\
      # why
      numpy \\
      tensorflow-gpu && \\
    rm tensorflow-gpu
RUN pip install tensorflow==$TF_VERSION
RUN echo tensorflow-gpu
"""
    found = list(outdated(text, OLDEST, Kind.IMAGE))
    assert [(requirement.line, requirement.text) for requirement in found][:3] == [
        (3, "tensorflow/tensorflow:1.15"),
        (4, "nvidia/tensorflow:19.10"),
        (11, "tensorflow-gpu"),
    ]
    assert (found[-1].line, found[-1].text) == (13, "tensorflow==1.15.0")


def test_scripts_and_manifests() -> None:
    text = """
image: tensorflow/tensorflow:1.15.0-gpu
name: tensorflow-gpu
command: ["pip", "install", "tensorflow==1.15"]
value: tensorflow==1.14
"""
    assert texts(text, Kind.COMMANDS) == ["tensorflow/tensorflow:1.15", "tensorflow==1.15"]


def test_long_lines_are_data() -> None:
    for text, kind in (
        ("pip " * 240_000, Kind.COMMANDS),
        ("tensorflow = {" * 70_000, Kind.TABLES),
        ("RUN pip \\\n" * 100_000, Kind.IMAGE),
    ):
        assert texts(text, kind) == []


def test_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "a.py", UNRELATED)
    put(tmp_path / "requirements.txt", "-r deps/gpu.txt\n-r missing.txt\n")
    put(tmp_path / "deps/gpu.txt", "-r ../requirements.txt\ntensorflow==1.13\n")
    put(tmp_path / "Pipfile", '[packages]\ntensorflow-gpu = "==1.15"\n')
    put(tmp_path / "environment.yml", "dependencies:\n  - tensorflow-gpu=1.15\n")
    source = ["%tensorflow_version 1.x\n", "!pip install tensorflow==1.15\n"]
    cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    notebook = {"cells": [{**cell, "source": source}], "metadata": {}, "nbformat": 4}
    put(tmp_path / "a.ipynb", json.dumps({**notebook, "nbformat_minor": 2}))
    assert cli.main(["--check", "--no-cache", "."]) == 1
    output = capsys.readouterr().out
    for line in (
        "deps/gpu.txt:2:1  TFM908  manual   tensorflow==1.13 is too old for migrated programs\n"
        "    write tensorflow>=2.16,<2.22\n",
        '    write tensorflow = {version = ">=2.16,<2.22", extras = ["and-cuda"]}',
        "    write tensorflow-gpu >=2.16,<2.22",
        "a.ipynb:cell 1:1:1   TFM908  manual   %tensorflow_version 1.x is too old",
        "a.ipynb:cell 1:2:14  TFM908  manual   tensorflow==1.15 is too old",
    ):
        assert line in output, output
