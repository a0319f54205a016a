"""Tests of the client library, against real servers."""
