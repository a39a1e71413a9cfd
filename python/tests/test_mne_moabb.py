"""Epochs of MNE, and the evaluations of MOABB."""


import numpy as np
import pytest
from conftest import filtered

import rao

pytest.importorskip("sklearn")

from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import FunctionTransformer  # noqa: E402


@pytest.mark.filterwarnings("ignore")
def test_epochs_of_mne():
    mne = pytest.importorskip("mne")
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    signals = rng.normal(size=(80, 6, 250))
    signals[np.arange(80), y] *= 1.7
    events = np.stack([np.arange(80) * 300, np.zeros(80, int), y], 1)
    info = mne.create_info([f"C{i}" for i in range(6)], 125, "eeg")
    epochs = mne.EpochsArray(1e-6 * signals, info, events, event_id={"left": 0, "right": 1}, verbose="error")
    want = rao.covariances(epochs.get_data(), "oas")
    assert np.array_equal(rao.covariances(epochs, "oas"), want)
    assert np.array_equal(rao.Covariances("oas").fit_transform(epochs), want)
    decoder = make_pipeline(FunctionTransformer(rao.covariances), rao.TSLDA()).fit(epochs.get_data()[:60], epochs.events[:60, 2])
    assert decoder.score(epochs.get_data()[60:], epochs.events[60:, 2]) > 0.8
    whole = make_pipeline(rao.Covariances("oas"), rao.TSLDA())  # scikit-learn makes lists of Epochs
    assert np.array_equal(cross_val_score(whole, epochs, epochs.events[:, 2], cv=3),
                          cross_val_score(whole, epochs.get_data(), epochs.events[:, 2], cv=3))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["WithinSessionEvaluation", "CrossSessionEvaluation", "CrossSubjectEvaluation"])
def test_evaluations_of_moabb(kind, tmp_path, monkeypatch):
    pytest.importorskip("moabb")
    monkeypatch.setenv("MNE_DATA", str(tmp_path))
    from moabb import evaluations
    from moabb.datasets.fake import FakeDataset
    from moabb.paradigms import LeftRightImagery
    from pyriemann.classification import MDM
    from pyriemann.estimation import Covariances

    dataset = FakeDataset(["left_hand", "right_hand"], n_sessions=2, n_runs=1, n_subjects=2, paradigm="imagery", seed=1)
    evaluation = getattr(evaluations, kind)(paradigm=LeftRightImagery(), datasets=[dataset], suffix="rao", overwrite=True,
                                            hdf5_path=str(tmp_path), random_state=1)
    covariances = rao.Covariances("oas")
    pipelines = {"MDM": make_pipeline(FunctionTransformer(rao.covariances, kw_args={"estimator": "oas"}), rao.MDM()),
                 "TSLDA": make_pipeline(covariances, rao.TSLDA()), "CSP": make_pipeline(covariances, rao.CSP(filters=2)),
                 "tangent": make_pipeline(covariances, rao.TangentSpace(classifier=None), LogisticRegression()),
                 "distances": make_pipeline(covariances, rao.MDM(), LogisticRegression()),
                 "centered": make_pipeline(covariances, rao.Procrustes(), rao.MDM()),
                 "ENuc": make_pipeline(covariances, rao.ENuc()), "Xdawn": rao.Xdawn(filters_per_class=2)}
    pipelines["pyRiemann"] = make_pipeline(Covariances("oas"), MDM())
    results = evaluation.process(pipelines)
    assert set(results["pipeline"]) == set(pipelines)
    ours, theirs = (list(results[results["pipeline"] == name].sort_values(["subject", "session"])["score"])
                    for name in ("MDM", "pyRiemann"))
    assert ours == theirs  # MOABB's own folds
    assert results["score"].between(0, 1).all() and len(results) >= 4


