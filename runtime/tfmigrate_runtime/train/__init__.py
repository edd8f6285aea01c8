"""What trains: Estimators, between-graph programs, loops over towers, coordinators, strategies."""

from tfmigrate_runtime.train import quiet as quiet  # silences deprecation notices on import
