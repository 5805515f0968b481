"""Track geometry: rail positions from laser camera and navigation, and what EN 13848 asks of them."""
