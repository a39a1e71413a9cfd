"""Steps of pipelines on matrices and trials, and what single methods have besides, against pyRiemann."""

import numpy as np
import pytest
from conftest import diagonals, spd_data

import rao

pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.exceptions import ConvergenceWarning  # noqa: E402
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
    with pytest.raises(ValueError, match="weights and target cannot be used together"):
        rao.MDM(target="1").fit(X, y, recordings=np.arange(len(X)) % 2, sample_weight=w)
    with pytest.raises(AttributeError):
        rao.MDM().covmeans_


def test_tangent_space_and_back():
    X, y = spd_data(120, 6)
    ts = rao.TangentSpace(classifier=None).fit(X, y)
    assert np.allclose(ts.inverse_transform(ts.transform(X)), X, atol=1e-9)
    assert np.allclose(ts.reference_, rao.mean(X), atol=1e-9)
    flat = rao.TangentSpace(metric="logeuclid", classifier=None).fit(X, y)
    assert flat.reference_ is None
    with pytest.raises(ValueError, match="metric='riemann'"):
        flat.inverse_transform(flat.transform(X))


def test_covariances():
    X, y = trials()
    for estimator in ("sample", "oas", "ledoit_wolf", "schaefer_strimmer", "huber", "student", "tyler", "mcd", "correlation",
                      "rbf", "laplacian"):
        assert np.array_equal(rao.Covariances(estimator).fit_transform(X, y), rao.covariances(X, estimator))
    steps = make_pipeline(rao.Covariances("oas"), rao.TangentSpace(classifier=None), LogisticRegression(max_iter=1000))
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
    ours.partial_fit(1.2 * X[:10], adapt_rate=0.2)
    assert 0.01 < rao.distance(before, ours.covmean_) < 1
    fields = [[0, 1], [2, 3, 4]]
    ours = rao.Potato(fields=fields).fit(X)
    theirs = PotatoField(n_potatoes=2, p_threshold=0.01, z_threshold=3).fit([X[:, f][:, :, f] for f in fields])
    assert np.allclose(ours.transform(X), theirs.transform([X[:, f][:, :, f] for f in fields]), atol=1e-6)
    assert np.array_equal(ours.predict(X), theirs.predict([X[:, f][:, :, f] for f in fields]))
    assert [m.shape for m in ours.covmean_] == [(2, 2), (3, 3)]
    for wrong, match in (({"fields": [[9]]}, "list channels from 0 to 5"), ({"threshold": -1}, "is -1; it must be above 0$"),
                         ({"level": 5}, "level of a potato is 5; it must be above 0 and below 1$"), ({"metric": "none"}, "unknown metric")):
        with pytest.raises(ValueError, match=match):
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
    for wrong, match in (({"rotate": True}, "scale and rotate need target"), ({"target": "s99"}, "must be one of at least two recordings")):
        with pytest.raises(ValueError, match=match):
            rao.Procrustes(**wrong).fit(X, y, who)
    with pytest.raises(ValueError, match="labeled"):
        rao.Procrustes(target="s07", rotate=True).fit(X, None, who)
    last = np.where(who == "s07", y, y.min())  # the others have one class
    with pytest.raises(rao.RaoError, match=f"^recording {who[who != 's07'][0]} has no matrix of class {np.unique(y)[1]}, so it cannot"):
        rao.Procrustes(target="s07", rotate=True).fit(X, last, who)


@pytest.mark.filterwarnings("ignore")
def test_mdwm():
    pytest.importorskip("pyriemann")
    from pyriemann.transfer import MDWM, encode_domains

    X, y, who = people()
    X_enc, y_enc = encode_domains(X[:180], y[:180], who[:180])
    theirs = MDWM(domain_tradeoff=0.4, target_domain="s07").fit(X_enc, y_enc)
    ours = rao.MDM(target="s07", tradeoff=0.4).fit(X[:180], y[:180], recordings=who[:180])
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
@pytest.mark.parametrize("fields", [None, [[0, 1], [2, 3, 4]]])
def test_potato_with_its_own_distance(fields):
    found = pytest.importorskip("pyriemann.artifact_detection")
    X, _ = spd_data(80, 5, 2, seed=2)
    metric = {"mean": "riemann", "distance": diagonals}
    ours = rao.Potato(threshold=2, fields=fields, distance=diagonals).fit(X)
    if fields is None:
        theirs, given = found.Potato(metric, threshold=2).fit(X), X
        assert np.array_equal(ours.predict(X), theirs.predict(X))
    else:
        given = [X[:, f][:, :, f] for f in fields]
        theirs = found.PotatoField(2, metric=metric, z_threshold=2).fit(given)
    assert np.allclose(ours.transform(X), theirs.transform(given), atol=1e-5)
    assert np.allclose(ours.predict_proba(X), theirs.predict_proba(given), atol=1e-5)
    if fields is None:
        ours.partial_fit(X[:1], adapt_rate=0.1), theirs.partial_fit(X[:1], alpha=0.1)
        assert np.allclose(ours.transform(X), theirs.transform(X), atol=1e-5)


