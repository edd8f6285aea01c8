"""tf.contrib.distributions."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.distributions"
# Each was the class that is in tf.distributions (contrib/distributions/__init__.py).
NAMES: Mapping[str, Equivalent] = {
    name: Equivalent(f"distributions.{name}")
    for name in (
        "Bernoulli", "Beta", "Categorical", "Dirichlet", "DirichletMultinomial", "Distribution",
        "Exponential", "FULLY_REPARAMETERIZED", "Gamma", "Laplace", "Multinomial",
        "NOT_REPARAMETERIZED", "Normal", "RegisterKL", "ReparameterizationType", "StudentT",
        "Uniform", "kl_divergence",
    )
}  # fmt: skip
_BECAME = "it became TensorFlow Probability, whose classes combine its distributions only"
MISSING: Mapping[str, Missing] = {
    **{
        name: Missing(
            _BECAME, f"use tfp.distributions.{name}, and tfp.distributions for its parts, too"
        )
        for name in (
            "Independent",
            "Mixture",
            "MixtureSameFamily",
            "QuantizedDistribution",
            "TransformedDistribution",
        )
    },
    "bijectors": Missing(
        _BECAME, "use tfp.bijectors, and tfp.distributions for what they transform"
    ),
    "": Missing(
        "it became TensorFlow Probability; compat.v1's tf.distributions has the basic "
        "distributions (Normal, Bernoulli, Categorical, Beta, Gamma, Uniform, ...)",
        "use tf.distributions, or TensorFlow Probability (tfp.distributions)",
    ),
}
