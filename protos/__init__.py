"""Protocol definitions, their generated code, conversion from and to merger's types, and the service's answers."""
