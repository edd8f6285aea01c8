"""What TensorFlow 1.15 reported metrics as that ``compile`` is given by another name."""

# By the name in `metrics=`, as training_utils.get_metric_name of 1.15 returns it;
# tests/keras/test_metric_names.py compares the results.
REPORTED_AS = {
    "accuracy": "acc",
    "crossentropy": "ce",
    "cosine_similarity": "cosine_proximity",
    **dict.fromkeys(("mae", "MAE"), "mean_absolute_error"),
    **dict.fromkeys(("mse", "MSE"), "mean_squared_error"),
    **dict.fromkeys(("mape", "MAPE"), "mean_absolute_percentage_error"),
    **dict.fromkeys(("msle", "MSLE"), "mean_squared_logarithmic_error"),
}
