"""Recordings from files, to and from MNE."""

import inspect
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import rao
from rao._recording import tool

testdata = Path(__file__).resolve().parents[2] / "internal/eeg/format/fif/testdata/some-epo.fif"


@pytest.fixture(scope="module")
def hands(tmp_path_factory):
    path = tmp_path_factory.mktemp("recordings") / "hands.xdf"
    tool("data", "recording", out=str(path), trials=20, seed=4)
    return path


def test_read(hands):
    r = rao.read(hands)
    assert r.data.shape == (16, 20000) and r.rate == 250 and len(r.event_sample) == 20 and set(r.event_label) == {"left", "right"}
    assert 1e-6 < r.data.std() < 1e-4 and not r.data.flags.writeable  # volts
    assert rao.read(hands, channels=["C3", "C4"]).channels == ["C3", "C4"]
    with pytest.raises(rao.RaoError, match="nope.gdf: no such file"):
        rao.read("nope.gdf")
    with pytest.raises(TypeError, match="unexpected keyword argument 'chanels'"):
        rao.read(hands, chanels=["C3"])
    with pytest.raises(rao.RaoError, match="no channel"):
        rao.read(hands, channels=["C99"])


def test_trials(hands):
    r = rao.read(hands)
    X, y, channels = r.trials({"L": "left", "R": "right"}, 0.5, 2.5)
    assert X.shape == (20, 16, 500) and set(y) == {"L", "R"} and channels == r.channels
    assert np.allclose(X[0], r.data[:, r.event_sample[0] + 125:][:, :500], rtol=1e-9)
    C, labels, _ = r.covariances(["left", "right"], 0.5, 2.5, bands="8-30", estimator="oas")
    assert C.shape == (20, 16, 16) and set(labels) == {"left", "right"}
    assert np.allclose(r.covariances(["left", "right"], 0.5, 2.5).X, rao.covariances(X), rtol=1e-6)
    with pytest.raises(rao.RaoError, match="up"):
        r.covariances(["up"], 0, 1)
    with pytest.raises(rao.RaoError, match="classes is 0.5, but must be a dict from class names to events, or a list of events"):
        r.trials(0.5, 2.5)
    for bands, text in (((8, 30), "8-30"), ([8, 30.0], "8-30"), ([(8, 12.5), (12.5, 16)], ["8-12.5", "12.5-16"]),
                        (np.array([[8, 12], [12, 16]]), "8-12,12-16")):
        assert np.array_equal(r.covariances(["left", "right"], 0.5, 2.5, bands=bands).X,
                              r.covariances(["left", "right"], 0.5, 2.5, bands=text).X)
    with pytest.raises(rao.RaoError, match="bands is 8.5j, but must be"):
        r.covariances(["left", "right"], 0.5, 2.5, bands=8.5j)
    for call in (lambda: r.covariances(["left", "right"], 0.5, 2.5, baseline=(-0.2, 0)), lambda: r.clean(fmin=8),
                 lambda: r.trials(["left", "right"], 0.5, 2.5, estimator="oas")):
        with pytest.raises(TypeError, match="unexpected keyword argument '(baseline|fmin|estimator)'"):
            call()
    memory = rao.Recording(r.data, r.channels, r.rate, event_sample=r.event_sample, event_label=r.event_label)
    with pytest.raises(rao.RaoError, match="^the recording: the band edge is 300 Hz"):
        memory.covariances(["left", "right"], 0.5, 2.5, bands="8-300")
    for channels in (["C4", "C3"], "C3"):
        a, b = (q.trials(["left", "right"], 0.5, 2.5, channels=channels) for q in (r, memory))
        assert a.channels == b.channels and np.allclose(a.X, b.X, rtol=1e-6)
    with pytest.raises(rao.RaoError, match="the recording has no channel 'C99'; it has Fp1, "):
        memory.trials(["left", "right"], 0.5, 2.5, channels=["C99"])
    with pytest.raises(rao.RaoError, match="kind is 'moves', but must be 'movement' or 'evoked'"):
        rao.simulate("moves")


