"""The rules: one file each, named after its code; the file's docstring is its documentation.

A rule module has CODE, NAME, SEVERITY, TARGET (the lowest TensorFlow its result runs on) and
``check(program)``, which yields drafts. ``tfmigrate.rulekit.registry`` finds it by being here.
"""
