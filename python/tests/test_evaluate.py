"""Scores, comparisons, searches and studies, and the data sets that they need."""

import inspect
import sys

import numpy as np
import pytest
from conftest import blobs, filtered, spd_data

import rao

sklearn = pytest.importorskip("sklearn.svm")


def halves(seed=0):
    X, y = blobs(n=300, classes=3, seed=seed)
    X[:, :3] /= 2  # some errors
    return X[:200], y[:200], X[200:], y[200:]


def test_evaluate_agrees_with_scikit_learn():
    from sklearn import discriminant_analysis, metrics

    X, y, T, t = halves()
    own = rao.QDA().fit(X, y)
    theirs = discriminant_analysis.LinearDiscriminantAnalysis().fit(X, y)
    for model in (own, own.model_, theirs):
        e = rao.evaluate(model, T, t)
        decided, p = model.predict(T), model.predict_proba(T)
        assert np.isclose(e.accuracy, np.mean(decided == t)) and np.isclose(e.kappa, metrics.cohen_kappa_score(t, decided))
        assert np.array_equal(e.confusion, metrics.confusion_matrix(t, decided))
        assert np.isclose(e.log_loss, metrics.log_loss(t, p))
        assert np.isclose(e.measures["f1"].value, metrics.f1_score(t, decided, average="macro"))
        low, value, high = e.measures["accuracy"].low, e.measures["accuracy"].value, e.measures["accuracy"].high
        assert low < value < high and value == pytest.approx(e.accuracy)
        assert e.risk[-1] == pytest.approx(1 - e.accuracy) and e.coverage[-1] == 1 and e.risk[49] <= e.risk[-1]
    assert e.measures == rao.evaluate(theirs, T, t).measures
    assert "wolpaw_bits_per_minute" in rao.evaluate(theirs, T, t, seconds=2).measures


@pytest.mark.parametrize("positive, weighted", [(None, False), (0, False), (1, True)])
def test_a_threshold_applies_to_all_decisions(positive, weighted):
    from sklearn import metrics

    X, y = blobs(n=200, classes=2, seed=2)
    X = X + 3 * np.random.default_rng(0).normal(size=X.shape)
    m = rao.LDA().fit(X, y)
    w = np.arange(200) % 3 + 1.0 if weighted else None
    e = rao.evaluate(m, X, y, positive=positive, threshold=0.9, sample_weight=w)
    k = 0 if positive == 0 else 1
    decided = np.where(m.predict_proba(X)[:, k] >= 0.9, k, 1 - k)
    assert (decided != m.predict_proba(X).argmax(1)).any()
    assert e.accuracy == e.measures["accuracy"].value == pytest.approx(np.average(decided == y, weights=w))
    assert e.kappa == e.measures["kappa"].value == pytest.approx(metrics.cohen_kappa_score(y, decided, sample_weight=w))
    assert np.array_equal(e.confusion, metrics.confusion_matrix(y, decided))
    plain = rao.evaluate(m, X, y)
    assert plain.accuracy == pytest.approx(m.score(X, y)) and plain.accuracy != e.accuracy
    if not weighted:
        assert e.versus(plain).difference == pytest.approx(e.accuracy - plain.accuracy) and e.versus(plain).p < 1


def test_compare_without_test_data_refuses_measures():
    X, y = blobs(n=60)
    for given in (["f1"], ["f2"], "auc"):
        with pytest.raises(rao.RaoError, match="measures needs test data; give X_test and y_test"):
            rao.compare([rao.LDA()], X, y, cv=3, measures=given)
    with pytest.raises(rao.RaoError, match="f2"):
        rao.compare([rao.LDA()], X, y, X, y, measures=["f2"])