def test_to_mne_and_back(hands):
    mne = pytest.importorskip("mne")
    r = rao.read(hands)
    raw = r.to_raw()
    assert raw.ch_names == r.channels and raw.info["sfreq"] == 250 and np.array_equal(raw.get_data(), r.data)
    assert list(raw.annotations.description) == r.event_label
    back = rao.Recording.from_mne(raw)
    assert np.array_equal(back.event_sample, r.event_sample) and back.event_label == r.event_label
    args = (["left", "right"], 0.5, 2.5)
    ours, again = r.covariances(*args, bands="8-30"), back.covariances(*args, bands="8-30")
    assert np.array_equal(ours.y, again.y) and np.allclose(ours.X, again.X, rtol=1e-6)
    epochs = r.to_epochs(["left", "right"], 0.5, 2.5)
    assert epochs.event_id == {"left": 1, "right": 2} and len(epochs) == 20 and epochs.tmin == 0.5
    theirs = mne.Epochs(raw, *mne.events_from_annotations(raw, verbose="error"), tmin=0.5, tmax=2.5, baseline=None,
                        preload=True, verbose="error")
    assert np.array_equal(epochs.get_data(), theirs.get_data()) and np.array_equal(epochs.events[:, 0], theirs.events[:, 0])
    assert np.array_equal(rao.covariances(epochs), rao.covariances(theirs))
    joined = rao.Recording.from_mne(epochs)
    again = joined.to_epochs()
    assert len(joined.breaks) == 19 and np.array_equal(again.get_data(), epochs.get_data())
    assert again.tmin == epochs.tmin and [again.event_id[k] for k in ("left", "right")] == [1, 2]
    assert np.array_equal(again.events[:, 2], epochs.events[:, 2])
    with pytest.raises(rao.RaoError, match="consists of epochs"):
        joined.covariances(["left", "right"])


def test_kinds_bads_and_units_of_mne(tmp_path):
    mne = pytest.importorskip("mne")
    info = mne.create_info(["Fz", "Cz", "EOG1", "Pz"], 100, ["eeg", "eeg", "eog", "eeg"])
    raw = mne.io.RawArray(1e-5 * np.random.default_rng(0).normal(size=(4, 1000)), info, verbose="error")
    raw.set_montage("standard_1020", verbose="error")
    raw.info["bads"] = ["Cz"]
    raw.set_annotations(mne.Annotations([1, 3, 5], [0, 0, 0.5], ["7", "8", "7"]))
    path = tmp_path / "a_raw.fif"
    raw.save(path, verbose="error")
    with pytest.warns(rao.RaoWarning, match="EOG1"):
        file = rao.read(path)
    assert file.channels == ["Fz", "Cz", "Pz"] and file.bads == ["Cz"]
    file = rao.read(path, kinds="all")
    memory = rao.Recording.from_mne(raw)
    assert file.channels == memory.channels == raw.ch_names and file.kinds == memory.kinds and file.bads == memory.bads
    assert np.allclose(file.data, memory.data, atol=1e-11) and np.allclose(memory.to_raw().get_data(), raw.get_data())
    assert np.array_equal(memory.event_code, [7, 8, 7]) and np.array_equal(memory.event_duration, [0, 0, 50])
    a, b = file.to_raw(), memory.to_raw()
    places = [np.array([r.info["chs"][i]["loc"][:3] for i in (0, 1, 3)]) for r in (raw, a, b)]
    for p in places[1:]:  # the directions of the electrodes
        unit = [q / np.linalg.norm(q, axis=1, keepdims=True) for q in (places[0], p)]
        assert np.allclose(unit[0], unit[1], atol=1e-3)
    with pytest.warns(rao.RaoWarning, match='marked as bad: Cz; bad="keep" uses them'):
        assert memory.covariances([7, 8], 0, 1).X.shape == (3, 2, 2)  # without eyes and bad channels
    for options, channels in (({"bad": "keep"}, ["Fz", "Cz", "Pz"]), ({"kinds": "eog"}, ["EOG1"]),
                              ({"kinds": ["eeg", "eog"], "bad": "keep"}, raw.ch_names), ({"kinds": "all", "bad": "keep"}, raw.ch_names),
                              ({"channels": "Pz,Fz"}, ["Pz", "Fz"]), ({"channels": ["EOG1"]}, ["EOG1"])):
        with pytest.warns(rao.RaoWarning):  # of the file: no EEG
            assert rao.read(path).trials([7], 0, 1, **options).channels == memory.trials([7], 0, 1, **options).channels == channels
    with pytest.raises(rao.RaoError, match="no channel of kind 'ecg'; it has eeg, eog"):
        memory.trials([7], 0, 1, kinds="ecg")
    with pytest.raises(rao.RaoError, match=r"bad is 'interpolate', but must be .*raw.interpolate_bads\(\)"):
        memory.trials([7], 0, 1, bad="interpolate")
    cropped = rao.Recording.from_mne(raw.copy().crop(2, 8))
    assert np.array_equal(cropped.event_sample, [100, 300])


