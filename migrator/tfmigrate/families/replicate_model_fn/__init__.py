"""replicate_model_fn and TowerOptimizer."""