def test_paired_test_of_two_evaluations():
    stats = pytest.importorskip("scipy.stats")
    X, y, T, t = halves()
    a, b = rao.QDA().fit(X, y), rao.LDA().fit(X[:30, :2], y[:30])
    first, second = rao.evaluate(a, T, t), rao.evaluate(b, T[:, :2], t)
    right = a.predict(T) == t, b.predict(T[:, :2]) == t
    only = int(np.sum(right[0] & ~right[1])), int(np.sum(right[1] & ~right[0]))
    test = first.versus(second)
    assert test.difference == pytest.approx(np.mean(right[0]) - np.mean(right[1]))
    assert test.p == pytest.approx(stats.binomtest(only[0], sum(only)).pvalue)
    assert first.versus(first) == (0, 1)
    with pytest.raises(rao.RaoError, match="different observations"):
        first.versus(rao.evaluate(a, T[::-1], t[::-1]))
    with pytest.raises(TypeError, match="the result of rao.evaluate"):
        first.versus(a)


def test_labels_of_text_and_positive_classes():
    X, y, T, t = halves()
    named = np.array(["no", "yes"])
    m = rao.QDA().fit(X, named[(y > 0).astype(int)])
    truth = named[(t > 0).astype(int)]
    decided = m.predict(T)
    for positive in ("no", "yes"):
        e = rao.evaluate(m, T, truth, positive=positive)
        assert e.measures["precision"].value == pytest.approx(np.mean(truth[decided == positive] == positive))
    for call, words in ((lambda: rao.evaluate(m, T, t), "the label 0 is not one of the classifier's classes, no, yes"),
                        (lambda: rao.evaluate(m, T, truth, positive="maybe"), "is not one of two classes"),
                        (lambda: rao.evaluate(m, T, truth[:-1]), "y has 99 labels, but X has 100 observations")):
        with pytest.raises(rao.RaoError, match=words):
            call()


def test_compare_on_test_data():
    X, y, T, t = halves()
    methods = {"quadratic": rao.QDA(), "filters": rao.SQFA(filters=2, noise=0.1), "text": "pca:filters=1"}
    c = rao.compare(methods, X, y, T, t, measures=["auc", "f1"])
    assert [r["method"] for r in c.rows] == list(methods) and set(c.models) == set(methods)
    fitted = {"quadratic": rao.QDA().fit(X, y), "filters": rao.SQFA(filters=2, noise=0.1).fit(X, y)}
    for name, m in fitted.items():
        row = next(r for r in c.rows if r["method"] == name)
        e = rao.evaluate(m, T, t)
        assert row["accuracy"] == e.accuracy and row["auc"] == e.measures["auc"].value and row["auc_low"] < row["auc"]
        assert row["accuracy_low"] < row["accuracy"] < row["accuracy_high"]
        assert np.array_equal(c.models[name].predict(T), m.predict(T))
    assert len(c.pairs) == 3 and c.best in methods
    rate = rao.compare([rao.QDA()], X, y, T, t, measures=["wolpaw_bits", "wolpaw_bits_per_minute"], seconds=3).rows[0]
    assert rate["wolpaw_bits_per_minute"] == pytest.approx(20 * rate["wolpaw_bits"])
    single = rao.compare(list(methods.values())[:2], X, y, T, t).pairs
    both = rao.evaluate(fitted["quadratic"], T, t).versus(rao.evaluate(fitted["filters"], T, t))
    assert single[0]["p"] == pytest.approx(both.p) and single[0]["first"] == "QDA()"
    assert all(p["p"] <= 1 for p in c.pairs) and c.pairs[0]["p"] >= single[0]["p"]  # Holm


def test_an_accuracy_of_one_has_wilsons_interval():
    y = np.arange(89) % 2
    p = np.column_stack([0.9 - 0.8 * y, 0.1 + 0.8 * y])
    m = rao.measures(y, p)["accuracy"]
    assert m.value == m.high == 1 and m.low == pytest.approx(1 / (1 + 1.959964**2 / 89), abs=1e-6)


def test_a_method_that_fails_is_a_warning():
    X, y, T, t = halves()
    with pytest.warns(rao.RaoWarning, match="neighbors"):
        c = rao.compare(["knn-raw:neighbors=1000", rao.QDA()], X, y, T, t)
    assert "neighbors" in c.rows[0]["error"] and np.isnan(c.rows[0]["accuracy"]) and c.best == "QDA()"


