"""The program that is recorded: how it starts and ends, its processes, and the devices it finds.

Also what keeps a run from chance that is no random number: the time, the order of sets.
"""