def test_distances_of_potatoes_are_checked():
    X, _ = spd_data(30, 3, 2)

    def fails(a, b):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        rao.Potato(distance=fails).fit(X)
    for own, said in [(lambda a, b: 1.0, "one value for each"), (lambda a, b: np.full(len(a), np.nan), "must be finite"),
                      (lambda a, b: np.arange(len(a)) - 1.0, "must not be negative")]:
        with pytest.raises(rao.RaoError, match=said):
            rao.Potato(distance=own).fit(X)
    with pytest.raises(TypeError, match="for the name of a metric use metric"):
        rao.Potato(distance="euclid").fit(X)
    assert rao.Potato().fit(X).transform(X).shape == (30,)


def groups_of_three():
    return rao.riemannian_gaussian([np.eye(2), 6 * np.eye(2), [[9, -4], [-4, 3]]], 0.3, per_class=30, seed=3)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("metric", ["riemann", "logeuclid", "euclid"])
def test_mean_shift(metric):
    clustering = pytest.importorskip("pyriemann.clustering")
    X, _ = groups_of_three()
    theirs = clustering.MeanShift(metric=metric, tol=1e-9, max_iter=1000).fit(X)
    ours = rao.MatrixMeanShift(metric=metric, tol=1e-9, max_iter=1000).fit(X)
    assert ours.bandwidth_ == pytest.approx(theirs._bandwidth, rel=1e-9)
    assert len(ours.modes_) > 1 and np.allclose(ours.modes_, theirs.modes_, rtol=1e-7)
    assert np.array_equal(ours.labels_, theirs.labels_) and np.array_equal(ours.predict(X), ours.labels_)
    narrow = clone(ours).set_params(bandwidth=ours.bandwidth_ / 2, kernel="normal").fit(X)
    assert len(narrow.modes_) >= len(ours.modes_) and narrow.bandwidth_ == ours.bandwidth_ / 2


def test_mean_shift_refuses():
    X, _ = groups_of_three()
    for options, said in [({"bandwidth": 0}, "bandwidth is 0, but must be"), ({"bandwidth": "wide"}, "bandwidth is 'wide'"), ({"kernel": "norml"}, "normal"),
                          ({"metric": "wasserstein"}, "set metric to one of riemann")]:
        with pytest.raises(ValueError, match=said):
            rao.MatrixMeanShift(**options).fit(X)
    with pytest.raises(ValueError, match="set bandwidth"):
        rao.MatrixMeanShift(metric="euclid").fit(X[[3] * 9])
    with pytest.raises(ValueError, match="order 3"):
        rao.MatrixMeanShift().fit(X).predict(np.eye(3)[None])
    with pytest.warns(ConvergenceWarning, match="mean-shift did not converge"):
        rao.MatrixMeanShift(kernel="normal", max_iter=1).fit(X)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("metric", ["riemann", "euclid"])
def test_gaussian_mixture(metric):
    """Both packages end at the same optimum from the same means."""
    clustering = pytest.importorskip("pyriemann.clustering")
    X, y = groups_of_three()
    ours = rao.MatrixGaussianMixture(3, metric=metric, tol=1e-13, max_iter=3000).fit(X)
    theirs = clustering.GaussianMixture(3, metric=metric, means_init=ours.means_, weights_init=ours.weights_, tol=1e-11, maxiter=3000).fit(X)
    assert np.allclose(ours.weights_, theirs.weights_, atol=1e-5)
    assert np.allclose(ours.means_, theirs.means_, atol=1e-4 * abs(theirs.means_).max())
    assert np.allclose(ours.covariances_, theirs.covariances_, atol=1e-4 * abs(theirs.covariances_).max())
    assert np.allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)
    assert np.array_equal(ours.predict(X), theirs.predict(X)) and np.array_equal(ours.predict(X), ours.labels_)
    constant = np.log(2 * np.pi) / 2  # theirs has (2π)^(order/2) for tangent vectors of one value more
    assert ours.score(X) == pytest.approx(theirs.score(X) - constant, abs=1e-6)


def test_flat_mixture_is_scikit_learns():
    from sklearn.mixture import GaussianMixture

    X, _ = groups_of_three()
    ours = rao.MatrixGaussianMixture(3, metric="logeuclid", tol=1e-12).fit(X)
    values, vectors = np.linalg.eigh(X)
    L = (vectors * np.log(values)[:, None]) @ vectors.swapaxes(1, 2)
    V = np.stack([L[:, 0, 0], 2**0.5 * L[:, 0, 1], L[:, 1, 1]], 1)
    theirs = GaussianMixture(3, reg_covar=0, tol=1e-12, max_iter=1000, random_state=0,
                             means_init=np.stack([V[ours.labels_ == g].mean(0) for g in range(3)])).fit(V)
    assert np.array_equal(ours.predict(X), theirs.predict(V))
    assert ours.score(X) == pytest.approx(theirs.score(V), abs=1e-7)
    assert np.allclose(ours.score_samples(X), theirs.score_samples(V), atol=1e-4)


