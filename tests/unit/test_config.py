"""The configuration: strict, helpful about mistakes, and the same after a round through text."""

import re
import tomllib
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sensors.config import DeviceConfig, DeviceKind
from twin.cli.config import RunConfig, load_config, parse_config
from twin.cli.example import commented_example, example_config
from twin.cli.keys import find, keys_of
from twin.cli.toml_text import to_toml
from twin.core.errors import ConfigError
from twin.core.places import Direction

KEYS = st.text(min_size=1, max_size=8)
NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False)
SCALARS = NUMBERS | st.booleans() | st.text(max_size=20)
TABLES = st.recursive(
    st.dictionaries(KEYS, SCALARS | st.lists(SCALARS, max_size=3), max_size=4),
    lambda inner: st.dictionaries(KEYS, SCALARS | inner | st.lists(inner, max_size=3), max_size=4),
    max_leaves=8,
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "run.toml"
    path.write_text(example_config().to_toml())
    return path


def mistake(file: Path, old: str, new: str) -> str:
    """What load_config says after one edit."""
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    with pytest.raises(ConfigError) as caught:
        load_config(file)
    message = str(caught.value)
    assert message.startswith(str(file))
    return message


@settings(derandomize=True, deadline=None)
@given(TABLES)
def test_any_table_reads_back_as_it_was_written(table: dict[str, object]) -> None:
    assert tomllib.loads(to_toml(table)) == table


def test_effective_configuration_reads_back_identical(file: Path) -> None:
    config = load_config(file)
    assert config == example_config()
    assert parse_config(config.to_toml(), where="recording") == config
    assert parse_config(config.to_toml(), where="recording").to_toml() == config.to_toml()


def test_device_of_every_kind_reads_back_identical() -> None:
    config = example_config()
    kinds = get_args(DeviceKind)
    others = tuple(DeviceConfig.model_validate({"name": f"extra_{kind}", "kind": kind}) for kind in kinds)
    every = config.model_copy(update={"device": config.device + others})
    assert parse_config(every.to_toml(), where="text") == every


def test_numbers_survive_the_text_to_the_last_bit() -> None:
    config = example_config()
    odd = config.model_copy(update={"run": config.run.model_copy(update={"start_s": 0.1 + 0.2})})
    assert parse_config(odd.to_toml(), where="text").run.start_s == 0.1 + 0.2


def test_commented_example_is_a_good_configuration() -> None:
    assert parse_config(commented_example(), where="example") == example_config()


def test_commented_example_explains_every_key_it_holds() -> None:
    text = " ".join(re.sub(r"^# ", "", line) for line in commented_example().splitlines())
    text = re.sub(r" +", " ", text)
    for key in keys_of(RunConfig).values():
        if key.name.startswith(("run.", "vehicle.", "recording.", "track.horizontal.")):
            assert key.remark() in text, key.name


def test_every_key_has_a_meaning() -> None:
    assert [key.name for key in keys_of(RunConfig).values() if not key.meaning] == []


def test_unknown_key_is_refused_with_the_nearest_one(file: Path) -> None:
    message = mistake(file, "wheel_radius", "wheel_radios")
    assert "unknown key 'vehicle.wheel_radios': did you mean 'wheel_radius'?" in message


def test_unknown_key_inside_a_list_is_refused_with_the_nearest_one(file: Path) -> None:
    assert "unknown key 'device.0.nane': did you mean 'name'?" in mistake(file, 'name = "imu"', 'nane = "imu"')


def test_unknown_section_is_refused_with_the_nearest_one(file: Path) -> None:
    assert "did you mean 'vehicle'?" in mistake(file, "[vehicle]", "[vehicel]")


def test_value_out_of_range_names_key_value_and_limit(file: Path) -> None:
    message = mistake(file, "wheel_radius = 0.46", "wheel_radius = 460.0")
    assert "'vehicle.wheel_radius' = 460.0" in message
    assert "less than 1" in message


def test_syntax_error_names_the_line(file: Path) -> None:
    line = file.read_text().splitlines().index("wheel_radius = 0.46") + 1
    assert f"at line {line}" in mistake(file, "wheel_radius = 0.46", "wheel_radius = 0,46")


def test_missing_file_says_how_to_write_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.toml: no such file; write one with: railtwin config new"):
        load_config(tmp_path / "nowhere.toml")


def test_directory_instead_of_a_file_is_a_configuration_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(tmp_path)


def test_file_that_is_not_text_is_a_configuration_error(file: Path) -> None:
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="UTF-8"):
        load_config(file)


