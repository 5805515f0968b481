"""Compiled kernels are never older than what they call."""

from pathlib import Path

from twin.numerics.compiled import cache_directory


def test_a_changed_kernel_starts_a_fresh_cache(tmp_path: Path):
    kernel, other = tmp_path / "kernel.py", tmp_path / "other.py"
    kernel.write_text("@compiled\ndef f(): return 1\n")
    other.write_text("def g(): return 1\n")
    first = cache_directory(tmp_path)
    other.write_text("def g(): return 2\n")
    assert cache_directory(tmp_path) == first
    kernel.write_text("@compiled\ndef f(): return 2\n")
    assert cache_directory(tmp_path) != first
