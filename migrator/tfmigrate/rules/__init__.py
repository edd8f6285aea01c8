"""The rules: one file each, named after its code and name; its docstring is its documentation.

A rule module has SEVERITY and ``check(program)``, which yields drafts; CODE, NAME and TARGET (2.16:
the lowest TensorFlow its result runs on) where the file's name does not say them.
``tfmigrate.rulekit.registry`` finds it by being here.
"""