def test_warnings_have_the_words_of_python():
    X, y, T, t = halves()
    with pytest.warns(rao.RaoWarning, match="raise max_iter"):
        rao.compare([rao.SQFA(filters=2, noise=0.1, max_iter=2)], X, y, T, t)


def test_compare_by_leaving_out():
    X, y = blobs(n=120)
    people = np.array(["ann", "bob", "cy", "dee"])[np.arange(120) % 4]
    methods = [rao.QDA(), rao.LDA()]
    c = rao.compare(methods, X, y, groups=people)
    assert {s["group"] for s in c.scores} == {"ann", "bob", "cy", "dee"} and c.models == {}
    with filtered("ignore"):
        want = [rao.QDA().fit(X[people != p], y[people != p]).score(X[people == p], y[people == p]) for p in sorted(set(people))]
    got = {s["group"]: s["accuracy"] for s in c.scores if s["method"] == "QDA()"}
    assert [got[p] for p in sorted(got)] == pytest.approx(want)
    assert c.rows[0]["accuracy"] == pytest.approx(np.mean(want))
    half = 1.96 * np.std(want, ddof=1) / len(want) ** 0.5  # of a normal distribution; Student's is wider
    low, high = c.rows[0]["accuracy_low"], c.rows[0]["accuracy_high"]
    assert low < np.mean(want) - half and high >= min(1, np.mean(want) + half) and 0 <= low <= high <= 1
    if 0 < low and high < 1:
        from scipy.stats import t
        assert (high - low) / 2 == pytest.approx(t.ppf(0.975, len(want) - 1) / 1.96 * half, rel=1e-3)
    assert set(c.pairs[0]) >= {"wilcoxon_p", "corrected_t_p"}
    folds = rao.compare(methods, X, y, cv=4, repeats=2)
    assert len(folds.scores) == 16 and folds.rows[0]["accuracy_low"] < folds.rows[0]["accuracy"] < folds.rows[0]["accuracy_high"]
    assert folds.scores == rao.compare(methods, X, y, cv=4, repeats=2).scores
    M, labels = spd_data()
    aligned = rao.compare([rao.MDM()], M, labels, groups=np.arange(len(M)) % 3, align=[None, "center"])
    assert [r["method"] for r in aligned.rows] == ["MDM(), none", "MDM(), center"]


def test_repeats_have_other_folds():
    from sklearn.model_selection import KFold, StratifiedKFold

    X, y = blobs(n=120, seed=3)
    X = X + 3 * np.random.default_rng(0).normal(size=X.shape)
    people = np.arange(120) % 6

    def scores(**how):
        found = rao.compare([rao.LDA(), rao.KNN()], X, y, **how)
        parts = {}
        for s in found.scores:
            parts.setdefault((s["method"], s["repeat"]), []).append(s["accuracy"])
        assert len(parts) == 6 and found.pairs[0]["corrected_t_p"] <= 1
        return [v for (method, _), v in parts.items() if method == "LDA()"]

    for how in ({"cv": 3}, {"groups": people, "cv": 3},
                {"cv": StratifiedKFold(3, shuffle=True, random_state=np.random.RandomState(0))},
                {"groups": people, "cv": KFold(3, shuffle=True, random_state=np.random.RandomState(0))}):
        first, *others = scores(repeats=3, **how)
        assert all(o != first for o in others), how
    second = rao.compare([rao.LDA()], X, y, cv=3, seed=2)
    assert [s["accuracy"] for s in second.scores] == scores(cv=3, repeats=3)[1]
    fixed = [(np.setdiff1d(np.arange(120), t), t) for t in np.split(np.arange(120), 3)]
    for how in ({"groups": people}, {"cv": fixed}, {"cv": StratifiedKFold(3)}, {"cv": KFold(3, shuffle=True, random_state=1)}):
        with pytest.raises(rao.RaoError, match="repeats=2 would leave out the same"):
            rao.compare([rao.LDA()], X, y, repeats=2, **how)


