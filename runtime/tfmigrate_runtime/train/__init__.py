"""What several of the modules that train share: waits, signals, reads after the last update."""

from tfmigrate_runtime.moved import install

install()
