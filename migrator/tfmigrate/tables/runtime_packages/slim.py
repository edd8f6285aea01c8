"""What tfmigrate_runtime.slim has of tf.contrib.slim."""

from __future__ import annotations

from tfmigrate.tables.package import Package
from tfmigrate.tables.runtime_packages.layers import PACKAGE as LAYERS
from tfmigrate.tables.runtime_packages.losses import PACKAGE as LOSSES
from tfmigrate.tables.runtime_packages.metrics import PACKAGE as METRICS

_INITIALIZERS = frozenset(
    {
        "variance_scaling_initializer",
        "xavier_initializer",
        "xavier_initializer_conv2d",
    }
)
_LAYERS = frozenset(
    {
        "GDN",
        "avg_pool2d",
        "avg_pool3d",
        "batch_norm",
        "bias_add",
        "conv1d",
        "conv2d",
        "conv2d_in_plane",
        "conv2d_transpose",
        "conv3d",
        "conv3d_transpose",
        "convolution",
        "convolution1d",
        "convolution2d",
        "convolution2d_in_plane",
        "convolution2d_transpose",
        "convolution3d",
        "convolution3d_transpose",
        "dense_to_sparse",
        "dropout",
        "elu",
        "flatten",
        "fully_connected",
        "gdn",
        "images_to_sequence",
        "layer_norm",
        "legacy_fully_connected",
        "legacy_linear",
        "legacy_relu",
        "linear",
        "max_pool2d",
        "max_pool3d",
        "maxout",
        "one_hot_encoding",
        "pool",
        "relu",
        "relu6",
        "repeat",
        "scale_gradient",
        "separable_conv2d",
        "separable_convolution2d",
        "sequence_to_images",
        "softmax",
        "spatial_softmax",
        "stack",
        "unit_norm",
    }
)
_NORMALIZATION = frozenset(
    {
        "group_norm",
        "instance_norm",
    }
)
_REGULARIZERS = frozenset(
    {
        "apply_regularization",
        "l1_l2_regularizer",
        "l1_regularizer",
        "l2_regularizer",
        "sum_regularizer",
    }
)
# What slim.metrics lacks of tf.contrib.metrics.
_NOT_OF_METRICS = frozenset(
    {"confusion_matrix", "set_difference", "set_intersection", "set_size", "set_union"}
)