def test_trials_and_images_are_taken():
    r = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = r.normal(size=(60, 3, 40))
    X[y == 1, 0] *= 3
    c = rao.compare([rao.ERP()], X, y, cv=3) if hasattr(rao, "ERP") else None
    assert c is None or c.rows[0]["accuracy"] > 0.8
    images = rao.compare([rao.LDA()], X, y, cv=3)
    assert images.rows[0]["error"] == ""


def test_tune():
    X, y, T, t = halves()
    s = rao.tune(rao.KNN(), X, y, {"neighbors": [1, 5, 25]}, cv=4)
    assert [r["neighbors"] for r in s.trials] == [1, 5, 25] and s.best["neighbors"] in (1, 5, 25)
    assert s.best == {"neighbors": s.trials[int(np.argmax([r["accuracy"] for r in s.trials]))]["neighbors"]}
    assert s.estimator.neighbors == s.best["neighbors"] and s.estimator.score(T, t) > 0.7
    s = rao.tune(rao.SQFA(filters=2), X, y, {"noise": "0.01..1:log", "classifier": ["qda", "lda"]}, random=4, score="log_loss",
                 refit=False)
    assert len(s.trials) == 4 and s.estimator is None and all(0.01 <= r["noise"] <= 1 for r in s.trials)
    assert s.best["noise"] == min(s.trials, key=lambda r: r["log_loss"])["noise"]
    alone = rao.tune(rao.QDA(reg_param=0.1), X, y, groups=np.arange(len(y)) % 3)
    assert alone.best == {} and len(alone.trials) == 1 and alone.estimator.reg_param == 0.1
    again = rao.tune(rao.SQFA(filters=2, noise=0.1), X, y, {"constraint": ["sphere", "none"], "max_iter": (5, 50)}, refit=False)
    assert len(again.trials) == 4 and again.trials[0]["max_iter"] == 5
    bits, rate = (rao.tune(rao.QDA(), X, y, score=score, seconds=3, refit=False).trials[0][score]
                  for score in ("wolpaw_bits", "wolpaw_bits_per_minute"))
    assert rate == pytest.approx(20 * bits) and bits > 0
    with pytest.raises(rao.RaoError, match="needs the time per decision"):
        rao.tune(rao.QDA(), X, y, score="wolpaw_bits_per_minute")


def test_study():
    r = np.random.default_rng(0)
    X, y = spd_data(n=192)
    subjects, sessions = r.permutation(np.arange(192) % 4), r.permutation(np.arange(192) % 2)
    s = rao.study([rao.MDM(), rao.TSLDA()], {"first": (X, y, subjects, sessions), "second": (X, y)}, cv=2)
    assert {m["evaluation"] for m in s.means} == {"within-session", "cross-session", "cross-subject"}
    assert any("second: cross-subject is left out" in n for n in s.notes)
    rows = [r for r in s.scores if (r["dataset"], r["evaluation"], r["pipeline"]) == ("first", "cross-subject", "MDM()")]
    assert len(rows) == 8
    by_auc = rao.study([rao.MDM()], {"a": (X, y)}, "within-session", score="auc").scores[0]
    assert by_auc["score"] != by_auc["accuracy"] and "auc" in repr(rao.study([rao.MDM()], {"a": (X, y)}, "within-session", score="auc"))
    rate, bits = (rao.study([rao.MDM()], {"a": (X, y)}, "within-session", score=score, seconds=3).scores[0]["score"]
                  for score in ("wolpaw_bits_per_minute", "wolpaw_bits"))
    assert rate == pytest.approx(20 * bits)
    left, here = subjects != 0, (subjects == 0) & (sessions == 0)
    got = next(r for r in rows if r["subject"] == "0" and r["session"] == "0")
    assert got["score"] == pytest.approx(rao.MDM().fit(X[left], y[left]).score(X[here], y[here])) and got["samples_test"] == here.sum()
    assert {p["evaluation"] for p in s.pairs} <= {"within-session", "cross-session", "cross-subject"} and s.pairs


