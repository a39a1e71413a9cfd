"""Pictures of spatial patterns."""

import numpy as np
import pytest
from conftest import spd_data

import rao

plt = pytest.importorskip("matplotlib.pyplot")
mne = pytest.importorskip("mne")
pytest.importorskip("sklearn")

from sklearn.pipeline import make_pipeline  # noqa: E402

names = ["Fz", "C3", "Cz", "C4", "Pz", "Oz"]


@pytest.fixture(autouse=True)
def close():
    plt.switch_backend("agg")
    yield
    plt.close("all")


def drawn(axes):
    """The axes that hold a map or a line."""
    return [a for a in axes if a.axison and (a.lines or a.images) or a.get_title()]


def test_patterns_without_a_covariance():
    X, y = spd_data(120, 6)
    signals = np.random.default_rng(0).normal(size=(60, 6, 80))
    info = mne.create_info(names + ["EOG"], 100, ["eeg"] * 6 + ["eog"])
    info.set_montage("standard_1020", on_missing="ignore")
    for fitted, titles in ((rao.CSP(filters=2).fit(X, y), ["pattern 1", "pattern 2"]),
                           (rao.Xdawn(filters_per_class=1).fit(signals, np.arange(60) % 2), ["pattern 1", "pattern 2"]),
                           (rao.TRCA().fit(signals, np.arange(60) % 2), ["pattern 1", "pattern 2"])):
        assert [a.get_title() for a in drawn(rao.plot_patterns(fitted, info=info))] == titles
        assert [a.get_title() for a in drawn(rao.plot_patterns(rao.load(fitted.model_.to_bytes())))] == titles
    for fitted in (rao.FgMDM().fit(X, y), rao.ENuc().fit(X, y)):
        got = [a.get_title() for a in drawn(rao.plot_patterns(fitted, info="standard_1020", names=names, most=2))]
        assert len(got) <= 6 and all(t.split(" ")[0] in ("direction", "0", "1", "2") for t in got)
    pipe = make_pipeline(rao.Covariances(), rao.CSP(filters=2)).fit(signals, np.arange(60) % 2)
    assert len(drawn(rao.plot_patterns(pipe, info=info))) == 2


def test_the_map_shows_the_pattern():
    X, y = spd_data(120, 6, classes=2)
    csp = rao.CSP(filters=2).fit(X, y)
    info = mne.create_info(names, 100, "eeg")
    info.set_montage("standard_1020")
    axes = rao.plot_patterns(csp, info=info)
    strongest = np.argmax(np.abs(csp.patterns_[:, 0]))
    values = axes[0].images[0].get_array()
    assert np.sign(values.flat[np.abs(values).argmax()]) == np.sign(csp.patterns_[strongest, 0])


def test_what_does_not_fit():
    X, y = spd_data(120, 6)
    csp = rao.CSP(filters=2).fit(X, y)
    info = mne.create_info(names[:4], 100, "eeg")
    for call, match in ((lambda: rao.plot_patterns(csp, info=info), "4 EEG channels"),
                        (lambda: rao.plot_patterns(csp, info="standard_1020"), "needs names"),
                        (lambda: rao.plot_patterns(csp, info=mne.create_info(names, 100, "eeg")), "no positions"),
                        (lambda: rao.plot_patterns(rao.MDM().fit(X, y)), "covariance is missing"),
                        (lambda: rao.plot_patterns(csp, info=info, names=["Q"] * 6), "no channel 'Q'")):
        with pytest.raises(ValueError, match=match):
            call()
