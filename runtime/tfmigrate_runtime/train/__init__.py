"""What trains: Estimators, between-graph programs, loops over towers, coordinators, strategies."""