def test_a_study_goes_on_in_its_folder(tmp_path):
    X, y = spd_data()
    sets = {"a": (X, y, np.arange(len(y)) % 3)}
    first = rao.study([rao.MDM()], sets, "cross-subject", folder=tmp_path)
    again = rao.study([rao.MDM(), rao.TSLDA()], sets, "cross-subject", folder=tmp_path)
    assert (first.reused, again.reused) == (0, 3) and (tmp_path / "scores.csv").exists()


def test_results_are_tables():
    pd = pytest.importorskip("pandas")
    X, y, T, t = halves()
    results = [rao.evaluate(rao.QDA().fit(X, y), T, t), rao.compare(["qda-raw", "lda-raw"], X, y, T, t),
               rao.tune(rao.KNN(), X, y, {"neighbors": [1, 5]}, cv=2), rao.study(["qda-raw"], {"a": (X, y)}, "within-session"),
               rao.datasets.available()]
    for r in results:
        f = r.to_pandas()
        assert isinstance(f, pd.DataFrame) and len(f)
        assert "<table" in r._repr_html_() and type(r).__name__ in repr(r)
    assert "qda-raw" in results[1]._repr_html_() and "adjusted by Holm" in results[1]._repr_html_()
    assert len(results[1].pairs_to_pandas()) == 1
    named = rao.compare({"<b>": "qda-raw"}, X, y, T, t)
    assert "<b>" not in named._repr_html_()


@pytest.mark.parametrize("call, words", [
    (lambda X, y: rao.compare([], X, y), "no methods are given"),
    (lambda X, y: rao.compare(["qda-raw", "qda-raw"], X, y), "is listed twice"),
    (lambda X, y: rao.compare(["qda"], X, y), "unknown method 'qda'; strings use the names of the tool: write 'qda-raw'"),
    (lambda X, y: rao.compare("LDA", X, y), "unknown method 'LDA'; strings use the names of the tool: write 'lda-raw'"),
    (lambda X, y: rao.compare("qda-raw:reg_parm=1", X, y), "has no option 'reg_parm'; options in strings use the names of the tool: write 'reg-param'"),
    (lambda X, y: rao.compare([rao.LDA], X, y), r"LDA is a class; make an estimator of it: LDA\(\)"),
    (lambda X, y: rao.tune(rao.LDA, X, y), r"LDA is a class"),
    (lambda X, y: rao.tune("lda-raw", X, y), r"'lda-raw' is a string; pass the estimator rao.LDA\(\)"),
    (lambda X, y: rao.compare(rao.LDA(), X, 0 * y), "y has 1 class, 0"),
    (lambda X, y: rao.tune(rao.LDA(), X, 0 * y), "y has 1 class, 0"),
    (lambda X, y: rao.study(rao.LDA(), {"a": (X, 0 * y)}), "set a: y has 1 class, 0"),
    (lambda X, y: rao.study(rao.LDA(), {"a": (X,)}), r"set a must be \(X, y\)"),
    (lambda X, y: rao.study(rao.LDA(), {"a": (X, y)}, "cross-subject"), "the study has no scores: .*cross-subject is left out"),
    (lambda X, y: rao.compare([rao.QDA()], X, y, X, y, repeats=2), "repeats is used only in cross-validation"),
    (lambda X, y: rao.compare([rao.QDA()], X, y, X, y, align="center"), "align is used only in cross-validation"),
    (lambda X, y: rao.compare([rao.QDA()], X, y, groups=y, align="rotate"), "align is 'rotate', but must be 'none'"),
    (lambda X, y: rao.compare([rao.QDA()], X, y, X, y, cv=3), "cv is used only in cross-validation"),
    (lambda X, y: rao.compare([rao.QDA()], X, y, X), "give both X_test and y_test"),
    (lambda X, y: rao.compare([rao.QDA()], X, y, X, y, groups=y), "groups is used only in cross-validation"),
    (lambda X, y: rao.compare([rao.QDA()], X, y, X, y + 5), "the label 5 of y_test"),
    (lambda X, y: rao.compare([rao.QDA(), rao.MDM()], X, y), "methods of matrices and methods of vectors"),
    (lambda X, y: rao.compare([__import__("sklearn.svm").svm.SVC()], X, y), "SVC is not an estimator of rao"),
    (lambda X, y: rao.compare([rao.QDA()], X, y, X, y, measures=["auk"]), "auk"),
    (lambda X, y: rao.tune(rao.KNN(), X, y, {"neighbours": [1]}), "KNN has no option neighbours"),
    (lambda X, y: rao.tune(rao.KNN(), X, y, {"neighbors": ["many"]}), "many"),
    (lambda X, y: rao.tune(rao.KNN(), X, y, {"neighbors": "1..9:int"}), "range|draw"),
    (lambda X, y: rao.tune(rao.KNN(), X, y, score="best"), "best"),
    (lambda X, y: rao.study(["qda-raw"], {}), "at least one name"),
    (lambda X, y: rao.study(["qda-raw"], {"a": X}), r"must be \(X, y\)"),
    (lambda X, y: rao.study(["qda-raw"], {"a": (X, y)}, ["within"]), "within"),
    (lambda X, y: rao.study(["qda-raw"], {"a": (X, y, y[:-1])}), "observations"),
    (lambda X, y: rao.study(["qda-raw"], {"a": (X, y)}, score="auk"), "auk"),
])
def test_what_is_wrong_is_said(call, words):
    X, y = blobs()
    with pytest.raises(rao.RaoError, match=words):
        call(X, y)


