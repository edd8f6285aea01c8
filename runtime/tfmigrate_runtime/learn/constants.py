"""Kinds of problems that a model solves (contrib.learn's ``constants``)."""

from __future__ import annotations

COLLECTION_DEF_KEY_FOR_INPUT_FEATURE_KEYS = "input_feature_keys"


class ProblemType:
    """What the outputs of a model are, which decides the signature of its SavedModel.

    Attributes:
        UNSPECIFIED: a predict signature.
        CLASSIFICATION: a classify signature.
        LINEAR_REGRESSION: a regress signature.
        LOGISTIC_REGRESSION: a classify signature.
    """

    UNSPECIFIED = 0
    CLASSIFICATION = 1
    LINEAR_REGRESSION = 2
    LOGISTIC_REGRESSION = 3
