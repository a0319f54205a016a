"""Protocol definitions, their generated code, and conversion from and to merger's types."""
