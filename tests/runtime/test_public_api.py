"""The migrator's table of the runtime's names is the runtime's."""

from __future__ import annotations

from tfmigrate import runtime_api
from tfmigrate_runtime import estimator


def test_the_package_is_the_one_that_migrated_programs_import() -> None:
    assert estimator.__name__ == runtime_api.RUNTIME_MODULE


def test_names_agree() -> None:
    assert set(estimator.__all__) == runtime_api.NAMES | set(runtime_api.SUBMODULES)
    for name in estimator.__all__:
        assert hasattr(estimator, name)
        assert runtime_api.offers(name)


def test_names_of_modules_agree() -> None:
    for module_name, names in runtime_api.SUBMODULES.items():
        module = getattr(estimator, module_name)
        own = set(getattr(module, "__all__", ())) or {
            name
            for name, value in vars(module).items()
            if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
        }
        assert all(hasattr(module, name) for name in own)
        assert own == names