def test_datasets(tmp_path):
    train, test = rao.load_digits(), rao.load_digits("test")
    X, y = train
    assert X.shape == (1198, 64) and train.images.shape == (1198, 8, 8) and y.dtype.kind == "i" and len(test.y) == 599
    toy = rao.datasets.make("toy1", 20, seed=3)
    assert toy.X.shape == (60, 6) and set(toy.y) == {"a", "b", "c"}
    assert np.array_equal(toy.X, rao.datasets.make("toy1", 20, seed=3).X)
    speed = rao.datasets.make("speed", 2)
    assert speed.X.shape == (82, 450) and speed.image == (15, 30, 1) and speed.classes.dtype.kind == "f"
    assert np.allclose(np.sort(speed.classes), np.linspace(-6, 6, 41))
    M, labels = rao.datasets.make("syn1", 5)
    assert M.shape == (20, 10, 10)
    np.savez(tmp_path / "d.npz", X=X[:30], y=y[:30], session=np.arange(30) % 2, who=np.array(["a", "b"] * 15))
    mine = rao.datasets.load(tmp_path / "d.npz")
    assert np.array_equal(mine.X, X[:30]) and np.array_equal(mine.y, y[:30])
    assert mine.variables["who"].tolist() == ["a", "b"] * 15 and mine.variables["session"].sum() == 15
    assert "variables" in repr(mine) and "<table" in mine._repr_html_()
    for call, words in ((lambda: rao.datasets.get("mnits"), "no data set is named 'mnits'; choose from"),
                        (lambda: rao.datasets.get("toy1"), r"rao.datasets.make\('toy1'\)"),
                        (lambda: rao.datasets.get("digits", "valid"), "valid"),
                        (lambda: rao.datasets.get("mnist", source=tmp_path), "mnist|train"),
                        (lambda: rao.load_digits("all"), "choose train or test"),
                        (lambda: rao.datasets.make("toy9"), "toy9"),
                        (lambda: rao.datasets.load(tmp_path / "absent.npz"), "absent.npz"),
                        (lambda: mine.images, "are not images")):
        with pytest.raises(rao.RaoError, match=words):
            call()


def test_evaluate_without_scikit_learn():
    import subprocess

    program = ("import sys\nsys.modules['sklearn'] = None\nimport numpy as np, rao\nX, y = rao.load_digits()\n"
               "print(rao.compare(['lda-raw'], X, y, cv=2).rows[0]['accuracy'])")
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert float(ran.stdout) > 0.9, ran.stderr


