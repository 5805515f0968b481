"""Sources of images: every kind gives the same form, and what is bad is counted and left out."""

from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sensors.host_clock import SystemClock
from sensors.laser_camera import (
    INDEX,
    AravisImages,
    DeviceImages,
    FileImages,
    Image,
    ImageSource,
    VideoImages,
    folder_images,
    read_image,
)
from twin.core.errors import DeviceError, RecordingError

SHAPE = (64, 96)


def _image(value: int) -> Image:
    image = np.full(SHAPE, value, dtype=np.uint8)
    image[30:33] = 200
    return image


def _write(path: Path, image: np.ndarray) -> Path:
    assert cv2.imwrite(str(path), image)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for i in range(5):
        _write(tmp_path / f"{i:04d}.png", _image(10 * i))
    return tmp_path


def _values(source: ImageSource) -> list[tuple[int, int]]:
    return [(t_ns, int(image[0, 0])) for t_ns, image in source.frames()]


def test_a_folder_without_index_is_read_by_name_at_its_rate(folder: Path) -> None:
    source = folder_images(folder, rate=100.0)
    assert _values(source) == [(i * 10_000_000, 10 * i) for i in range(5)]
    assert not source.faults


def test_an_index_gives_times_and_order(folder: Path) -> None:
    lines = ["t_ns,file"] + [f"{1000 + 7 * i},{i:04d}.png" for i in (0, 2, 4)]
    (folder / INDEX).write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert _values(folder_images(folder)) == [(1000, 0), (1014, 20), (1028, 40)]


def test_bad_files_are_counted_and_left_out(folder: Path) -> None:
    (folder / "0001.png").write_bytes(b"\x89PNG no more")
    (folder / "0002.png").write_bytes(b"")
    _write(folder / "0003.png", np.zeros((8, 8), dtype=np.uint8))
    _write(folder / "0005.png", np.zeros(SHAPE, dtype=np.uint16))
    source = FileImages.at_rate([folder / f"{i:04d}.png" for i in range(7)], 100.0)
    assert [value for _, value in _values(source)] == [0, 40]
    assert source.faults == {"damaged": 1, "empty": 1, "other size": 1, "not 8 bit": 1, "not readable": 1}


def test_a_time_that_steps_back_is_left_out(folder: Path) -> None:
    source = FileImages([(t, folder / f"{i:04d}.png") for i, t in enumerate((5, 9, 7, 9, 12))])
    assert [t for t, _ in _values(source)] == [5, 9, 12]
    assert source.faults == {"not later": 2}


def test_an_index_leads_out_of_its_folder_nowhere(folder: Path) -> None:
    inner = folder / "inner"
    inner.mkdir()
    _write(inner / "a.png", _image(1))
    lines = ["t_ns,file", "1,../0000.png", f"2,{folder / '0001.png'}", "three,a.png", "4", "5,a.png"]
    (inner / INDEX).write_text("\n".join(lines), encoding="utf-8")
    source = folder_images(inner)
    assert _values(source) == [(5, 1)]
    assert source.faults == {"index": 4}


def test_colour_is_reduced_to_its_brightness(tmp_path: Path) -> None:
    grey = _image(77)
    image, _ = read_image(_write(tmp_path / "colour.png", np.repeat(grey[:, :, None], 3, axis=2)))
    np.testing.assert_array_equal(image, grey)


def test_a_heading_that_promises_gigabytes_is_refused(tmp_path: Path) -> None:
    data = bytearray(_write(tmp_path / "a.png", _image(1)).read_bytes())
    data[16:24] = (60_000).to_bytes(4, "big") * 2
    (tmp_path / "a.png").write_bytes(data)
    assert read_image(tmp_path / "a.png") == (None, "too large")


@settings(derandomize=True, deadline=None)
@given(cut=st.integers(0, 200), place=st.integers(0, 199), value=st.integers(0, 255))
def test_no_damage_to_a_file_is_an_exception(
    tmp_path_factory: pytest.TempPathFactory, cut: int, place: int, value: int
) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    data = bytearray(_write(folder / "a.png", _image(1)).read_bytes())
    data[place % len(data)] = value
    (folder / "a.png").write_bytes(data[: len(data) - cut % len(data)])
    image, fault = read_image(folder / "a.png")
    assert (image is None) == bool(fault)


def test_a_video_gives_its_images_at_its_rate(tmp_path: Path) -> None:
    path = tmp_path / "run.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*"FFV1"), 50.0, SHAPE[::-1], False)
    if not writer.isOpened():
        pytest.skip("this OpenCV writes no lossless video")
    for i in range(4):
        writer.write(_image(20 * i))
    writer.release()
    assert _values(VideoImages(path)) == [(i * 20_000_000, 20 * i) for i in range(4)]


def test_sources_that_cannot_be_opened_say_so(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="no such folder"):
        folder_images(tmp_path / "none")
    with pytest.raises(RecordingError, match="no such video"):
        VideoImages(tmp_path / "none.avi")
    (tmp_path / "bad.avi").write_bytes(b"no video")
    with pytest.raises(RecordingError, match="no video that can be read"):
        list(VideoImages(tmp_path / "bad.avi").frames())
    with pytest.raises(DeviceError, match="no camera opens there"):
        list(DeviceImages(str(tmp_path / "video"), SystemClock()).frames())


def test_the_fake_camera_of_aravis_gives_images() -> None:
    try:
        source = AravisImages("Fake_1", SystemClock())
    except DeviceError as error:
        pytest.skip(str(error))
    images = source.frames()
    first, second = next(images), next(images)
    assert first.image.ndim == 2
    assert second.t_ns > first.t_ns


def test_without_aravis_a_person_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(f"No module named '{name}'")

    monkeypatch.setattr("sensors.laser_camera.importlib.import_module", missing)
    with pytest.raises(DeviceError, match=r"gir1\.2-aravis-0\.8"):
        AravisImages(None, SystemClock())