def noise_with_a_stimulus_channel():
    """Epochs of noise, with a channel that tells the class, one of the eyes, and a bad one."""
    mne = pytest.importorskip("mne")
    rng = np.random.default_rng(26)
    y = np.arange(120) % 2
    signals = 1e-5 * rng.normal(size=(120, 6, 100))
    signals[:, 4] = y[:, None] + 1e-3 * rng.normal(size=(120, 100))
    info = mne.create_info(["Fz", "C3", "Cz", "C4", "STI 014", "EOG1"], 100, ["eeg"] * 4 + ["stim", "eog"])
    events = np.stack([np.arange(120) * 200, np.zeros(120, int), y], 1)
    epochs = mne.EpochsArray(signals, info, events, event_id={"left": 0, "right": 1}, verbose="error")
    epochs.info["bads"] = ["C3"]
    return epochs, y


def test_only_eeg_of_epochs_is_taken():
    epochs, y = noise_with_a_stimulus_channel()
    with pytest.warns(rao.RaoWarning, match=r"not EEG: STI 014 \(stim\), EOG1 \(eog\); marked as bad: C3") as caught:
        c = rao.covariances(epochs, "oas")
    assert caught[0].filename == __file__
    with pytest.warns(rao.RaoWarning, match="marked as bad: C3") as caught:
        fitted = rao.Xdawn().fit(epochs, y).set_output(transform="default")
        fitted.predict(epochs)
        fitted.transform(epochs)
    assert [w.filename for w in caught] == [__file__]  # of the fit: later calls use its channels
    data = epochs.get_data()
    assert np.array_equal(c, rao.covariances(data[:, [0, 2, 3]], "oas"))
    assert rao.covariances(epochs, picks="all").shape == (120, 6, 6)
    assert np.array_equal(rao.covariances(epochs, picks=["eeg", "eog"]), rao.covariances(data[:, [0, 2, 3, 5]]))
    assert np.array_equal(rao.covariances(epochs, picks=["C3", "C4"]), rao.covariances(data[:, [1, 3]]))
    with pytest.raises(rao.RaoError, match="named 'meg'; the epochs have eeg, eog, stim"):
        rao.covariances(epochs, picks="meg")
    with pytest.raises(rao.RaoError, match="no EEG channel is left in the epochs, which have eog, stim"):
        rao.covariances(epochs.copy().pick(["STI 014", "EOG1"]))
    flat = epochs.copy()
    flat._data[7, 2] = 0
    with pytest.raises(rao.RaoError, match=r"trial 7: channel Cz of the trial is constant \(0\), so it is flat or not connected; drop it"):
        rao.covariances(flat, picks=["C4", "Cz"])


@pytest.mark.filterwarnings("ignore:left out")
def test_channels_are_matched_by_name():
    epochs, y = noise_with_a_stimulus_channel()
    epochs._data[:, 2] *= 1 + y[:, None]  # Cz tells the classes apart
    other = epochs.copy().reorder_channels(["Cz", "STI 014", "Fz", "C4", "EOG1", "C3"])
    for clf in (rao.ERP(), make_pipeline(rao.Covariances(), rao.MDM())):
        clf.fit(epochs, y)
        assert np.array_equal(clf.predict_proba(other), clf.predict_proba(epochs))
        with pytest.raises(rao.RaoError, match="no channel Cz, which the model was fitted to"):
            clf.predict(epochs.copy().drop_channels("Cz"))
        bad = epochs.copy()
        bad.info["bads"] = ["Cz"]
        with pytest.raises(rao.RaoError, match="that are marked as bad in the epochs: Cz"):
            clf.predict(bad)
    order = rao.covariances(epochs, picks=["C4", "C3"])
    assert np.array_equal(order, rao.covariances(epochs.get_data()[:, [3, 1]]))


@pytest.mark.filterwarnings("ignore:left out")
def test_noise_with_a_stimulus_channel_is_noise():
    from sklearn.model_selection import StratifiedKFold

    epochs, y = noise_with_a_stimulus_channel()
    decoder = make_pipeline(FunctionTransformer(rao.covariances), rao.MDM())
    for clf in (decoder, rao.ERP()):
        scores = [clf.fit(epochs[train], y[train]).score(epochs[test], y[test])
                  for train, test in StratifiedKFold(5).split(y, y)]
        assert abs(np.mean(scores) - 0.5) < 0.14  # 120 trials: three deviations


