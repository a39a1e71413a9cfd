"""Estimators on matrices agree with those of pyRiemann where it has the class."""

import numpy as np
import pytest
from conftest import spd_data

import rao

pytest.importorskip("sklearn")
pytest.importorskip("pyriemann")

from pyriemann.classification import MDM, FgMDM, TSClassifier  # noqa: E402
from pyriemann.tangentspace import TangentSpace  # noqa: E402
from pyriemann.geometry.distance import distance  # noqa: E402
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402

pairs = [
    *((rao.MDM(metric=m), MDM(metric=m)) for m in ("riemann", "logeuclid", "euclid", "wasserstein")),
    (rao.FgMDM(), FgMDM()),
    (rao.TSLDA(shrinkage=None), TSClassifier(clf=LinearDiscriminantAnalysis())),
    (rao.TSLDA(), TSClassifier(clf=LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"))),
    (rao.TSLR(tol=1e-10), TSClassifier(clf=LogisticRegression(solver="newton-cg", tol=1e-12, max_iter=10000))),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("ours, theirs", pairs, ids=lambda e: repr(e)[:40])
def test_labels_and_probabilities(ours, theirs):
    X, y = spd_data(150, 8, seed=3)
    train, test = slice(0, 100), slice(100, None)
    ours.fit(X[train], y[train])
    theirs.fit(X[train], y[train])
    assert np.array_equal(ours.predict(X[test]), theirs.predict(X[test]))
    if hasattr(theirs, "predict_proba"):
        assert np.abs(ours.predict_proba(X[test]) - theirs.predict_proba(X[test])).max() < 1e-8


def test_tangent_vectors_and_distances():
    X, _ = spd_data()
    ts = TangentSpace().fit(X)
    assert np.allclose(rao.tangent(X, ts.reference_), ts.transform(X), atol=1e-10)
    for metric in ("riemann", "logeuclid", "euclid", "wasserstein", "logdet", "kullback_sym", "harmonic"):
        assert rao.distance(X[0], X[1], metric=metric) == pytest.approx(distance(X[0], X[1], metric=metric), rel=1e-9)


def test_functions_of_the_migration_page():
    from pyriemann.estimation import Covariances
    from pyriemann.geometry.distance import pairwise_distance
    from pyriemann.geometry.mean import mean_riemann

    X, y = spd_data()
    epochs = np.random.default_rng(0).normal(size=(12, 4, 60))
    assert np.allclose(rao.covariances(epochs, "oas"), Covariances("oas").transform(epochs), atol=1e-12)
    assert np.allclose(rao.mean(X), mean_riemann(X, tol=1e-10), atol=1e-9)
    assert np.allclose(rao.distance(X), pairwise_distance(X), atol=1e-9)
    ours, theirs = rao.TangentSpace(classifier=None).fit_transform(X, y), TangentSpace().fit_transform(X)
    assert np.allclose(ours, theirs, atol=1e-7)


@pytest.mark.filterwarnings("ignore")
def test_support_vectors():
    from pyriemann.classification import SVC

    X, y = spd_data(150, 8, seed=3)
    ours = rao.TSSVM(c=1).fit(X[:100], y[:100]).predict(X[100:])
    assert (ours == SVC().fit(X[:100], y[:100]).predict(X[100:])).mean() > 0.95


def test_tolerance_of_the_means():
    X, y = spd_data(150, 8, seed=3)
    p = rao.MDM().fit(X, y).predict_proba(X)
    e = rao.MDM(mean_tol=1e-8).fit(X, y)
    assert 1e-12 < e.model_.report["gradient_norm"] <= 1e-8 and e.model_.options == {"mean-tol": "1e-08"}
    assert np.abs(e.predict_proba(X) - p).max() < 1e-6
    with pytest.raises(ValueError, match="mean_tol is used only with metric riemann"):
        rao.MDM(metric="euclid", mean_tol=1e-8).fit(X, y)
