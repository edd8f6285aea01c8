"""What trains: Estimators, between-graph programs, loops over towers, coordinators, strategies."""

from tfmigrate_runtime import compat as compat  # refuses other versions of TensorFlow
