"""Names of older TensorFlow, most of them from before 1.0, which TensorFlow 1.15 does not have.

What became of those before 1.0 is in the release notes of TensorFlow 1.0 ("Breaking Changes to the
API").
"""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow"
# The parameters have the same names and order in both.
_RENAMED = {
    "app.flags.FlagsError": "app.flags.Error",
    "complex_abs": "abs",
    "concat_v2": "concat",
    "contrib.linalg.LinearOperatorTriL": "linalg.LinearOperatorLowerTriangular",
    # The base of the errors of python-gflags, whose place absl's flags took in 1.5.
    "flags.FlagsError": "flags.Error",
    "image.per_image_whitening": "image.per_image_standardization",
    "inv": "reciprocal",
    "list_diff": "setdiff1d",
    "listdiff": "setdiff1d",
    "merge_all_summaries": "summary.merge_all",
    "merge_summary": "summary.merge",
    "mul": "multiply",
    "neg": "negative",
    "nn.bidirectional_rnn": "nn.static_bidirectional_rnn",
    "nn.deconv2d": "nn.conv2d_transpose",
    "nn.rnn": "nn.static_rnn",
    "nn.state_saving_rnn": "nn.static_state_saving_rnn",
    "pack": "stack",
    "sub": "subtract",
    "train.SummaryWriter": "summary.FileWriter",
    "train.SummaryWriterCache": "summary.FileWriterCache",
    "unpack": "unstack",
}
# They had worked on one matrix; those next to them, on a batch, were taken together with them.
_BATCHED = (
    "cholesky", "cholesky_solve", "fft", "fft2d", "fft3d", "ifft", "ifft2d", "ifft3d",
    "matrix_band_part", "matrix_determinant", "matrix_diag", "matrix_diag_part", "matrix_inverse",
    "matrix_set_diag", "matrix_solve", "matrix_solve_ls", "matrix_transpose",
    "matrix_triangular_solve", "svd",
)  # fmt: skip
# tf.contrib.linalg became part of tf.linalg in 1.4, and was removed.
_LINEAR_OPERATORS = (
    "Composition", "Diag", "FullMatrix", "Identity", "LowerTriangular", "ScaledIdentity",
)  # fmt: skip
NAMES: Mapping[str, Equivalent] = {
    **{name: Equivalent(new) for name, new in _RENAMED.items()},
    **{
        f"contrib.linalg.LinearOperator{kind}": Equivalent(f"linalg.LinearOperator{kind}")
        for kind in ("", *_LINEAR_OPERATORS)
    },
    **{f"batch_{name}": Equivalent(name) for name in _BATCHED},
    # The logger called "tensorflow", which tf.logging showed until 1.12.
    "logging._logger": Equivalent("get_logger", called=True),
    "histogram_summary": Equivalent(
        "summary.histogram", ("", "", "collections", "name"), {"tag": "name", "name": None}
    ),
    "scalar_summary": Equivalent(
        "summary.scalar",
        ("", "", "collections", "name"),
        {"tags": "name", "values": "tensor", "name": None},
    ),
    "image_summary": Equivalent(
        "summary.image",
        ("", "", "max_images", "collections", "name"),
        {"tag": "name", "max_images": "max_outputs", "name": None},
    ),
    "audio_summary": Equivalent(
        "summary.audio",
        ("", "", "sample_rate", "max_outputs", "collections", "name"),
        {"tag": "name", "name": None},
    ),
    "batch_matmul": Equivalent(
        "matmul",
        ("", "", "adj_x", "adj_y", "name"),
        {"x": "a", "y": "b", "adj_x": "adjoint_a", "adj_y": "adjoint_b"},
    ),
    "select": Equivalent("where", ("", "", "", "name"), {"t": "x", "e": "y"}),
}
MISSING: Mapping[str, Missing] = {}