@pytest.mark.parametrize("stimulus", [["STI 014"], ["STI101", "other"], ["first", "second"]])
def test_codes_in_stimulus_channels_are_events_as_in_the_file(stimulus, tmp_path):
    mne = pytest.importorskip("mne")
    codes = np.zeros((len(stimulus), 2000))
    for i in range(12):
        codes[i % len(stimulus), 100 + 150 * i:105 + 150 * i] = 1 + i % 3
    codes[0, 102:104] = 7  # increases before it falls to 0
    info = mne.create_info(["Cz", "Pz", *stimulus], 100, ["eeg", "eeg", *["stim"] * len(stimulus)])
    signals = 1e-5 * np.random.default_rng(0).normal(size=(2, 2000))
    raw = mne.io.RawArray(np.concatenate([signals, codes]), info, verbose="error")
    raw.info["bads"] = ["Pz"]
    raw.set_annotations(mne.Annotations([0.5, 9.7], [0, 0], ["start", "stop"]))
    path = tmp_path / "codes_raw.fif"
    raw.save(path, verbose="error")
    memory = rao.Recording.from_mne(mne.io.read_raw_fif(path, verbose="error"))
    with pytest.warns(rao.RaoWarning, match='; kinds="all" or channels keeps them'):
        file = rao.read(path)
    assert 5 < len(file.event_code) and {1, 2, 7} <= set(memory.event_code.tolist())
    assert sorted(zip(memory.event_sample, memory.event_code, memory.event_label)) == \
        sorted(zip(file.event_sample, file.event_code, file.event_label))
    with pytest.warns(rao.RaoWarning, match='marked as bad: Pz; bad="interpolate" or bad="keep" uses them'):
        assert file.trials([2], 0, 1).X.shape[1] == memory.trials([2], 0, 1).X.shape[1] == 1
    raw.set_annotations(mne.annotations_from_events(mne.find_events(raw, stimulus[0], verbose="error"), 100))
    assert len(rao.Recording.from_mne(raw).event_code) == len(file.event_code) - 2  # each event once
    with pytest.raises(rao.RaoError, match="source has the type ndarray, but must be Raw or Epochs of MNE"):
        rao.Recording.from_mne(codes)


def test_clean(tmp_path):
    path = tmp_path / "blinks.xdf"
    tool("data", "recording", out=str(path), trials=20, seed=4, blinks=10)
    r = rao.read(path)
    sources = r.clean(low=1, high=40)
    assert sources[0]["source"] == 1 and 0 < sources[0]["share"] <= 1
    blink = next(s["source"] for s in sources if "Fp1" in s["channels"][:2])
    cleaned = r.clean(blink, low=1, high=40)
    eyes = rao.Recording(np.vstack([r.data, r.data[:1]]), [*r.channels, "EOG1"], r.rate, kinds=[*r.kinds, "eog"])
    for eog in ("EOG1", ["EOG1"]):
        found = eyes.clean(low=1, high=40, eog=eog)
        assert [s["share"] for s in found] == pytest.approx([s["share"] for s in sources], rel=1e-5)
    at = r.channels.index("Fp1")
    assert eyes.clean("auto", low=1, high=40, eog="EOG1").data[at].std() < 0.8 * r.data[at].std()
    assert cleaned.data[at].std() < 0.8 * r.data[at].std() and cleaned.event_label == r.event_label


@pytest.mark.skipif(not testdata.exists(), reason="no checkout around the tests")
def test_a_recording_that_was_epochs():
    pytest.importorskip("mne")
    r = rao.read(testdata)
    epochs = r.to_epochs()
    assert epochs.get_data().shape[0] == len(r.breaks) + 1


@pytest.mark.parametrize("call, command", [(rao.read, "convert"), (rao.Recording.covariances, "cov"), (rao.Recording.trials, "cov"),
                                           (rao.Recording.clean, "clean")])
def test_keywords_are_options_of_the_tool(call, command):
    text = subprocess.run([rao.executable(), "eeg", command, "--help"], capture_output=True, text=True, check=True).stdout
    options = {o.replace("-", "_") for o in re.findall("--([a-z-]+)", text)}
    assert {*inspect.signature(call).parameters} - {"self", "source"} <= options