def test_evaluate_with_weights():
    X, y = rao.load_digits()
    keep = np.isin(y, [3, 8])
    X, y = X[keep], y[keep]
    m = rao.LDA().fit(X[::2], y[::2])
    X, y = X[1::2], y[1::2]
    w = np.arange(len(y)) % 4
    weighted = rao.evaluate(m, X, y, sample_weight=w, bootstrap=0)
    repeated = rao.evaluate(m, np.repeat(X, w, 0), np.repeat(y, w), bootstrap=0)
    for name, measure in repeated.measures.items():
        assert weighted.measures[name].value == pytest.approx(measure.value, abs=1e-12)
    assert weighted.accuracy == pytest.approx(repeated.accuracy) and len(weighted.risk) == 0
    with pytest.raises(rao.RaoError, match="counts every observation once"):
        weighted.versus(weighted)
    with pytest.raises(ValueError, match="one value for each"):
        rao.evaluate(m, X, y, sample_weight=w[:-1])
    with pytest.raises(rao.RaoError, match="finite and not negative"):
        rao.evaluate(m, X, y, sample_weight=-w)


def test_compare_and_tune_with_weights_and_a_positive_class():
    X, y = rao.load_digits()
    keep = np.isin(y, [3, 8])
    X, y = X[keep], np.where(y[keep] == 3, "three", "eight")
    (X, y), (T, t) = (X[::2], y[::2]), (X[1::2], y[1::2])
    w, u = np.arange(len(y)) % 3 + 1, np.arange(len(t)) % 4
    methods = {"lda": rao.LDA(shrinkage=0.1), "qda": rao.QDA(reg_param=0.3)}
    c = rao.compare(methods, X, y, T, t, measures=["precision", "recall"], positive="eight", sample_weight=w, sample_weight_test=u)
    assert not c.pairs and [r["method"] for r in c.rows] == ["lda", "qda"]
    for row in c.rows:
        fitted = methods[row["method"]].fit(X, y, sample_weight=w)
        e = rao.evaluate(fitted, T, t, positive="eight", sample_weight=u)
        assert row["accuracy"] == pytest.approx(e.accuracy) and row["precision"] == pytest.approx(e.measures["precision"].value)
        assert row["recall"] == pytest.approx(e.measures["recall"].value)
    other = rao.compare(methods, X, y, T, t, measures=["recall"], sample_weight=w)
    assert other.rows[0]["recall"] != c.rows[0]["recall"] and len(other.pairs) == 1

    s = {p: rao.tune(rao.QDA(), X, y, {"reg_param": [0.01, 0.9]}, score="recall", positive=p, refit=False) for p in ("eight", "three")}
    assert s["eight"].trials[0]["recall"] != s["three"].trials[0]["recall"]
    heavy = rao.tune(rao.LDA(shrinkage=0.1), X, y, cv=3, sample_weight=np.where(y == "eight", 50, 1))
    plain = rao.LDA(shrinkage=0.1).fit(X, y, sample_weight=np.where(y == "eight", 50, 1))
    assert np.array_equal(heavy.estimator.predict_proba(T), plain.predict_proba(T))
    assert heavy.trials[0]["log_loss"] != rao.tune(rao.LDA(shrinkage=0.1), X, y, cv=3, refit=False).trials[0]["log_loss"]

    for call, words in ((lambda: rao.compare(methods, X, y, positive="eight"), "positive needs test data"),
                        (lambda: rao.compare(methods, X, y, sample_weight=w), "sample_weight needs test data"),
                        (lambda: rao.compare(methods, X, y, T, t, positive="nine"), "not one of two classes"),
                        (lambda: rao.compare(methods, X, y, T, t, sample_weight=-w), "finite and not negative"),
                        (lambda: rao.tune(rao.KNN(), X, y, sample_weight=w), "leave out sample_weight"),
                        (lambda: rao.tune(rao.LDA(), X, y, positive=8), "not one of two classes")):
        with pytest.raises(rao.RaoError, match=words):
            call()
    with pytest.warns(rao.RaoWarning, match="leave out sample_weight"):
        assert "does not support weights" in rao.compare([rao.KNN(), rao.LDA(shrinkage=0.1)], X, y, T, t, sample_weight=w).rows[0]["error"]


