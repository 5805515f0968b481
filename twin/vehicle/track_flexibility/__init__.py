"""The track that gives way under the wheels: its beams, their receptance, and the few modes that stand for them."""