PACKAGE = Package(
    "tensorflow.contrib.slim",
    "tfmigrate_runtime.slim",
    {
        "": frozenset(
            {
                "OPTIMIZER_CLS_NAMES",
                "OPTIMIZER_SUMMARIES",
                "RevBlock",
                "VariableDeviceChooser",
                "adaptive_clipping_fn",
                "add_arg_scope",
                "add_model_variable",
                "arg_scope",
                "arg_scope_func_key",
                "arg_scoped_arguments",
                "assert_global_step",
                "assert_or_get_global_step",
                "assign_from_checkpoint",
                "assign_from_checkpoint_fn",
                "assign_from_values",
                "assign_from_values_fn",
                "bow_encoder",
                "bucketize",
                "create_global_step",
                "current_arg_scope",
                "embed_sequence",
                "filter_variables",
                "get_global_step",
                "get_local_variables",
                "get_model_variables",
                "get_or_create_global_step",
                "get_trainable_variables",
                "get_unique_variable",
                "get_variable_full_name",
                "get_variables",
                "get_variables_by_name",
                "get_variables_by_suffix",
                "get_variables_to_restore",
                "global_variable",
                "has_arg_scope",
                "local_variable",
                "model_variable",
                "optimize_loss",
                "recompute_grad",
                "rev_block",
                "safe_embedding_lookup_sparse",
                "summarize_activation",
                "summarize_activations",
                "summarize_biases",
                "summarize_collection",
                "summarize_tensor",
                "summarize_tensors",
                "summarize_variables",
                "summarize_weights",
                "variable",
            }
        )
        | _INITIALIZERS
        | _LAYERS
        | _NORMALIZATION
        | _REGULARIZERS
        | LAYERS.modules[""],
        "data_decoder": frozenset(
            {
                "DataDecoder",
            }
        ),
        "data_provider": frozenset(
            {
                "DataProvider",
            }
        ),
        "dataset": frozenset(
            {
                "Dataset",
            }
        ),
        "dataset_data_provider": frozenset(
            {
                "DatasetDataProvider",
            }
        ),
        "evaluation": frozenset(
            {
                "checkpoints_iterator",
                "evaluate_once",
                "evaluation_loop",
                "wait_for_new_checkpoint",
            }
        ),
        "initializers": _INITIALIZERS,
        "layers": _LAYERS,
        "learning": frozenset(
            {
                "add_gradients_summaries",
                "clip_gradient_norms",
                "create_train_op",
                "multiply_gradients",
                "train",
                "train_step",
            }
        ),
        "losses": LOSSES.modules[""],
        "metrics": METRICS.modules[""] - _NOT_OF_METRICS,
        "model_analyzer": frozenset(
            {
                "analyze_ops",
                "analyze_vars",
                "tensor_description",
            }
        ),
        "nets": frozenset(
            {
                "alexnet",
                "inception",
                "inception_v1",
                "inception_v2",
                "inception_v3",
                "overfeat",
                "resnet_utils",
                "resnet_v1",
                "resnet_v2",
                "vgg",
            }
        ),
        "nets.alexnet": frozenset(
            {
                "alexnet_v2",
                "alexnet_v2_arg_scope",
            }
        ),
        "nets.inception": frozenset(
            {
                "inception_v1",
                "inception_v1_arg_scope",
                "inception_v1_base",
                "inception_v2",
                "inception_v2_arg_scope",
                "inception_v2_base",
                "inception_v3",
                "inception_v3_arg_scope",
                "inception_v3_base",
            }
        ),
        "nets.inception_v1": frozenset(
            {
                "inception_v1",
                "inception_v1_arg_scope",
                "inception_v1_base",
            }
        ),
        "nets.inception_v2": frozenset(
            {
                "inception_v2",
                "inception_v2_arg_scope",
                "inception_v2_base",
            }
        ),
        "nets.inception_v3": frozenset(
            {
                "inception_v3",
                "inception_v3_arg_scope",
                "inception_v3_base",
            }
        ),
        "nets.overfeat": frozenset(
            {
                "overfeat",
                "overfeat_arg_scope",
            }
        ),
        "nets.resnet_utils": frozenset(
            {
                "Block",
                "conv2d_same",
                "resnet_arg_scope",
                "stack_blocks_dense",
                "subsample",
            }
        ),
        "nets.resnet_v1": frozenset(
            {
                "bottleneck",
                "resnet_arg_scope",
                "resnet_v1",
                "resnet_v1_101",
                "resnet_v1_152",
                "resnet_v1_200",
                "resnet_v1_50",
                "resnet_v1_block",
            }
        ),
        "nets.resnet_v2": frozenset(
            {
                "bottleneck",
                "resnet_arg_scope",
                "resnet_v2",
                "resnet_v2_101",
                "resnet_v2_152",
                "resnet_v2_200",
                "resnet_v2_50",
                "resnet_v2_block",
            }
        ),
        "nets.vgg": frozenset(
            {
                "vgg_16",
                "vgg_19",
                "vgg_a",
                "vgg_arg_scope",
                "vgg_d",
                "vgg_e",
            }
        ),
        "normalization": _NORMALIZATION,
        "parallel_reader": frozenset(
            {
                "ParallelReader",
                "get_data_files",
                "parallel_read",
                "single_pass_read",
            }
        ),
        "prefetch_queue": frozenset(
            {
                "prefetch_queue",
            }
        ),
        "queues": frozenset(
            {
                "NestedQueueRunnerError",
                "QueueRunners",
            }
        ),
        "regularizers": _REGULARIZERS,
        "summaries": frozenset(
            {
                "add_histogram_summaries",
                "add_histogram_summary",
                "add_image_summaries",
                "add_image_summary",
                "add_scalar_summaries",
                "add_scalar_summary",
                "add_zero_fraction_summaries",
                "add_zero_fraction_summary",
            }
        ),
        "tfexample_decoder": frozenset(
            {
                "BackupHandler",
                "BoundingBox",
                "Image",
                "ItemHandler",
                "ItemHandlerCallback",
                "LookupTensor",
                "SparseTensor",
                "TFExampleDecoder",
                "Tensor",
            }
        ),
        "utils": LAYERS.modules["utils"],
    },
)
