"""Names of tf.contrib.training that tf_slim has, without a change."""

EVALUATION = (
    "StopAfterNEvalsHook", "SummaryAtEndHook", "checkpoints_iterator", "evaluate_once",
    "evaluate_repeatedly", "get_or_create_eval_step", "wait_for_new_checkpoint",
)  # fmt: skip
TRAINING = (
    "add_gradients_summaries", "clip_gradient_norms", "clip_gradient_norms_fn", "create_train_op",
    "multiply_gradients", "train",
)  # fmt: skip