def test_the_keyword_for_folds_is_cv():
    X, y = blobs()
    for call, first in ((rao.compare, X), (rao.tune, X), (rao.study, {"a": (X, y)})):
        with pytest.raises(TypeError, match=f"{call.__name__} has no keyword folds; use cv"):
            call(rao.LDA(), first, y, folds=3)
        assert "folds" not in inspect.signature(call).parameters


def test_strings_use_the_names_of_the_tool():
    """The same string names a method in compare, study and the option classifier, and every other spelling is an error."""
    X, y = blobs()
    for name in rao._methods.names():
        assert hasattr(rao, name)
    named = rao.compare(["lda:filters=2:reg-param=0.1", "mixture-raw:subclasses=2:seed=3"], X, y, X, y).models
    assert [m.method for m in named.values()] == ["lda", "mixture-raw"] and named["lda:filters=2:reg-param=0.1"].options["reg-param"] == "0.1"
    e = rao.PCA(filters=2, classifier="knn:neighbors=3").fit(X, y)
    assert e.model_.options["classifier"] == "knn:neighbors=3"
    for wrong, words in ((rao.KNN(neighbors=3), "a string, not an estimator; use 'knn-raw:neighbors=3' instead of KNN"),
                         (sklearn.SVC(), "put SVC into a pipeline"),
                         ("SVM", "write 'svm'$"), ("QDA", "write 'qda'$"), ("LDA:shrinkage=oas", "write 'lda'$"), ("KNM", "the tool: knn"),
                         ("lda:class_weight=balanced", "write 'class-weight'$")):
        with pytest.raises(ValueError, match=words):
            rao.PCA(filters=2, classifier=wrong).fit(X, y)


def test_folds_of_scikit_learn():
    from sklearn.model_selection import GroupKFold, ShuffleSplit, StratifiedKFold, cross_val_score

    X, y = rao.load_digits()
    folds = StratifiedKFold(4, shuffle=True, random_state=3)
    c = rao.compare([rao.LDA(), rao.KNN()], X, y, cv=folds)
    scores = cross_val_score(rao.LDA(), X, y, cv=folds)
    np.testing.assert_allclose([s["accuracy"] for s in c.scores if s["method"] == "LDA()"], scores, rtol=1e-12)
    assert 0 < c.pairs[0]["corrected_t_p"] < 0.2
    pairs = list(folds.split(X, y))
    assert rao.compare([rao.LDA()], X, y, cv=iter(pairs)).rows[0]["accuracy"] == c.rows[0]["accuracy"]
    found = rao.tune(rao.LDA(), X, y, cv=folds, refit=False)
    np.testing.assert_allclose(found.trials[0]["accuracy"], scores.mean(), rtol=1e-12)
    who = np.arange(len(y)) % 6
    by_group = rao.compare([rao.LDA()], X, y, cv=GroupKFold(3), groups=who)
    np.testing.assert_allclose([s["accuracy"] for s in by_group.scores],
                               cross_val_score(rao.LDA(), X, y, cv=GroupKFold(3), groups=who), rtol=1e-12)
    for call in (rao.compare, rao.tune):
        for cv, words in ((ShuffleSplit(3), "fold [12] of 3 overlaps"), (pairs[:2], "observation .* is in no test part"),
                          ([([0, 1], [2, 3])], "differs from the observations outside its training part"), ("many", "must be a number of folds"),
                          ([pairs[0], pairs[0]], "fold 2 of 2 overlaps"), (2.5, "cv is 2.5, but must be a whole number")):
            with pytest.raises(rao.RaoError, match=words):
                call(rao.LDA(), X, y, cv=cv)
    for call in (rao.compare, rao.tune):
        with pytest.raises(rao.RaoError, match="cv=99 exceeds the number of groups"):
            call(rao.LDA(), X, y, groups=who, cv=99)
    equal = dict(X=X[:400], y=y[:400], groups=np.arange(400) % 4, cv=2)  # the same folds of groups as in a comparison
    folds = rao.tune(rao.LDA(), **equal)
    assert ", 2 folds," in repr(folds)
    assert rao.compare([rao.LDA()], **equal).rows[0]["accuracy"] == pytest.approx(folds.trials[0]["accuracy"])
