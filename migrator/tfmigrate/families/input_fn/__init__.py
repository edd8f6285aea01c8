"""Input functions of Estimators, and where they are passed."""
