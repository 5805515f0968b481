"""General mathematics as pure functions on arrays."""
