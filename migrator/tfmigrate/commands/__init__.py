"""The commands of the command line, one a module; each has ``main(arguments)``."""
