"""Steps of pipelines on matrices and trials, and what single methods have besides, against pyRiemann."""

import numpy as np
import pytest
from conftest import spd_data

import rao

pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402


def trials(n=90, channels=6, samples=100, classes=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    X = rng.normal(size=(n, channels, samples))
    X[np.arange(n), y] *= 2
    X[:, 3] += np.sin(np.arange(samples) / 8)[None] * (1 + y[:, None])
    return X, y


def same_directions(a, b):
    """Whether the columns are those of the other up to sign and length."""
    a, b = a / np.linalg.norm(a, axis=0), b / np.linalg.norm(b, axis=0)
    return np.abs(np.abs(np.sum(a * b, 0)) - 1).max() < 1e-6


def people(seed=0):
    """Two people, of whom the second's matrices are turned and stretched."""
    X, y = spd_data(240, 4, seed=seed)
    who = np.repeat(["s01", "s07"], 120)
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(4, 4)))[0] * [3, 1, 1, 2]
    X[120:] = turn @ X[120:] @ turn.T
    return X, y, who


def test_filters_and_patterns():
    pytest.importorskip("pyriemann")
    from pyriemann.spatialfilters import CSP, Xdawn

    X, y = spd_data(120, 6, classes=2)
    ours, theirs = rao.CSP(filters=4, keep_power=True).fit(X, y), CSP(4).fit(X, y)
    assert ours.filters_.shape == ours.patterns_.shape == (6, 4)
    assert same_directions(ours.filters_, theirs.filters_.T) and same_directions(ours.patterns_, theirs.patterns_.T)
    X, y = trials()
    ours, theirs = rao.Xdawn(filters_per_class=2).fit(X, y), Xdawn(2).fit(X, y)
    assert same_directions(ours.filters_, theirs.filters_.T) and same_directions(ours.patterns_, theirs.patterns_.T)
    kept = rao.Xdawn(filters_per_class=2, keep_channels=True).fit(X, y)
    assert not hasattr(kept, "filters_")


def test_patterns_of_classes_and_directions():
    X, y = spd_data(120, 6)
    C = rao.mean(X)
    for fitted, names in ((rao.ENuc().fit(X, y), {"0", "1", "2"}), (rao.FgMDM().fit(X, y), {"direction 1", "direction 2"})):
        f = fitted.model_.spatial
        assert f.filters.shape == f.patterns.shape == (6, len(f.of)) and len(f.weights) == len(f.of) and set(f.of) <= names
        assert same_directions(C @ f.filters, f.patterns)  # Haufe and others 2014
        assert np.array_equal(fitted.filters_, f.filters) and np.array_equal(fitted.patterns_, f.patterns)
        loaded = rao.load(fitted.model_.to_bytes())
        assert np.array_equal(loaded.spatial.patterns, f.patterns)
    assert rao.MDM().fit(X, y).model_.spatial is None


def test_filters_of_an_earlier_fit_are_gone():
    X, y = spd_data(120, 6)
    clf = rao.CSP().fit(X, y)
    assert clf.set_params(reduce="3", filters=2).fit(X, y) is clf
    assert not hasattr(clf, "filters_")  # they would be of the three columns before them


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("metric", ["riemann", "logeuclid", "euclid"])
def test_means_weights_and_distances_of_mdm(metric):
    pytest.importorskip("pyriemann")
    from pyriemann.classification import MDM

    X, y = spd_data(120, 6)
    w = np.random.default_rng(3).uniform(0.1, 2, len(X))
    ours, theirs = rao.MDM(metric=metric).fit(X, y, sample_weight=w), MDM(metric=metric).fit(X, y, sample_weight=w)
    assert np.allclose(ours.covmeans_, theirs.covmeans_, atol=1e-7)
    assert np.allclose(ours.transform(X), theirs.transform(X), atol=1e-6)
    assert not np.allclose(ours.covmeans_, rao.MDM(metric=metric).fit(X, y).covmeans_, atol=1e-3)
    assert ours.set_output(transform="default").get_feature_names_out().tolist() == ["mdm0", "mdm1", "mdm2"]
    with pytest.raises(ValueError, match="sample_weight has the shape"):
        rao.MDM().fit(X, y, sample_weight=w[:5])
    with pytest.raises(ValueError, match="weights and target exclude each other"):
        rao.MDM(target="recording=1").fit(X, y, recordings=np.arange(len(X)) % 2, sample_weight=w)
    with pytest.raises(AttributeError):
        rao.MDM().covmeans_


