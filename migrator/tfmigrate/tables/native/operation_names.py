"""The names that TensorFlow 1.x gave to operations without a name; measured on 1.15.5."""

from __future__ import annotations

_NAMES = """
    abs=Abs add=Add add_n=AddN argmax=ArgMax clip_by_norm=clip_by_norm clip_by_value=clip_by_value
    concat=concat constant=Const div=div divide=truediv equal=Equal exp=Exp expand_dims=ExpandDims
    identity=Identity log=Log matmul=MatMul maximum=Maximum minimum=Minimum multiply=Mul
    negative=Neg norm=norm ones=ones placeholder=Placeholder pow=Pow random_normal=random_normal
    random_uniform=random_uniform reduce_max=Max reduce_mean=Mean reduce_min=Min reduce_prod=Prod
    reduce_sum=Sum reshape=Reshape rsqrt=Rsqrt shape=Shape sigmoid=Sigmoid sin=Sin sqrt=Sqrt
    square=Square squeeze=Squeeze stack=stack stop_gradient=StopGradient subtract=Sub tanh=Tanh
    to_float=ToFloat transpose=transpose truediv=truediv truncated_normal=truncated_normal
    zeros=zeros Variable=Variable
    nn.avg_pool=AvgPool nn.bias_add=BiasAdd nn.conv2d=Conv2D nn.dropout=dropout nn.elu=Elu
    nn.l2_loss=L2Loss nn.leaky_relu=LeakyRelu nn.log_softmax=LogSoftmax nn.max_pool=MaxPool
    nn.relu=Relu nn.relu6=Relu6 nn.sigmoid=Sigmoid nn.softmax=Softmax nn.softplus=Softplus
    nn.tanh=Tanh nn.sigmoid_cross_entropy_with_logits=logistic_loss
    nn.softmax_cross_entropy_with_logits=softmax_cross_entropy_with_logits_sg
    nn.softmax_cross_entropy_with_logits_v2=softmax_cross_entropy_with_logits
    nn.sparse_softmax_cross_entropy_with_logits=SparseSoftmaxCrossEntropyWithLogits
"""
NAMED = {
    f"tensorflow.{function}": name for function, name in (n.split("=") for n in _NAMES.split())
}
"""The name of the one operation, or the one scope, that a function makes."""

HELPERS = frozenset(("const", "rank", "range", "sub", "cast", "shape"))
"""Operations beside it that some of these functions make, in lower case."""

_OPERATORS = """
    add sub mul div truediv floordiv mod floormod pow neg abs matmul strided_slice greater
    greaterequal less lessequal equal notequal and or xor logicaland logicalor logicalnot
    logicalxor invert cast const
"""
OPERATORS = frozenset(_OPERATORS.split())
"""Those that operators of Python make, in lower case."""

_TRAINING = """
    gradients const const_1 beta1_power beta2_power adadelta adagrad adagradda adam ftrl
    gradientdescent momentum rmsprop proximaladagrad proximalgradientdescent noop assign fill
    sync_rep_local_step report_uninitialized_variables sync_replicas sync_token_q dummy_queue
    clip_by_norm global_norm clip_by_global_norm
"""
TRAINING = frozenset(_TRAINING.split())
"""Those that optimizers make, in lower case."""

_OTHERS = """
    assignadd assignsub average_pooling2d batch_normalization batch_size batchdatasetv2 batchnorm
    broadcastto buffer_size clip_by_global_norm cond conv1d conv2d conv2d_transpose cosinedecay
    cosinedecayrestarts count cumsum dense drop_remainder einsum embedding_lookup
    exponentialdecay filterdataset flatmapdataset flatten floor fully_connected gather gatherv2
    global_norm global_step group_deps in_top_k init intopkv2 inversetimedecay iterator
    iteratorgetnext iteratortostringhandle iteratorv2 l1_regularizer l2_normalize l2_regularizer
    linspace makeiterator mapdataset max_pooling2d mean_squared_error merge modeldataset moments
    normalize_element num_parallel_calls one_hot oneshotiterator optimizations optimizedataset pad
    parallelmapdataset piecewiseconstant polynomialdecay prefetchdataset random_shuffle
    randomuniform repeatdataset round save seed seed2 selu shuffledataset
    sigmoid_cross_entropy_loss sign slice softmax_cross_entropy_loss softsign
    sparse_softmax_cross_entropy_loss split squareddifference tensordataset tensordot
    tensorslicedataset tile todouble toint32 toint64 top_k topkv2 unstack where xw_plus_b
    zero_fraction zeros_like zipdataset ones_like all any normal
"""
POSSIBLE = (
    frozenset(name.lower() for name in NAMED.values())
    | HELPERS
    | OPERATORS
    | TRAINING
    | set(_OTHERS.split())
)
"""Names that other functions may give, in lower case."""

NOTHING = tuple(
    f"tensorflow.{name}"
    for name in (
        *("app.", "flags.", "examples.", "logging.", "gfile.", "python_io."),
        *("ConfigProto", "GPUOptions"),
        *("Session", "Graph", "set_random_seed", "reset_default_graph", "device", "get_collection"),
        *("get_default_graph", "summary.FileWriter", "trainable_variables", "global_variables"),
        *("train.ClusterSpec", "train.Server", "train.replica_device_setter", "TensorShape"),
        *("train.latest_checkpoint", "train.StopAtStepHook", "AUTO_REUSE", "Summary"),
        *("train.MonitoredTrainingSession", "train.get_checkpoint_state"),
    )
)
"""The beginnings of names of functions that make no operations where they are called."""
