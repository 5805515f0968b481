"""Wheel-rail contact: where wheel and rail touch, with what force, and what that does to the surfaces."""