def test_tangent_space_and_back():
    X, y = spd_data(120, 6)
    ts = rao.TangentSpace(classifier="none").fit(X, y)
    assert np.allclose(ts.inverse_transform(ts.transform(X)), X, atol=1e-9)
    assert np.allclose(ts.reference_, rao.mean(X), atol=1e-9)
    flat = rao.TangentSpace(metric="logeuclid", classifier="none").fit(X, y)
    assert flat.reference_ is None
    with pytest.raises(ValueError, match="metric='riemann'"):
        flat.inverse_transform(flat.transform(X))


def test_covariances():
    X, y = trials()
    for estimator in ("sample", "oas", "ledoit_wolf", "schaefer_strimmer", "huber", "student", "tyler", "mcd", "correlation",
                      "rbf", "laplacian"):
        assert np.array_equal(rao.Covariances(estimator).fit_transform(X, y), rao.covariances(X, estimator))
    steps = make_pipeline(rao.Covariances("oas"), rao.TangentSpace(classifier="none"), LogisticRegression(max_iter=1000))
    assert cross_val_score(clone(steps), X, y).mean() > 0.9
    with pytest.raises(ValueError, match="estimator"):
        rao.Covariances("none of them").fit_transform(X)


@pytest.mark.filterwarnings("ignore")
def test_potato():
    pytest.importorskip("pyriemann")
    from pyriemann.artifact_detection import Potato, PotatoField

    X, _ = spd_data(120, 6)
    X[[5, 50]] *= 30
    ours, theirs = rao.Potato().fit(X), Potato(metric="riemann", threshold=3).fit(X)
    assert np.allclose(ours.transform(X), theirs.transform(X), atol=1e-6)
    assert np.array_equal(ours.predict(X), theirs.predict(X)) and set(np.flatnonzero(ours.predict(X) == 0)) >= {5, 50}
    assert np.allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    assert np.allclose(ours.covmean_, theirs._mdm.covmeans_[0], atol=1e-6)
    before = ours.covmean_
    ours.partial_fit(1.2 * X[:10], rate=0.2)
    assert 0.01 < rao.distance(before, ours.covmean_) < 1
    fields = [[0, 1], [2, 3, 4]]
    ours = rao.Potato(fields=fields).fit(X)
    theirs = PotatoField(n_potatoes=2, p_threshold=0.01, z_threshold=3).fit([X[:, f][:, :, f] for f in fields])
    assert np.allclose(ours.transform(X), theirs.transform([X[:, f][:, :, f] for f in fields]), atol=1e-6)
    assert np.array_equal(ours.predict(X), theirs.predict([X[:, f][:, :, f] for f in fields]))
    assert [m.shape for m in ours.covmean_] == [(2, 2), (3, 3)]
    for wrong in ({"fields": [[9]]}, {"threshold": -1}, {"metric": "none"}):
        with pytest.raises(ValueError):
            rao.Potato(**wrong).fit(X)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("scale", [False, True])
def test_procrustes_centers_and_scales_as_pyriemann_does(scale):
    pytest.importorskip("pyriemann")
    from pyriemann.transfer import TLCenter, TLScale, encode_domains

    X, y, who = people()
    Z = rao.Procrustes(target="s07", scale=scale).fit_transform(X, y, who)
    X_enc, y_enc = encode_domains(X, y, who)
    want = TLCenter("s07").fit_transform(X_enc, y_enc)
    assert np.allclose(rao.Procrustes().fit_transform(X, y, who), want, atol=1e-6)
    if scale:
        want = TLScale("s07", centered_data=True, final_dispersion=_dispersion(want[:120])).fit_transform(want, y_enc)
    assert np.allclose(Z, want, atol=1e-6)


def _dispersion(X):
    return np.mean(rao.distance(X, rao.mean(X)[None]) ** 2)