@pytest.mark.filterwarnings("ignore")
def test_an_average_reference_that_is_due_is_refused():
    epochs, _ = noise_with_a_stimulus_channel()
    epochs.set_eeg_reference(projection=True, verbose="error")
    with pytest.raises(rao.RaoError, match="apply_proj"):
        rao.covariances(epochs)
    done = epochs.copy().apply_proj(verbose="error")
    assert np.array_equal(rao.covariances(done), rao.covariances(done.get_data()[:, [0, 2, 3]]))


def test_codes_that_are_called_eeg_are_reported():
    mne = pytest.importorskip("mne")
    rng = np.random.default_rng(1)
    x = 1e-5 * rng.normal(size=(20, 4, 300))
    x[:, 3] = 1.0 + np.arange(20)[:, None] % 2 * (np.arange(300) // 100 == 1)
    x[::2, 3, 250:] = 0
    events = np.stack([np.arange(20) * 300, np.zeros(20, int), np.arange(20) % 2], 1)
    epochs = mne.EpochsArray(x, mne.create_info(["c3-REF", "cz", "EEG 001", "EEG 002"], 512, "eeg"), events, verbose="error")
    with pytest.warns(rao.RaoWarning, match="have the type EEG, but look like event codes, .*: EEG 002; leave them out"):
        rao.covariances(epochs)
    with filtered("error"):
        assert rao.covariances(epochs, picks=["c3-REF", "cz", "EEG 001"]).shape == (20, 3, 3)


@pytest.mark.filterwarnings("ignore:left out")
def test_models_match_the_channels_of_epochs_by_name(tmp_path):
    epochs, y = noise_with_a_stimulus_channel()
    epochs._data[:, 2] *= 1 + y[:, None]
    other = epochs.copy().reorder_channels(["Cz", "STI 014", "Fz", "C4", "EOG1", "C3"])
    for clf in (rao.ERP(), rao.Xdawn()):
        clf.fit(epochs, y).save(tmp_path / "model.rao")
        for m in (clf.model_, rao.load(tmp_path / "model.rao")):
            assert m.channels == ["Fz", "Cz", "C4"]
            assert np.array_equal(m.predict_proba(other), clf.predict_proba(epochs))
            with pytest.raises(rao.RaoError, match="no channel Cz, which the model was fitted to"):
                m.predict(epochs.copy().drop_channels("Cz"))
    nameless = rao.ERP().fit(epochs.get_data(picks=["Fz", "Cz", "C4"]), y).model_
    assert nameless.channels is None
    with pytest.warns(rao.RaoWarning, match="no names of channels"):
        nameless.predict(epochs)


def test_messages_name_channels():
    mne = pytest.importorskip("mne")
    r = np.random.default_rng(0)
    y = np.arange(60) % 2
    info = mne.create_info(["Fz", "Cz", "Pz"], 100, "eeg")
    events = np.c_[np.arange(60) * 50, np.zeros(60, int), y + 1]

    def epochs(change):
        data = 1e-5 * r.normal(size=(60, 3, 50))
        change(data)
        return mne.EpochsArray(data, info, events, verbose="error")

    def one(data):
        data[7, 1] = 0

    def every(data):
        data[:, 1] = 0

    with pytest.raises(ValueError, match="^channel Cz of X is constant in every trial; leave out constant channels$"):
        rao.Xdawn().fit(epochs(every), y)
    for call in (lambda X: rao.ERP().fit(X, y), rao.ERP().fit(epochs(lambda data: None), y).predict, lambda X: rao.covariances(X, "oas")):
        with pytest.raises(ValueError, match="trial 7: channel Cz of the trial is constant"):
            call(epochs(one))
    with pytest.raises(ValueError, match="trial 7: channel 1 .counted from 0. of the trial is constant"):
        rao.ERP().fit(epochs(one).get_data(), y)
    whole = epochs(lambda data: None)
    for X, words in ((whole.average(), "EvokedArray; cut trials"), (mne.io.RawArray(r.normal(size=(3, 500)), info, verbose="error"), "RawArray")):
        with pytest.raises(ValueError, match=words):
            rao.ERP().fit(X, y)
    for e in (rao.LDA(), rao.MDM()):
        with pytest.raises(ValueError, match="EpochsArray; use a method of trials, such as ERP, or compute covariances"):
            e.fit(whole, y)
