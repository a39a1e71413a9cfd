"""Epochs of MNE, and the evaluations of MOABB."""

import numpy as np
import pytest

import rao

pytest.importorskip("sklearn")

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
    decoder = make_pipeline(FunctionTransformer(rao.covariances), rao.TSLDA()).fit(epochs.get_data()[:60], epochs.events[:60, 2])
    assert decoder.score(epochs.get_data()[60:], epochs.events[60:, 2]) > 0.8


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["WithinSessionEvaluation", "CrossSessionEvaluation", "CrossSubjectEvaluation"])
def test_evaluations_of_moabb(kind, tmp_path, monkeypatch):
    pytest.importorskip("moabb")
    monkeypatch.setenv("MNE_DATA", str(tmp_path))
    from moabb import evaluations
    from moabb.datasets.fake import FakeDataset
    from moabb.paradigms import LeftRightImagery

    dataset = FakeDataset(["left_hand", "right_hand"], n_sessions=2, n_runs=1, n_subjects=2, paradigm="imagery", seed=1)
    evaluation = getattr(evaluations, kind)(paradigm=LeftRightImagery(), datasets=[dataset], suffix="rao", overwrite=True,
                                            hdf5_path=str(tmp_path), random_state=1)
    covariances = FunctionTransformer(rao.covariances, kw_args={"estimator": "oas"})
    pipelines = {"MDM": make_pipeline(covariances, rao.MDM()), "TSLDA": make_pipeline(covariances, rao.TSLDA()),
                 "features": make_pipeline(covariances, rao.TangentSpace(classifier="lda-raw"))}
    results = evaluation.process(pipelines)
    assert set(results["pipeline"]) == set(pipelines)
    assert results["score"].between(0, 1).all() and len(results) >= 4
