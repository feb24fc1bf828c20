"""Measurements of Wayproof: tasks in, tables and plots out. Python 3.9 or newer, standard library only."""
