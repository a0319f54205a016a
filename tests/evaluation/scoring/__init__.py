"""Tests of client.evaluation.scoring, with a slow plain implementation of every metric to compare with."""
