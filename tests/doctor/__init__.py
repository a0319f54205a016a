"""Tests of the command that looks for what is wrong with a set-up."""
