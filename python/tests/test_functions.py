"""Functions on arrays, statistics, models, pictures."""

import pickle
import re
import subprocess
import warnings

import numpy as np
import pytest
from conftest import blobs, filtered

import rao
from rao import _engine


def test_distances_and_means(matrices):
    X, _ = matrices
    d = rao.distance(X[:5], X[5:9])
    for i in range(5):
        for j in range(4):
            w = np.linalg.eigvals(np.linalg.solve(X[i], X[5 + j])).real
            assert d[i, j] == pytest.approx(np.sqrt((np.log(w) ** 2).sum()), rel=1e-9)
    assert rao.distance(X[0], X[1]) == pytest.approx(rao.distance(X[:2])[0, 1])
    m = rao.mean(X)
    assert np.linalg.norm(rao.tangent(X, m).mean(0)) < 1e-8
    assert np.allclose(rao.mean(X, metric="euclid", sample_weight=np.arange(len(X))), np.average(X, axis=0, weights=np.arange(len(X))))
    with pytest.warns(rao.RaoWarning):
        rao.mean(X, tol=1e-300, max_iter=1)


def test_covariances():
    x = np.random.default_rng(0).normal(size=(4, 3, 50))
    assert np.allclose(rao.covariances(x), [np.cov(t) for t in x])
    with pytest.raises(rao.RaoError, match="trials × channels × samples"):
        rao.covariances(x[0])


@pytest.mark.parametrize("classes", [2, 4])
def test_measures_agree_with_scikit_learn(classes):
    sk = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(classes)
    y = rng.integers(0, classes, 300)
    z = np.round(rng.normal(size=(300, classes)) + 1.5 * np.eye(classes)[y])  # many equal scores
    P = np.exp(z) / np.exp(z).sum(1, keepdims=True)
    P = np.round(P, 6)
    names = np.array(["a", "b", "c", "d"])[:classes]
    decided = P.argmax(1)
    got = rao.measures(names[y], P, bootstrap=50, seconds=3)
    right = np.mean(y == decided)
    wolpaw = np.log2(classes) + right * np.log2(right) + (1 - right) * np.log2((1 - right) / (classes - 1))
    mutual = sk.mutual_info_score(y, decided) / np.log(2)
    kind = {"average": "binary" if classes == 2 else "macro"}
    ranked = [1] if classes == 2 else range(classes)
    want = {
        "accuracy": sk.accuracy_score(y, decided),
        "balanced_accuracy": sk.balanced_accuracy_score(y, decided),
        "kappa": sk.cohen_kappa_score(y, decided),
        "auc": np.mean([sk.roc_auc_score(y == k, P[:, k]) for k in ranked]),
        "average_precision": np.mean([sk.average_precision_score(y == k, P[:, k]) for k in ranked]),
        "precision": sk.precision_score(y, decided, **kind),
        "recall": sk.recall_score(y, decided, **kind),
        "f1": sk.f1_score(y, decided, **kind),
        "wolpaw_bits": wolpaw,
        "confusion_bits": mutual,
        "wolpaw_bits_per_minute": 20 * wolpaw,
        "confusion_bits_per_minute": 20 * mutual,
    }
    assert list(got) == list(want)
    for name, value in want.items():
        assert got[name].value == pytest.approx(value, abs=1e-12)
        assert got[name].low <= got[name].value <= got[name].high or name.startswith("confusion_bits")
    assert "wolpaw_bits_per_minute" not in rao.measures(names[y], P, bootstrap=0)
    if classes == 2:
        low = rao.measures(names[y], P[:, 1], positive="a", threshold=0.2, bootstrap=0)
        assert low["recall"].value == pytest.approx(sk.recall_score(y == 0, P[:, 0] >= 0.2))
        assert np.isnan(low["recall"].low)
        with pytest.raises(rao.RaoError, match="not one of two classes"):
            rao.measures(names[y], P, positive="c")
    with pytest.raises(rao.RaoError, match="one column per class"):
        rao.measures(names[y], P[:-1])
    with pytest.raises(rao.RaoError, match="between 0 and 1"):
        rao.measures(names[y], 2 * P)


