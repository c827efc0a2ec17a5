"""Leaves: one per framework, each imported only by whoever uses that framework."""
