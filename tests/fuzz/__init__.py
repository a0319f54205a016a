"""Damaged input to everything that reads what others wrote: only errors meant for the user may come out."""