def test_statistics_add_up(tmp_path):
    X, y = blobs()
    whole = rao.stats(X, y)
    sites = [rao.stats(X[i::3], y[i::3]) for i in range(3)]
    for merged in (sites[0].merge(*sites[1:]), rao.Statistics([0, 1, 2]).partial_fit(X[:7], y[:7]).partial_fit(X[7:], y[7:])):
        assert np.array_equal(merged.counts, whole.counts)
        assert np.allclose(merged.means, whole.means) and np.allclose(merged.covariances, whole.covariances)
    whole.save(tmp_path / "s.npz")
    back = rao.Statistics.load(tmp_path / "s.npz")
    assert np.array_equal(back.covariances, whole.covariances) and back.classes == ["0", "1", "2"]
    assert np.array_equal(np.load(tmp_path / "s.npz")["counts"], whole.counts)
    d = pickle.loads(pickle.dumps(whole)).distance("fisher_rao")
    assert np.allclose(d, d.T) and d[0, 1] > 0
    with pytest.raises(rao.RaoError, match="not one of"):
        whole.partial_fit(X, y + 1)
    with pytest.raises(rao.RaoError, match="no rows"):
        rao.Statistics().means


def test_merge_refuses_what_looks_wrong(tmp_path):
    X, y = blobs()
    whole, part = rao.stats(X, y), rao.stats(X[: len(X) // 2], y[: len(X) // 2])
    with pytest.raises(rao.RaoError, match=r"rows of part 2 in common.*confirm=\"rows\""):
        whole.merge(part)
    for call in (lambda: whole.merge([part]), lambda: rao.Statistics.merge([whole, part])):
        with pytest.raises(TypeError, match=r"needs rao.Statistics as separate arguments, as in a.merge\(b, c\), not list; sum\(parts\) merges"):
            call()
    with pytest.raises(AttributeError, match=r"no attribute 'merge'; a.merge\(b, c\) and sum\(parts\) merge statistics"):
        rao.merge([whole, part])
    assert whole.merge(part, confirm="rows").counts.sum() == len(X) + len(X) // 2
    words = rao.stats(X + 50, np.array(["no", "yes", "so"])[y])
    with pytest.raises(rao.RaoError, match="two encodings"):
        whole.merge(words)
    assert len(whole.merge(words, confirm=["classes"]).classes) == 6
    with pytest.raises(rao.RaoError, match="confirm contains 'all'"):
        whole.merge(words, confirm=["all"])
    np.savez(tmp_path / "plain.npz", counts=whole.counts, means=whole.means, covariances=whole.covariances)
    with pytest.raises(rao.RaoError, match="not written by rao"):
        whole.merge(rao.Statistics.load(tmp_path / "plain.npz"))


def test_statistics_know_their_columns(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = blobs()
    names = [f"c{j}" for j in range(X.shape[1])]
    frame = pandas.DataFrame(X, columns=names)
    a, b = rao.stats(frame[::2], y[::2]), rao.stats(frame[names[::-1]][1::2], y[1::2])
    whole = rao.stats(frame, y)
    merged = a.merge(b)
    assert merged.columns == names and np.allclose(merged.covariances, whole.covariances)
    grown = rao.Statistics([0, 1, 2]).partial_fit(frame[::2], y[::2]).partial_fit(frame[names[::-1]][1::2], y[1::2])
    assert np.allclose(grown.covariances, whole.covariances)
    with pytest.raises(rao.RaoError, match="names its columns"):
        a.merge(rao.stats(X + 9, y))
    with pytest.raises(rao.RaoError, match="missing: c0; unexpected: other"):
        a.merge(rao.stats(frame.rename(columns={"c0": "other"}) + 9, y))
    merged.save(tmp_path / "s.npz", hashes=None)
    back = rao.Statistics.load(tmp_path / "s.npz")
    assert back.columns == names and b"sketch" not in (tmp_path / "s.npz").read_bytes()
    model = rao.QDA().fit_statistics(back) if hasattr(rao, "QDA") else rao.SQFA(filters=2).fit_statistics(back)
    assert list(model.feature_names_in_) == names
    np.testing.assert_array_equal(model.predict_proba(frame[names[::-1]]), model.predict_proba(frame))


def test_a_class_of_one_row_is_not_saved(tmp_path):
    X, y = blobs()
    y = y.copy()
    y[y == 2] = 1
    y[0] = 2
    s = rao.stats(X, y)
    with pytest.raises(rao.RaoError, match="class 2 has one row.*allow_single"):
        s.save(tmp_path / "s.npz")
    s.save(tmp_path / "s.npz", allow_single=True)


def test_statistics_take_names_not_means():
    X, y = blobs()
    s = rao.stats(X, y)
    for wrong in [(s.means, s.covariances), (s.means,), (["a", "b"], s.covariances)]:
        with pytest.raises(TypeError, match=r"rao\.stats\(X, y\)"):
            rao.Statistics(*wrong)


@pytest.mark.parametrize("labels", [
    np.array([0, 1, 2]), np.array([0, 1, 2], "u1"), np.array([0.0, 1.0, 2.0]), np.array([-1, 0, 2], np.float32),
    np.array(["0", "1", "2"]), np.array(["1", "01", "1.0"]), np.array(["ant", "bee", "True"]),
    np.array([False, True]), np.array(["0", "1"], object)], ids=repr)
def test_labels_keep_their_type(tmp_path, labels):
    pytest.importorskip("sklearn")
    X, y = blobs(classes=len(labels))
    y = labels[y]
    e = rao.PCA(filters=2).fit(X, y)
    e.save(tmp_path / "m.rao")
    m = rao.load(tmp_path / "m.rao")
    kind = np.array(labels.tolist()).dtype.kind if labels.dtype == object else labels.dtype.kind
    of_statistics = rao.PCA(filters=2).fit_statistics(rao.stats(X, y))
    for other in (m, pickle.loads(pickle.dumps(m)), e.model_, of_statistics.model_, rao.MDM().fit(
            np.eye(5) + X[:, :, None] * X[:, None, :], y).model_.update(np.eye(5)[None] * [[[2.0]]], y[:1])):
        assert other.classes.dtype.kind == kind and other.classes.tolist() == e.classes_.tolist()
    if labels.dtype != object:
        assert m.classes.dtype == e.classes_.dtype
    assert np.array_equal(m.predict(X), e.predict(X))
    with pytest.warns(rao.RaoWarning, match="are also training observations"):
        assert m.score(X, y) == e.score(X, y)


@pytest.mark.parametrize("labels", [
    [0, 1, 2], [0.0, 1.0, 2.0], [0.5, 1.5, 2.5], ["0", "1", "2"], ["a", "b", "1.0"], [False, True],
    *(np.array([0, 1, 2], t) for t in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "U3")),
    np.array([False, True]), np.array(["0", "1"], object), np.array([False, True], object)],
    ids=lambda v: f"{np.asarray(v).dtype} {list(v)}")
def test_statistics_keep_the_type_of_labels(tmp_path, labels):
    pytest.importorskip("sklearn")
    labels = np.asarray(labels)
    X, y = blobs(classes=len(labels))
    y = labels[y]
    whole = rao.stats(X, y)
    a, b = rao.stats(X[::2], y[::2]), rao.stats(X[1::2], y[1::2])
    grown = rao.Statistics(labels).partial_fit(X[::2], y[::2]).partial_fit(X[1::2], y[1::2])
    for s in (whole, a.merge(b), grown):
        s.save(tmp_path / "s.npz")
        back = rao.Statistics.load(tmp_path / "s.npz")
        for again in (back, pickle.loads(pickle.dumps(back)), back.merge()):
            e = rao.PCA(filters=2).fit_statistics(again)
            e.save(tmp_path / "m.rao")
            for classes in (e.classes_, e.predict(X), rao.load(tmp_path / "m.rao").classes):
                assert classes.dtype.kind == ("U" if labels.dtype == object and isinstance(labels[0], str) else
                                              "b" if labels.dtype == object else labels.dtype.kind)
                assert set(classes.tolist()) <= set(labels.tolist())
            assert sorted(e.classes_.tolist()) == sorted(labels.tolist())
            assert labels.dtype.kind in "OU" or e.classes_.dtype == labels.dtype


def test_statistics_of_different_labels_have_no_type(tmp_path):
    pytest.importorskip("sklearn")
    X, y = blobs()
    rao.stats(X[::2], y[::2]).save(tmp_path / "a.npz")
    rao.stats(X[1::2], y[1::2].astype(str)).save(tmp_path / "b.npz")
    merged = rao.Statistics.load(tmp_path / "a.npz").merge(rao.Statistics.load(tmp_path / "b.npz"))
    assert rao.PCA(filters=2).fit_statistics(merged).classes_.tolist() == [0, 1, 2]


def test_hashes_with_a_key(tmp_path):
    X, y = blobs()
    key, other = tmp_path / "shared.key", tmp_path / "other.key"
    key.write_text("0123456789abcdef0123456789abcdef\n")
    other.write_text("another key of sufficient length")
    a, b = rao.stats(X, y, hashes=key), rao.stats(X[:40], y[:40], hashes=str(key))
    a.save(tmp_path / "a.npz")
    with pytest.raises(rao.RaoError, match="rows of part 2 in common"):
        rao.Statistics.load(tmp_path / "a.npz").merge(b)
    with pytest.raises(rao.RaoError, match='confirm="rows"'):
        a.merge(rao.stats(X, y, hashes=other))
    np.savetxt(tmp_path / "x.csv", np.c_[X[:40], y[:40]], delimiter=",", header="a,b,c,d,e,label", comments="", fmt="%.17g")
    subprocess.run([_engine.executable(), "stats", "--data", tmp_path / "x.csv", "--hashes", key, "--out", tmp_path / "tool.npz"],
                   check=True, capture_output=True)
    tool = rao.Statistics.load(tmp_path / "tool.npz")
    with pytest.raises(rao.RaoError, match="in common"):
        a.merge(tool, confirm="columns")
    assert rao.stats(X, y, hashes=None).merge(tool, confirm="columns").counts.sum() == len(X) + 40
    (tmp_path / "short.key").write_text("short")
    for wrong, why in (("short.key", "guessed"), ("no.key", "no such file|cannot find"), (".", "not a regular file")):
        with pytest.raises(rao.RaoError, match=why):
            rao.stats(X, y, hashes=tmp_path / wrong)
    with pytest.raises(rao.RaoError, match="rao.stats.X, y, hashes=FILE"):
        a.save(tmp_path / "b.npz", hashes=key)


def test_numbers_are_named_as_the_tool_names_them(tmp_path):
    pytest.importorskip("sklearn")
    X, y = blobs()
    m = rao.PCA(filters=2).fit(X, y.astype(float)).model_
    assert m._info["classes"] == ["0", "1", "2"]


def test_models_are_values(tmp_path):
    pytest.importorskip("sklearn")
    X, y = blobs()
    names = np.array(["ant", "bee", "cat"])[y]
    m = rao.PCA(filters=2).fit(X, names).model_
    m.save(tmp_path / "m.rao")
    for other in (rao.load(tmp_path / "m.rao"), rao.load(m.to_bytes()), pickle.loads(pickle.dumps(m))):
        assert other == m and np.array_equal(other.predict(X), m.predict(X))
    assert set(m.predict(X)) <= set(names)
    assert np.allclose(np.exp(m.predict_log_proba(X)), m.predict_proba(X))
    assert m.filters.shape == (5, 2) and m.transform(X).shape == (len(X), 2) and m.n_features_out == 2
    assert "<table>" in m._repr_html_() and "data:image/png" in m._repr_html_()
    with pytest.raises(rao.RaoError, match="m.rao"):
        (tmp_path / "m.rao").write_bytes(m.to_bytes()[:-100])
        rao.load(tmp_path / "m.rao")
    assert not list(tmp_path.glob("*.tmp"))


def test_outliers_are_told():
    pytest.importorskip("sklearn")
    X, y = blobs()
    m = rao.QDA().fit(X, y)
    far = X[:3] + [[1e6] * 5, [0] * 5, [0] * 5]
    with pytest.warns(rao.RaoWarning, match="far"):
        d = m.decide(far)
    assert d.outlier.tolist() == [True, False, False]


def test_columns_go_by_name():
    pd = pytest.importorskip("pandas")
    pytest.importorskip("sklearn")
    X, y = blobs()
    frame = pd.DataFrame(X, columns=list("abcde"))
    m = rao.QDA().fit(frame, y).model_
    assert m.columns == list("abcde")
    assert np.array_equal(m.predict(frame[list("edcba")]), m.predict(frame))
    with pytest.raises(rao.RaoError, match="c"):
        m.predict(frame[list("abde")])


def test_plots():
    plt = pytest.importorskip("matplotlib.pyplot")
    pytest.importorskip("sklearn")
    plt.switch_backend("agg")
    X, y = blobs(d=16)
    e = rao.PCA(filters=3).fit(X, y)
    with filtered("error"):
        assert len(rao.plot_filters(e)) == 3
        rao.plot_filters(e.model_, shape=(2, 8))
        rao.plot_patterns(e, rao.stats(X, y))
        rao.plot_ellipses(e.transform(X), y)
        rao.plot_ellipses(rao.stats(X, y), dims=(2, 5))
    names = [f"a long name {i}" for i in range(16)]
    first = rao.plot_filters(e.filters_[:15], names=names[:15])[0]
    first.figure.canvas.draw()
    inside = first.figure.bbox
    for label in first.get_xticklabels():
        assert inside.y0 <= label.get_window_extent().y0, "a name is cut off"
    card = e.model_._repr_html_()
    assert "filter 1" in card and "filter 3" in card and "filter 0" not in card  # as the pictures count
    plt.close("all")
    s = rao.stats(X, y)
    assert np.allclose(rao.plots._total(s), np.cov(X.T))
    with pytest.raises(ValueError, match="filters"):
        rao.plot_filters(rao.QDA().fit(X, y))


def test_paired_distances(matrices):
    X, _ = matrices
    for metric in ("riemann", "euclid"):
        np.testing.assert_allclose(rao.distance(X[:9], X[9:18], metric, paired=True), np.diag(rao.distance(X[:9], X[9:18], metric)))
    assert rao.distance(X[0], X[1], paired=True) == pytest.approx(rao.distance(X[0], X[1]))
    for Y in (None, X[:3]):
        with pytest.raises(rao.RaoError, match="the same number of"):
            rao.distance(X[:2], Y, paired=True)
    with pytest.raises(rao.RaoError, match="pair 1: second matrix"):
        rao.distance(X[:2], [X[0], -X[0]], paired=True)


@pytest.mark.parametrize("estimator, samples, warns", [("sample", 4, True), ("sample", 6, True), ("correlation", 5, True),
                                                       ("sample", 7, False), ("oas", 4, False)])
def test_covariances_of_few_samples_warn(estimator, samples, warns):
    X = np.random.default_rng(0).normal(size=(3, 6, 20))[:, :, :samples]
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        C = rao.covariances(X, estimator)
    assert (np.linalg.matrix_rank(C).max() < 6) == warns
    assert [f"6 channels and {samples} samples" in str(w.message) and w.category is rao.RaoWarning for w in seen] == [True] * warns


def test_scores_of_models_on_training_rows_warn(tmp_path):
    """Model.score warns about training rows, also in another order of columns; the estimator's score, which
    scikit-learn calls on training rows, does not."""

    pd = pytest.importorskip("pandas")
    X, y = blobs()
    frame = pd.DataFrame(X, columns=[f"c{9 - j}" for j in range(X.shape[1])])
    other = np.random.default_rng(5).standard_normal(X.shape)
    for data in X, frame:
        e = rao.LDA().fit(data, y)
        e.save(tmp_path / "m.rao")
        m = rao.load(tmp_path / "m.rao")
        for rows in (data, data[:60], *([frame[frame.columns[::-1]]] if data is frame else [])):
            with pytest.warns(rao.RaoWarning, match="about 100 % of these observations are also training observations"):
                m.score(rows, y[:len(rows)])
        with filtered("error"):
            m.score(other if data is X else pd.DataFrame(other, columns=frame.columns), y)
            m.predict(data)
            e.score(data, y)
    with pytest.warns(rao.RaoWarning, match="are also training observations"):
        rao.TangentRidge().fit(np.eye(3) + X[:, :3, None] * X[:, None, :3], X[:, 0]).model_.score(
            np.eye(3) + X[:, :3, None] * X[:, None, :3], X[:, 0])


def test_partial_fits_with_equal_rows_warn():
    """Rows that are added a second time cause a warning, and other rows do not."""
    X, y = blobs()
    half = len(X) // 2
    for first in (lambda: rao.LDA(), lambda: rao.Statistics([0, 1, 2])):
        with filtered("error"):
            s = first().partial_fit(X[:half], y[:half]).partial_fit(X[half:], y[half:])
        with pytest.warns(rao.RaoWarning, match="about 100 % of these observations equal earlier ones; if they are the same"):
            s.partial_fit(X[:half], y[:half])


def test_rows_recorded_with_a_key_cannot_be_compared(tmp_path):
    """A score says so if the training rows are recorded with a secret key."""
    X, y = blobs()
    (tmp_path / "key").write_text("5" * 64)
    (tmp_path / "key").chmod(0o600)
    keyed, plain, hidden = (rao.LDA().fit_statistics(rao.stats(X, y, hashes=h)).model_
                            for h in (tmp_path / "key", True, None))
    other = X + 1
    for m, words in ((keyed, "recorded with a key, so it was not checked"), (plain, ""), (hidden, "")):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            m.score(other, y)
        assert [words in str(w.message) for w in found] == [True] * bool(words), found


def test_updates_with_known_rows_warn():
    """An update with rows that the model has already learned from warns, and rows of an update count as learned."""
    X, y = blobs()
    half = len(X) // 2
    m = rao.KNN().fit(X[:half], y[:half]).model_
    with pytest.warns(rao.RaoWarning, match="already learned from about 100 % of these observations"):
        m.update(X[:half], y[:half])
    m = m.update(X[half:], y[half:])
    with pytest.warns(rao.RaoWarning, match="already learned from about 100 % of these observations"):
        m.update(X[half:], y[half:])


@pytest.mark.parametrize("name, arrays", [("X", (np.zeros((400, 64)),)), ("X", (np.zeros(9),)), ("X", (np.zeros((5, 4, 3)),)),
                                          ("Y", (np.eye(3), np.zeros((5, 4))))])
def test_distances_need_matrices(name, arrays):
    shape = re.escape(str(arrays[-1].shape))
    with pytest.raises(rao.RaoError, match=rf"^{name} has shape {shape}, but must be matrices, of shape \(n, order, order\)"):
        rao.distance(*arrays)
