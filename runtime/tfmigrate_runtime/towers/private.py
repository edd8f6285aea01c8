"""The private names of TensorFlow that towers need, in one place.

=====================================================  ============================================
name                                                   why there is no public way
=====================================================  ============================================
``ParameterServerStrategyExtended``'s                  it wraps every variable, so that assignments
``_create_var_creator``                                in replicas are averaged
``summary_op_util.skip_summary``                       tf.distribute drops the summaries of all
                                                       replicas but the first
=====================================================  ============================================
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from tensorflow.python.distribute import summary_op_util


def keep_variables_plain(strategy: Any) -> None:
    """Lets a CentralStorageStrategy make variables that replicas assign for themselves."""

    def plain(next_creator: Callable[..., Any], **_: Any) -> Callable[..., Any]:
        return next_creator

    strategy.extended._create_var_creator = plain


@contextlib.contextmanager
def summaries_of_all_replicas() -> Iterator[None]:
    """Lets every replica make its summaries: programs of towers mostly keep the last tower's."""
    before = summary_op_util.skip_summary
    summary_op_util.skip_summary = lambda: False
    try:
        yield
    finally:
        summary_op_util.skip_summary = before