def test_mixture_warns_and_refuses():
    X, _ = groups_of_three()
    with pytest.warns(rao.RaoWarning, match="too few different matrices"):
        rao.MatrixGaussianMixture(30).fit(X)
    for clusters, said in [(0, "clusters"), (91, "91 clusters were requested for 90"), (2.5, "whole number")]:
        with pytest.raises(ValueError, match=said):
            rao.MatrixGaussianMixture(clusters).fit(X)
    with pytest.raises(ValueError, match="3 tangent coordinates"):
        rao.MatrixGaussianMixture(1).fit(X[:2])
    with pytest.raises(ValueError, match="order 3"):
        rao.MatrixGaussianMixture(2).fit(X).predict(np.eye(3)[None])


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
    assert np.allclose(rao.mean(X, method="power", exponent=-0.5), mean_power(X, -0.5), atol=1e-6)
    assert np.allclose(rao.mean(X, method="median"), median_riemann(X, tol=1e-9, maxiter=500), atol=1e-5)
    holes = X.copy()
    holes[0, 0] = holes[0, :, 0] = np.nan
    assert np.isfinite(rao.mean(holes, method="masked")).all()
    assert rao.embed(X).shape == rao.embed(X, "lle").shape == (60, 2)
    assert rao.embed(X, components=3).shape == (60, 3)
    Z, labels = rao.riemannian_gaussian(np.eye(2), 0.5, per_class=400)
    assert np.allclose(rao.mean(Z), np.eye(2), atol=0.15) and (labels == 0).all()
    for call in (lambda: rao.mean(X, method="mode"), lambda: rao.mean(X, metric="logdet", method="power"),
                 lambda: rao.embed(X, "map"), lambda: rao.manova(X, np.zeros(60)), lambda: rao.riemannian_gaussian(-np.eye(2)),
                 lambda: rao.manova(X, y[:5]), lambda: rao.riemannian_gaussian(np.eye(2), per_class=10**12)):
        with pytest.raises(rao.RaoError):
            call()


@pytest.mark.parametrize("estimator", ["cospectrum", "cross-spectrum", "coherence"])
def test_spectral_matrices(estimator):
    """The transformer gives the matrices of the tool, and for one frequency those of scipy."""
    signal = pytest.importorskip("scipy.signal")
    recording = rao.simulate("movement", trials=6, seed=1)
    cut = recording.trials({"left": "left", "right": "right"}, 0.5, 2.5)
    theirs = recording.covariances({"left": "left", "right": "right"}, 0.5, 2.5, estimator=estimator, bands="8-30")
    ours = rao.Covariances(estimator, rate=recording.rate, bands=(8, 30)).fit_transform(cut.X)
    n = cut.X.shape[1]
    assert ours.shape == (len(cut.X),) + (n * (2 if estimator[1] == "r" else 1),) * 2
    assert np.allclose(ours, theirs.X, rtol=1e-8, atol=1e-10 * abs(theirs.X).max())
    for bands in ("8-30", [(8, 30)], ["8-30"], np.array([8, 30])):
        assert np.array_equal(rao.covariances(cut.X, estimator, rate=recording.rate, bands=bands), ours)
    X, window = np.random.default_rng(1).normal(size=(2, 3, 500)), 64
    one = rao.covariances(X, estimator, rate=128, bands=(16, 16.5), segment=0.5)
    hertz, S = signal.csd(X[:, :, None], X[:, None], 128, np.hanning(window), noverlap=window * 3 // 4, detrend=False)
    S = S[..., list(hertz).index(16)]
    power = np.einsum("ncc->nc", S).real
    want = {"cospectrum": S.real, "cross-spectrum": S.real, "coherence": abs(S) ** 2 / power[:, :, None] / power[:, None]}[estimator]
    got = one[:, :3, :3]
    assert np.allclose(got / got[:, :1, :1], want / want[:, :1, :1], rtol=1e-8)
    if estimator == "cross-spectrum":
        assert np.allclose(one[:, :3, 3:] / got[:, :1, :1], -S.imag / want[:, :1, :1], atol=1e-8)


def test_spectral_matrices_are_checked():
    X = np.random.default_rng(1).normal(size=(2, 3, 100))
    for options, said in (({}, "give rate"), ({"rate": 0}, "above 0"), ({"rate": 100, "bands": (9,)}, "not a lower and a higher"),
                          ({"rate": 100, "bands": [(8, 12), (12, 16)]}, "once per band"), ({"rate": 100, "bands": "alpha"}, "must be a band"),
                          ({"rate": 100, "bands": (30, 8)}, "not a lower and a higher"), ({"rate": 100, "segment": 9}, "at most the length of the trial"),
                          ({"rate": 100, "overlap": 1}, "below 1"), ({"rate": 100, "bands": (0, 80)}, "up to 50")):
        with pytest.raises(rao.RaoError, match=said):
            rao.covariances(X, "coherence", **options)
    with pytest.raises(rao.RaoError, match="not for the estimator oas"):
        rao.covariances(X, "oas", rate=100)
    with pytest.raises(rao.RaoError, match="trial 1"):
        rao.covariances(X * [[[1]], [[0]]], "coherence", rate=100)
