"""A bad line: damaged frames are dropped, whole ones come through, nothing wrong is accepted."""

from random import Random

import pytest

from firmware_interface import Deframer, EncoderSample, encode, to_packet
from tests.benchmarks.mutated_frames import MUTATIONS, Outcome, figures, study


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    """Of 20 000 mutated frames among as many whole ones."""
    return study(20_000, seed=7)


def test_no_mutated_frame_raises(outcome):
    assert outcome.mutated == 20_000
    assert outcome.exceptions == 0


def test_every_packet_between_two_whole_delimiters_is_decoded(outcome):
    assert outcome.untouched > 8_000
    assert outcome.untouched_decoded == outcome.untouched


def test_decoding_resumes_within_two_packets_of_the_damage(outcome):
    assert 1 <= outcome.resync <= 2


def test_no_mutated_frame_passes_for_another_packet(outcome):
    assert outcome.wrong == 0


@pytest.mark.parametrize("mutate", MUTATIONS, ids=lambda mutate: mutate.__name__)
def test_each_kind_of_damage_costs_two_packets_at_most(mutate):
    random = Random(3)
    sent = [to_packet(EncoderSample(count=i, status=0), sequence=i, ticks=1000 * i) for i in range(20)]
    for _ in range(200):
        frames = [encode(packet) for packet in sent]
        frames[8] = mutate(frames[8], random)
        received = Deframer().feed(b"".join(frames))
        assert [packet for packet in received if packet not in (sent[8], sent[9])] == sent[:8] + sent[10:]


def test_figures_have_name_value_and_unit():
    found = figures(500)
    assert [set(figure) for figure in found] == [{"name", "value", "unit"}] * len(found)
    assert {figure["name"]: figure["value"] for figure in found}["foundation.mutated_frames_exceptions"] == 0