def test_procrustes_in_a_pipeline():
    X, y, who = people()
    new, y_new = X[180:], y[180:]
    X, y, who = X[:180], y[:180], who[:180]
    steps = make_pipeline(rao.Procrustes(target="s07", rotate=True), rao.MDM())
    assert steps.fit(X, y, procrustes__recordings=who).score(new, y_new) > 0.9
    assert rao.MDM().fit(X[who == "s01"], y[who == "s01"]).score(new, y_new) < 0.7
    step = rao.Procrustes(target="s07", scale=True, rotate=True)
    Z = step.fit_transform(X, y, who)
    assert np.allclose(step.transform(X[who == "s07"]), Z[who == "s07"], atol=1e-9)
    known = np.where((who == "s07") & (np.arange(len(y)) > 140), -1, y)
    assert np.isfinite(rao.Procrustes(target="s07", rotate=True).fit_transform(X, known, who)).all()
    alone = rao.Procrustes().fit(X)
    assert np.allclose(rao.mean(alone.transform(X[who == "s07"])), np.eye(4), atol=1e-7)
    for wrong, match in (({"rotate": True}, "name one by target"), ({"target": "s99"}, "none of the recordings")):
        with pytest.raises(ValueError, match=match):
            rao.Procrustes(**wrong).fit(X, y, who)
    with pytest.raises(ValueError, match="labeled"):
        rao.Procrustes(target="s07", rotate=True).fit(X, None, who)


@pytest.mark.filterwarnings("ignore")
def test_mdwm():
    pytest.importorskip("pyriemann")
    from pyriemann.transfer import MDWM, encode_domains

    X, y, who = people()
    X_enc, y_enc = encode_domains(X[:180], y[:180], who[:180])
    theirs = MDWM(domain_tradeoff=0.4, target_domain="s07").fit(X_enc, y_enc)
    ours = rao.MDM(target="recording=s07", target_weight=0.4).fit(X[:180], y[:180], recordings=who[:180])
    assert np.allclose(ours.covmeans_, theirs.covmeans_, atol=1e-6)
    assert np.array_equal(ours.predict(X[180:]).astype(str), theirs.predict(X[180:]).astype(str))


def test_kmeans():
    X, y = rao.riemannian_gaussian([np.eye(2), 6 * np.eye(2), [[9, -4], [-4, 3]]], 0.3, per_class=30, seed=3)
    clf = rao.MatrixKMeans(3).fit(X)
    groups = clf.labels_
    assert len({tuple(set(y[groups == g])) for g in range(3)}) == 3
    assert np.array_equal(clf.predict(X), groups) and clf.transform(X).shape == (90, 3)
    assert clf.inertia_ == pytest.approx(np.sum(clf.transform(X).min(1) ** 2))
    assert np.array_equal(clone(clf).fit_predict(X), groups)
    with pytest.raises(ValueError):
        rao.MatrixKMeans(200).fit(X)


@pytest.mark.filterwarnings("ignore")
def test_functions_of_matrices():
    pytest.importorskip("pyriemann")
    from pyriemann.classification import class_distinctiveness
    from pyriemann.geometry.mean import mean_power
    from pyriemann.geometry.median import median_riemann
    from pyriemann.stats import PermutationDistance

    X, y = spd_data(60, 4)
    assert rao.distinctiveness(X, y) == pytest.approx(class_distinctiveness(X, y, metric="riemann"), rel=1e-6)
    found = rao.manova(X, y, permutations=199)
    theirs = PermutationDistance(199, metric="riemann", mode="pairwise")
    theirs.test(X, y, verbose=False)
    assert found.F == pytest.approx(theirs.scores_[0], rel=1e-6) and found.permutations == 200 == len(found.all)
    assert np.mean(found.all >= found.F - 1e-12) == pytest.approx(found.p)
    assert rao.manova(X, np.random.default_rng(0).permutation(y), permutations=199).p > 0.02 > found.p
    assert np.allclose(rao.mean(X, kind="power", exponent=-0.5), mean_power(X, -0.5), atol=1e-6)
    assert np.allclose(rao.mean(X, kind="median"), median_riemann(X, tol=1e-9, maxiter=500), atol=1e-5)
    holes = X.copy()
    holes[0, 0] = holes[0, :, 0] = np.nan
    assert np.isfinite(rao.mean(holes, kind="masked")).all()
    assert rao.embed(X).shape == rao.embed(X, "lle").shape == (60, 2)
    assert rao.embed(X, components=3).shape == (60, 3)
    Z, labels = rao.riemannian_gaussian(np.eye(2), 0.5, per_class=400)
    assert np.allclose(rao.mean(Z), np.eye(2), atol=0.15) and (labels == 0).all()
    for call in (lambda: rao.mean(X, kind="mode"), lambda: rao.mean(X, metric="logdet", kind="power"),
                 lambda: rao.embed(X, "map"), lambda: rao.manova(X, np.zeros(60)), lambda: rao.riemannian_gaussian(-np.eye(2)),
                 lambda: rao.manova(X, y[:5]), lambda: rao.riemannian_gaussian(np.eye(2), per_class=10**12)):
        with pytest.raises(rao.RaoError):
            call()
