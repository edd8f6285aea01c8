"""Input functions of Estimators, and where they are given."""