def test_two_devices_must_not_share_a_name(file: Path) -> None:
    assert "two devices share the name 'imu'" in mistake(file, 'name = "encoder"', 'name = "imu"')


def test_two_devices_must_not_share_a_port(file: Path) -> None:
    assert "two devices share the port '/dev/ttyUSB0'" in mistake(file, "ttyUSB1", "ttyUSB0")


@pytest.mark.parametrize("kind", ["imu", "encoder"])
def test_navigation_needs_a_device_of_each_kind(kind: str) -> None:
    data = example_config().model_dump(mode="json", exclude_none=True)
    data["device"] = [device for device in data["device"] if device["kind"] != kind]
    with pytest.raises(ConfigError, match=f"no device of kind '{kind}'"):
        RunConfig.load(data, where="test")


def test_navigation_names_a_device_of_the_right_kind(file: Path) -> None:
    message = mistake(file, '[navigation]\nimu = "imu"', '[navigation]\nimu = "encoder"')
    assert "navigation.imu = 'encoder' is no imu here: choose imu" in message


def test_run_must_start_on_the_track(file: Path) -> None:
    message = mistake(file, "start_s = 0.0", "start_s = 1000.5")
    assert "run.start_s = 1000.5 m lies beyond the track's end at 1000 m" in message


def test_check_across_keys_does_not_print_the_whole_configuration(file: Path) -> None:
    assert len(mistake(file, "ttyUSB1", "ttyUSB0")) < 300


def test_check_across_keys_says_nothing_before_its_own_words(file: Path) -> None:
    message = mistake(file, "start_s = 0.0", "start_s = 1000.5")
    assert message.removeprefix(f"{file}: ").startswith("run.start_s = 1000.5 m")


def test_direction_is_one_of_two_words(file: Path) -> None:
    message = mistake(file, 'direction = "increasing"', 'direction = "up"')
    assert all(direction.value in message for direction in Direction)


def test_design_file_takes_the_place_of_the_elements(file: Path) -> None:
    whole = load_config(file)
    text = file.read_text()
    start, end = text.index("[track]"), text.index("[vehicle]")
    (file.parent / "design.toml").write_text(text[start:end].removeprefix("[track]"))
    file.write_text(text[:start] + '[track]\nfile = "design.toml"\n\n' + text[end:])
    assert load_config(file) == whole


def test_missing_design_file_names_the_key_to_correct(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text('[track]\nfile = "lost.toml"\n')
    with pytest.raises(ConfigError, match=r"lost\.toml: no such file; correct track\.file in .*run\.toml"):
        load_config(file)


def test_design_file_and_elements_together_are_ambiguous(file: Path) -> None:
    assert "not both" in mistake(file, "[track]", '[track]\nfile = "design.toml"')


def test_mistake_in_the_design_file_names_that_file(tmp_path: Path) -> None:
    (tmp_path / "design.toml").write_text("horizontal = [{ lenght = 5.0 }]\n")
    (tmp_path / "run.toml").write_text('[track]\nfile = "design.toml"\n')
    with pytest.raises(ConfigError, match=r"design\.toml: .*did you mean 'length'\?"):
        load_config(tmp_path / "run.toml")


def test_design_joins_the_configured_elements() -> None:
    design = example_config().track.design()
    assert design.length == 1000.0
    assert design.curvature.value.max() == 0.0016


def test_key_is_found_by_its_last_part() -> None:
    assert [key.name for key in find(keys_of(RunConfig), "wheel_radius")] == ["vehicle.wheel_radius"]


def test_section_explains_all_its_keys() -> None:
    names = [key.name for key in find(keys_of(RunConfig), "run")]
    assert names[0] == "run"
    assert set(names[1:]) == {f"run.{key}" for key in ("name", "direction", "start_s", "start_sd", "speed_limit")}


def test_unknown_key_to_explain_gets_the_nearest_one() -> None:
    with pytest.raises(ConfigError, match=r"did you mean 'vehicle\.wheel_radius'\?"):
        find(keys_of(RunConfig), "wheel_radus")


def test_remarks_tell_kind_limits_and_default() -> None:
    (key,) = find(keys_of(RunConfig), "vehicle.wheel_radius")
    assert key.remark().endswith("(number, above 0.1, below 1.0, default 0.46)")
