"""Simulated truth and emulated sensors. Shares no equation with the estimators judged on it."""
