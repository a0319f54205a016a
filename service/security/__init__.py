"""Who may call: TLS, tokens and rate limits."""
