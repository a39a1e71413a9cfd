"""Tests of error messages and warnings: Python names its own keywords, and nothing is ignored silently."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import blobs, filtered, spd_data

import rao
from rao._distribution import DISTRIBUTION

vectors, matrices = blobs(d=16), spd_data()


@pytest.mark.parametrize("wrong, words", [
    (lambda X: X + 1j, "complex"),
    (lambda X: X.astype(str), "X contains numbers stored as text"),
    (lambda X: X.astype("datetime64[s]"), "datetime64"),
    (lambda X: None, "single value"),
    (lambda X: [[1.0], [1.0, 2.0]], "cannot be converted to an array"),
])
def test_arrays_that_are_no_numbers(wrong, words):
    X, y = vectors
    C, _ = matrices
    with filtered("error"):
        for call in (lambda: rao.mean(wrong(C)), lambda: rao.distance(wrong(C), C), lambda: rao.stats(wrong(X), y),
                     lambda: rao.covariances(wrong(C))):
            with pytest.raises(rao.RaoError, match=words):
                call()


def frame(kind):
    pd = pytest.importorskip(kind)
    return pd, pd.DataFrame({f"x{i}": v for i, v in enumerate(vectors[0].T)}), vectors[1]


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_columns_that_are_no_numbers_are_named(kind):
    pytest.importorskip("sklearn")
    pd, X, y = frame(kind)
    of_text = pd.Series("sex", ["f", "m"] * 120) if kind == "polars" else pd.Series(["f", "m"] * 120)
    for column in (of_text, of_text.cast(pd.Categorical) if kind == "polars" else of_text.astype("category"),
                   np.array(["2026-11-23"] * 240, "datetime64[us]")):
        Z = X.with_columns(sex=pd.Series("sex", column)) if kind == "polars" else X.assign(sex=column)
        for call in (lambda: rao.SQFA(filters=2, noise=0.1).fit(Z, y), lambda: rao.stats(Z, y)):
            with pytest.raises(rao.RaoError, match="column 'sex' of X contains"):
                call()
    if kind == "pandas":
        numbers = X.assign(k=pd.Categorical([1, 2] * 120), o=pd.Series([1, 2.5] * 120, dtype=object))
        assert rao.SQFA(filters=2, noise=0.1).fit(numbers, y).n_features_in_ == 18


def test_models_that_can_be_updated_are_named_as_classes():
    X, y = vectors
    with pytest.raises(rao.RaoError, match=r"\(only PLRSQ, MDM, MatrixKNN and KNN can\)"):
        rao.SVM().fit(X, y).model_.update(X, y)


def test_cross_validations_warn():
    X, y = vectors
    X = X.copy()
    X[:, 3] *= 1e-170  # its squares underflow
    message = "QDA: 3 of 3 fits have warnings, the first of them: column 3 varies by less than 1e-150"
    with pytest.warns(rao.RaoWarning, match=message):
        rao.tune(rao.QDA(), X, y, cv=3, refit=False)


def test_comparisons_on_training_rows_warn():
    X, y = vectors
    with pytest.warns(rao.RaoWarning, match="about 100 % of the test observations are also training observations"):
        rao.compare([rao.KNN()], X, y, X, y)
    with filtered("error"):
        rao.compare([rao.KNN()], X[::2], y[::2], X[1::2], y[1::2])


def test_masked_and_sparse_arrays():
    pytest.importorskip("sklearn")
    sparse = pytest.importorskip("scipy.sparse")
    X, y = vectors
    hidden = np.ma.masked_greater(X, 2.5)
    m = rao.SQFA(filters=2, noise=0.1).fit(np.ma.masked_greater(X, 1e9), y)
    for call in (lambda: rao.SQFA().fit(hidden, y), lambda: m.predict(hidden), lambda: rao.stats(hidden, y)):
        with pytest.raises(rao.RaoError, match="X has masked values; fill them"):
            call()
    with pytest.raises(rao.RaoError, match="X is sparse; use X.toarray"):
        rao.stats(sparse.csr_matrix(X), y)


def test_words_of_python():
    pytest.importorskip("sklearn")
    X, y = vectors
    C, labels = matrices
    with pytest.raises(rao.RaoError, match='set repair="auto", "shrink" or "floor", or leave out channels, such as repair="drop:3,5"'):
        rao.MDM().fit(C * np.outer([1, 1, 1, 1, 0], [1, 1, 1, 1, 0]), labels)
    with pytest.raises(rao.RaoError, match=r"has the shape \(5, 5\)"):
        rao.covariances(C[0])
    with pytest.raises(rao.RaoError, match="LDA is not fitted; call fit first"):
        rao.evaluate(rao.LDA(), X, y)
    for e in (rao.TangentRidge(), rao.TangentRidge().fit(C, C[:, 0, 0]), rao.TangentRidge().fit(C, C[:, 0, 0]).model_):
        with pytest.raises(rao.RaoError, match="scores only classifiers; score.X, y. of a regressor returns R²"):
            rao.evaluate(e, C, C[:, 0, 0])
    with pytest.warns(rao.RaoWarning, match=r"^SQFA\(filters=20\): fold 1 of 3: X: 20 filters were requested in 16 dimensions"):
        rao.compare([rao.SQFA(filters=20), rao.LDA()], X, y, cv=3)


@pytest.mark.parametrize("wrong, words", [
    (np.array([1, "a"] * 120, object), "y mixes values of the types int, str"),
    (np.array(["a", None] * 120, object), "NoneType"),
    (np.array([0.0, 1.0, np.nan] * 80), "value 2 .counted from 0. is NaN"),
    (np.zeros((240, 3)), r"y has the shape \(240, 3\)"),
    (None, "y has the shape"),
])
def test_labels_that_are_none(wrong, words):
    with pytest.raises(rao.RaoError, match=words):
        rao.stats(vectors[0], wrong)


def test_labels_are_numbered_without_scikit_learn():
    program = "import sys, numpy as np, rao; rao.stats(np.eye(4), [0, 0, 1, 1]); assert 'sklearn' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("absent, call, words", [
    ("sklearn", "rao.SQFA", f"pip install '{DISTRIBUTION}[estimators]'"),
    ("matplotlib", "rao.plot_filters(np.eye(3))", f"pip install '{DISTRIBUTION}[plots]'"),
])
def test_a_missing_package_names_the_extra(absent, call, words):
    program = f"import sys, numpy as np\nsys.modules[{absent!r}] = None\nimport rao\n{call}"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert words in ran.stderr.splitlines()[-1], ran.stderr


def test_the_distribution_has_one_name():
    project = Path(__file__).parents[1] / "pyproject.toml"
    if not project.exists():
        pytest.skip("no checkout around the tests")
    assert f'\nname = "{DISTRIBUTION}"\n' in project.read_text()


def test_building_without_go_says_so(tmp_path):
    backend = Path(__file__).parents[1]
    if not (backend / "backend.py").exists():
        pytest.skip("no checkout around the tests")
    ran = subprocess.run([sys.executable, str(backend / "backend.py"), "--out", str(tmp_path)], capture_output=True, text=True,
                         env={**os.environ, "PATH": str(tmp_path)})
    assert ran.returncode == 1 and not list(tmp_path.iterdir())
    assert re.fullmatch(rf"building {DISTRIBUTION} from source needs Go 1\.26.*; install (Go|it) .*, or install a wheel\n", ran.stderr), ran.stderr


@pytest.mark.parametrize("call, words", [
    (lambda C: rao.mean(C, tol="x"), "tol is 'x', but must be a number"),
    (lambda C: rao.mean(C, tol=np.nan), "tol is nan, but must be a finite number"),
    (lambda C: rao.mean(C, max_iter=1.5), "max_iter is 1.5, but must be a whole number"),
    (lambda C: rao.mean(C, sample_weight=np.ones((len(C), 1))), "sample_weight has the shape"),
    (lambda C: rao.mean(C, sample_weight=["a"] * len(C)), "sample_weight contains text"),
    (lambda C: rao.tangent(C, C[:1]), "reference has shape"),
    (lambda C: rao.tangent(C, "mean"), "reference contains text"),
    (lambda C: rao.stats(*vectors).distance(noise="auto"), "noise is 'auto', but must be a number"),
    (lambda C: rao.stats(*vectors, classes=[0, 1, 2, 2]), "2 twice"),
    (lambda C: rao.stats(*vectors, classes="ab"), "must be a list"),
    (lambda C: rao.stats(*vectors, classes=3), "must be a list"),
    (lambda C: rao.stats(np.ones((0, 3)), []), "no labels"),
])
def test_values_of_functions(call, words):
    with pytest.raises(rao.RaoError, match=words):
        call(matrices[0])


def test_numbers_of_numpy_are_numbers():
    C, _ = matrices
    assert np.array_equal(rao.mean(C, tol=np.float32(0), max_iter=np.int64(100)), rao.mean(C, max_iter=100))
    assert rao.stats(*vectors).distance(noise=np.int64(1)).shape == (3, 3)


def test_statistics_keep_what_they_had():
    X, y = vectors
    s = rao.Statistics()
    with pytest.raises(rao.RaoError):
        s.partial_fit(X[:, :0], y)
    assert s.partial_fit(X, y + 5).classes == ["5", "6", "7"]
    for other in (X, [s]):
        with pytest.raises(TypeError, match="rao.Statistics as separate arguments"):
            s.merge(other)


def test_messages_name_what_the_user_wrote():
    X, y = vectors
    with pytest.raises(TypeError, match=r"^fit\(\) got an unexpected keyword argument 'sample_weight'"):
        rao.KNN().fit(X, y, sample_weight=np.ones(len(y)))
    with pytest.raises(rao.RaoError, match="^priors: the number of values is 2, but the number of classes is 3"):
        rao.LDA(priors=[0.5, 0.5]).fit(X, y)
    with pytest.raises(rao.RaoError, match="^noise is None, but must be a number"):
        rao.SQFA(noise=None).fit(X, y)
    C, labels = rao.datasets.make("syn1", per_class=4)
    for call, words in ((lambda: rao.SQFA(noise=-1).fit(X, y), "noise is -1, but must be a number of 0 or more"),
                        (lambda: rao.SQFA(max_iter="x").fit(X, y), "max_iter is 'x', but must be a whole number"),
                        (lambda: rao.LDA(shrinkage=2).fit(X, y), "shrinkage is 2, but must be between 0 and 1"),
                        (lambda: rao.MatrixKNN(neighbors=0).fit(C, labels), "neighbors is 0, but must be a whole number"),
                        (lambda: rao.MatrixKNNRegressor(neighbors=0).fit(C, labels), "neighbors is 0, but must be a whole number"),
                        (lambda: rao.TangentRidge(ridge="x").fit(C, labels), "ridge is 'x', but must be a number above 0")):
        with pytest.raises(rao.RaoError, match="^" + re.escape(words)):
            call()


def test_files(tmp_path):
    absent = tmp_path / "absent.npz"
    for load in (rao.load, rao.Statistics.load, rao.PrivateStatistics.load, rao.datasets.load, rao.read):
        with pytest.raises(rao.RaoError) as e:
            load(absent)
        assert isinstance(e.value, FileNotFoundError) and str(e.value) == f"{absent}: no such file or folder; check the name"
    fd = os.open(tmp_path, os.O_RDONLY) if os.name == "posix" else 0
    with pytest.raises(TypeError):
        rao.load(fd)
    if fd:
        os.close(fd)  # is still open


@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of the child")
def test_a_process_without_memory_says_so():
    program = ("import resource, numpy as np, rao\n"
               "resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))\n"
               "try:\n    rao.stats(np.zeros((4, 30000), np.uint8), [0, 0, 1, 1])\n"
               "except (rao.EngineError, rao.RaoError) as e:\n    print(e)")
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout
    assert "use fewer rows or columns" in said and "runtime" not in said


class TestEstimators:
    @pytest.fixture(autouse=True)
    def _needs(self):
        pytest.importorskip("sklearn")

    @pytest.mark.parametrize("options, words", [
        ({"max_iter": 0}, "^max_iter is 0, but must be "),
        ({"reg_param": 2}, "^reg_param is 2, but must be "),
        ({"init": np.ones(16)}, r"init has shape \(16,\)"),
        ({"init": np.ones((3, 2)).tolist()}, "initial filters are 3×2"),
        ({"init": [["a", "b"]]}, "init contains text"),
    ])
    def test_options(self, options, words):
        with pytest.raises(ValueError, match=words):
            rao.SQFA(filters=2, noise=0.1, **options).fit(*vectors)

    def test_no_flags(self):
        s = rao.stats(*vectors)
        for options in ({"refine": True}, {"classifier": "knn"}, {"subclasses": 2}):
            with pytest.raises(rao.RaoError) as told:
                rao.SQFA(filters=2, noise=0.1, **options).fit_statistics(s)
            assert "--" not in str(told.value).split("(rao ")[0]
        C, y = matrices
        with pytest.raises(rao.RaoError, match="tradeoff needs target"):
            rao.MDM(tradeoff=0.2).fit(C, y)

    def test_commands_of_the_tool_stay(self):
        from rao._engine import in_python

        for text, want in (
            ("--max-iter 3 (rao stats --moments), or --data", "max_iter 3 (rao stats --moments), or data"),
            ("lvq: svm-raw: reg-param 2; rao fit svm-raw --reg-param", "SVM: reg_param 2; rao fit svm-raw --reg-param"),
            ('mdm.npz, /a/mdm, "mdm" and pca; mdm: --classifier="mdm"', 'mdm.npz, /a/mdm, "mdm" and pca; MDM: classifier="mdm"'),
        ):
            assert in_python(text) == want

    def test_recordings(self):
        C, y = matrices
        for call in (lambda: rao.MDM(adapt="center").fit(C, y, recordings=[1, 2]),
                     lambda: rao.MDM(adapt="center").fit(C, y).model_.decide(C, recordings=[1, 2])):
            with pytest.raises(ValueError, match=f"recordings has 2 values, but X has {len(C)}"):
                call()
        adapted, which = rao.MDM(adapt="center").fit(C, y, recordings=np.arange(len(C)) % 2), np.arange(len(C)) % 2
        p = adapted.decide(C, recordings=which).probability
        assert np.array_equal(p, adapted.model_.decide(C, recordings=which).probability)
        assert np.array_equal(p[::2], adapted.decide(C[::2]).probability) and not np.array_equal(p, adapted.decide(C).probability)
        with pytest.raises(ValueError, match="neither of the options adapt and target"):
            rao.LDA().fit(*vectors).decide(vectors[0], recordings=vectors[1])
        with pytest.raises(TypeError, match="recordings"):
            rao.LDA().fit(*vectors, recordings=vectors[1])
        with pytest.raises(ValueError, match="pass recordings to fit"):
            rao.MDM(target="7").fit(C, y)

    def test_matrices_and_labels(self):
        C, y = matrices
        for X, labels, words in ((C[:0], y[:0], "but X has none"), (C, np.array([1, "a"] * 45, object), "types int, str"),
                                 (C.astype(str), y, "X contains numbers stored as text")):
            with pytest.raises(ValueError, match=words):
                rao.MDM().fit(X, labels)
        m = rao.MDM().fit(C, y)
        with pytest.raises(rao.RaoError, match="y has the class 9, which is not one of the classes 0, 1, 2"):
            m.partial_fit(C, np.full(len(y), 9))
        with pytest.raises(ValueError, match="y has none of class 1"):
            rao.MDM().partial_fit(C[y != 1], y[y != 1], classes=[0, 1, 2])
        with pytest.raises(TypeError, match="needs rao.Statistics"):
            rao.SQFA().fit_statistics(vectors[0])

    def test_scores_of_models(self):
        X, y = vectors
        m = rao.LDA().fit(X, np.array(["ant", "bee", "cow"])[y]).model_
        with pytest.raises(rao.RaoError, match="'ant', 'bee', 'cow'"):
            m.score(X, y)
        with pytest.raises(rao.RaoError, match="shape"):
            m.score(X, y[:, None])
        assert rao.LDA().fit(X, y).model_.score(X, y.astype(float)) > 0.9
        C, _ = matrices
        r = rao.TangentRidge().fit(C, C[:, 0, 0]).model_
        with pytest.raises(rao.RaoError, match="has no classes; use predict"):
            r.predict_proba(C)
        with pytest.raises(rao.RaoError, match="shape"):
            r.score(C, C[:, 0, :1])

    def test_saving_over_a_folder(self, tmp_path):
        with pytest.raises(IsADirectoryError, match="it is a folder"):
            rao.LDA().fit(*vectors).save(tmp_path)

    def test_matrices_are_no_table(self):
        pytest.importorskip("pandas")
        X = np.random.default_rng(0).normal(size=(40, 3, 30))
        e = rao.ERP().set_output(transform="pandas").fit(X, np.arange(40) % 2)
        with pytest.raises(ValueError, match="ERP returns matrices"):
            e.transform(X)

    def test_no_classifier(self):
        e = rao.SQFA(filters=2, noise=0.1, classifier=None).fit(*vectors)
        with pytest.raises(AttributeError) as told:
            e.predict(vectors[0])
        assert "classifier" in str(told.value) + str(told.value.__cause__)


def test_pictures():
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    X, y = vectors
    filters = np.eye(16)[:, :2]
    before = plt.get_fignums()
    for call, words in (
        (lambda: rao.plot_filters(filters, shape=(3, 3)), "whose product is 16"),
        (lambda: rao.plot_patterns(filters, X), "features"),
        (lambda: rao.plot_patterns(filters, rao.stats(X[:, :4], y)), r"shape \(4, 4\)"),
        (lambda: rao.plot_ellipses(X), "class of each row"),
        (lambda: rao.plot_ellipses(X, y, dims=(0, 16)), "numbers from 0 to 15"),
        (lambda: rao.plot_ellipses(X, y, dims=(-1, 0)), "two numbers from 0 to 15"),
        (lambda: rao.plot_ellipses(rao.stats(X, y), dims=(0, 70)), "numbers from 0 to 15"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
    assert plt.get_fignums() == before  # no half-drawn picture stays


def test_warnings_of_filters():
    """What makes filters worse than they could be is a warning with the names of keywords."""
    pytest.importorskip("sklearn")
    r = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 100)
    X = r.normal(size=(300, 8))
    X[:, 0] += 3 * y
    with pytest.warns(rao.RaoWarning, match="the 8 filters span only .* choose a lower noise, fewer filters") as told:
        m = rao.SQFA(filters=8, noise=10).fit(X, y)
    assert told[0].filename == __file__
    assert "choose a lower noise" in " ".join(m.model_.notes) and "--" not in " ".join(m.model_.notes)
    with pytest.warns(rao.RaoWarning, match="7 filters were requested, but the model has only 2"):
        assert rao.LDAFilters(filters=7).fit(X, y).filters_.shape == (8, 2)
    with filtered("error"):
        rao.LDAFilters().fit(X, y)
        rao.SQFA(filters=1, noise=0.1).fit(X, y)


def test_warnings_of_fits():
    """What a person should act on is a warning; what a fit has decided for good reasons is a note."""
    pytest.importorskip("sklearn")
    r = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 40)
    X = r.normal(size=(120, 6)) * [1, 1, 1, 100, 1, 1]
    X[:, 0] += 4 * y
    X[:, 5] = 7
    with pytest.warns(rao.RaoWarning, match="column 5 is constant"):
        m = rao.SQFA(filters=2, noise=0.1).fit(X, y)
    assert any("separates the means" in n for n in m.model_.notes)
    with filtered("error"):
        rao.SQFA(filters=2, noise=0.1).fit(X[:, :5], y)
    alike = r.normal(size=(120, 6)) * [1, 1, 1, 100, 1, 1]
    with pytest.warns(rao.RaoWarning, match="the largest is .* times the median; the option scale changes this"):
        rao.SQFA(filters=2, noise=0.1).fit(alike, y)
    with pytest.warns(rao.RaoWarning, match="of 18 held-out rows correctly; 18 rows are too few for a good choice"):
        rao.SQFA(filters=1).fit(X[::7, :2], y[::7])
    noisy, labels = np.random.default_rng(3).normal(size=(150, 40)), np.arange(150) % 3
    noisy[:, :4] *= 1 + 2 * ((labels[:, None] + np.arange(4)) % 3)
    with pytest.warns(rao.RaoWarning, match="the filters were not refined: of 150 held-out rows"):
        rao.SQFA(filters=4, noise=0.3, refine=True).fit(noisy, labels)


def test_the_readme_gives_no_warning():
    datasets = pytest.importorskip("sklearn.datasets")
    X, y = datasets.load_digits(return_X_y=True)
    with filtered("error"):
        sqfa = rao.SQFA(filters=9).fit(X[:1198], y[:1198])
    assert sqfa.score(X[1198:], y[1198:]) > 0.92


def test_warnings_within_scikit_learn_name_the_line_of_the_caller():
    from sklearn.model_selection import cross_val_score

    rng = np.random.default_rng(34)
    with pytest.warns(rao.RaoWarning) as caught:
        cross_val_score(rao.SQFA(filters=2), rng.normal(size=(40, 6)), np.repeat([0, 1], [28, 12]), cv=2)
    assert {w.filename for w in caught} == {__file__}



def test_columns_of_arrow_tables_are_named():
    pa = pytest.importorskip("pyarrow")
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    numbers = pa.table({"age": X[:, 0], "size": X[:, 1].astype("float32"), "n": np.arange(40)})
    assert list(rao.LDA().fit(numbers, y).feature_names_in_) == ["age", "size", "n"]
    mixed = numbers.append_column("site", pa.array(["a", "b"] * 20))
    for call in (lambda: rao.LDA().fit(mixed, y), lambda: rao.stats(mixed, y), lambda: rao.tune(rao.LDA(), mixed, y)):
        with pytest.raises(rao.RaoError, match="column 'site' of X contains values of type string, not numbers"):
            call()


def test_statistics_are_not_loaded_as_a_model(tmp_path):
    X, y = rao.load_digits()
    rao.stats(X, y).save(tmp_path / "s.npz")
    with pytest.raises(rao.RaoError, match="contains statistics, not a model; read it with rao.Statistics.load"):
        rao.load(tmp_path / "s.npz")
    rao.stats(X, y, private=rao.Privacy(3, 1e-6, range=(0, 16), classes=range(10))).save(tmp_path / "p.npz")
    with pytest.raises(rao.RaoError, match="contains private statistics, not a model; read it with rao.PrivateStatistics.load"):
        rao.load(tmp_path / "p.npz")
    with pytest.raises(rao.RaoError, match=r'p\.npz contains private statistics; read them with rao.PrivateStatistics.load'):
        rao.Statistics.load(tmp_path / "p.npz")
    with pytest.raises(rao.RaoError, match=r's\.npz: the file contains "statistics", but must contain private statistics'):
        rao.PrivateStatistics.load(tmp_path / "s.npz")
    rao.LDA(shrinkage="oas").fit(X.reshape(len(X), -1), y).save(tmp_path / "m.rao")
    with pytest.raises(rao.RaoError, match=r"m\.rao contains a model; read it with rao.load$"):
        rao.Statistics.load(tmp_path / "m.rao")


def test_unknown_classes_of_statistics_are_listed_like_those_of_estimators():
    X, y = rao.load_digits()
    with pytest.raises(rao.RaoError, match="^the class 2 is not one of 0, 1; name all classes when you create the statistics"):
        rao.stats(X, y, classes=[0, 1])


def test_arrays_for_options_without_arrays_are_not_printed():
    X, y = rao.load_digits()
    X = X.reshape(len(X), -1)
    for init in (np.zeros((10, 64)), np.zeros((10, 64)).tolist()):
        with pytest.raises(rao.RaoError, match=r'^unknown init "array of shape \(10, 64\)"; choose from auto, means, kmeans$'):
            rao.GLVQ(init=init).fit(X, y)


def test_models_are_not_saved_as_onnx(tmp_path):
    X, y = rao.load_digits()
    m = rao.SQFA(filters=2, noise=0.1).fit(X, y)
    for model in (m, m.model_):
        with pytest.raises(ValueError, match="save writes the format of rao; use export_onnx"):
            model.save(tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


def test_options_of_matrix_methods_are_named_without_x():
    C, y = rao.datasets.make("syn1", per_class=10)
    with pytest.raises(rao.RaoError, match='^unknown repair "flor"; '):
        rao.MDM(repair="flor").fit(C, y)


def test_a_recording_of_too_few_matrices_is_named():
    C, y = rao.datasets.make("syn1", per_class=10)
    recordings = ["s2"] * 13 + ["s1"] * (len(C) - 13)
    recordings[-4:] = ["s3"] * 4
    with pytest.raises(rao.RaoError, match="recording s3: centering needs the mean of the recording, but the number of matrices"):
        rao.MDM(adapt="center").fit(C, y, recordings=recordings)


def test_options_are_turned_off_with_none():
    import inspect

    for name, estimator in inspect.getmembers(rao, lambda c: hasattr(c, "get_params")):
        off = [k for k, p in inspect.signature(estimator).parameters.items() if p.default == "none" or "'none'" in str(p.annotation)
               or '"none"' in str(p.annotation)]
        assert off == [], name
    X, y = rao.load_digits()
    m = rao.SQFA(filters=2, noise=0.1, scale=None, classifier=None).fit(X, y)
    assert not m.model_.has_classifier
    assert not hasattr(m, "predict") and np.array_equal(m.filters_, rao.SQFA(filters=2, noise=0.1, scale="none").fit(X, y).filters_)
    with pytest.raises(AttributeError) as caught:
        m.predict(X)
    assert str(caught.value.__cause__).startswith("classifier=None fits no classifier")


def test_none_and_auto_are_the_defaults_of_functions_and_estimators():
    C, y = rao.datasets.make("syn1", per_class=10)
    assert np.array_equal(rao.MDM(target=None).fit(C, y).predict(C), rao.MDM().fit(C, y).predict(C))
    assert np.array_equal(rao.embed(C, gamma="auto"), rao.embed(C))
    assert np.array_equal(rao.mean(C, tol="auto", max_iter="auto"), rao.mean(C, tol=1e-9, max_iter=200))
    for call in (lambda: rao.embed(C, gamma=None), lambda: rao.embed(C, gamma="wide")):
        with pytest.raises(rao.RaoError, match="^gamma is .*, but must be a number, or auto$"):
            call()


def test_filters_that_decide_badly_are_a_warning():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 4))
    y = rng.integers(2, size=300)
    for fit, rows in (
        (lambda noise: rao.SQFA(filters=2, noise=noise).fit(X, y), "held-out rows"),
        (lambda noise: rao.SQFA(filters=2, noise=noise).fit_statistics(rao.stats(X, y)), "rows drawn from the statistics"),
    ):
        for noise in ("auto", 0.1):
            with pytest.warns(rao.RaoWarning, match=rows + r" correctly, which is not clearly above chance \(5"):
                fit(noise)
    X[:, 0] += 2 * y
    with filtered("error", category=rao.RaoWarning):
        for noise in ("auto", 0.1):
            rao.SQFA(filters=2, noise=noise).fit(X, y)
    y = np.arange(300) % 3
    X[:, 1] += 3 * (y == 1)
    X[:, 2] += 3 * (y == 2)
    with pytest.warns(rao.RaoWarning, match="held-out rows are classified correctly, but with a .* classifier of the columns"):
        rao.SQFA(filters=2, noise=1e4).fit(X, y)


def test_rare_classes_that_the_columns_show_have_no_warning():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(400, 6)), (np.arange(400) % 20 == 0).astype(int)
    with pytest.warns(rao.RaoWarning, match=r"which is not clearly above chance \(95 %\)"):
        rao.SQFA(filters=2).fit(X, y)
    X[:, 0] += 2 * y
    with filtered("error", ".*chance", rao.RaoWarning):
        rao.SQFA(filters=2).fit(X, y)


@pytest.mark.parametrize("call, words", [
    (lambda X, y: rao.LDA().fit("data.csv", y), "X is the string 'data.csv', not an array; rao.datasets.load reads files"),
    (lambda X, y: rao.LDA().fit(X.astype(str), y), r"X contains numbers stored as text; use X.astype\(float\)"),
    (lambda X, y: rao.LDA().fit(np.where(np.arange(16) == 2, "a", X.astype(object)), y), r"X\[0, 2\] is 'a', not a number"),
    (lambda X, y: rao.LDA(missing="drop").fit(X, y).predict(np.where(X > 2, np.nan, X)), "missing='drop' leaves out only training rows"),
    (lambda X, y: rao.LDA().partial_fit(X[y == 0], y[y == 0]), "needs all classes, but y has only 0; give all of them as classes"),
    (lambda X, y: rao.LDA().partial_fit(X, y, classes=[0, 1]), "y has the class 2, which is not one of the classes 0, 1"),
    (lambda X, y: rao.LDA().partial_fit(X, y).partial_fit(X, y, classes=[0, 1, 5]), "classes of the model differ in"),
    (lambda X, y: rao.LDA().partial_fit(X, y).partial_fit(X, y + 1), "y has the class 3"),
    (lambda X, y: rao.LDA().partial_fit(X[y == 0], y[y == 0], classes=[0, 1, 2]).predict(X), "no model yet, because class 1 has fewer than two observations"),
    (lambda X, y: rao.KNN().partial_fit(X, y, classes=[0, 1]), "y has the class 2"),
    (lambda X, y: rao.KNN().fit(X, y).partial_fit(X, y, classes=[7, 8]), "classes of the model differ in"),
    (lambda X, y: rao.PCA(filters=99).fit(X, y), "the number of filters is 99; it must be between 1 and 16"),
    (lambda X, y: rao.KNN(neighbors=999).fit(X, y), "the number of neighbors is 999"),
    (lambda X, y: rao.MDM(target="s9").fit(*matrices, recordings=matrices[1]), 'target="s9": no observation'),
    (lambda X, y: rao.ERP().fit(X[:, None] * X[:, :, None], y), "X contains symmetric matrices; ERP learns from signals"),
    (lambda X, y: rao.Xdawn().fit(np.stack([X, 0 * X], axis=1), y), "channel 1 .counted from 0. of X is constant in every trial"),
    (lambda X, y: rao.MDM(target="recording=s1").fit(*matrices, recordings=matrices[1]), "target='s1'"),
])
@pytest.mark.filterwarnings("ignore")
def test_what_to_do_is_said_in_words_of_python(call, words):
    pytest.importorskip("sklearn")
    with pytest.raises(ValueError, match=words):
        call(*vectors)


def test_advice_on_singular_matrices_works():
    pytest.importorskip("sklearn")
    C, y = matrices
    C = C.copy()
    C[3, 0], C[3, :, 0] = 0, 0
    with pytest.raises(rao.RaoError) as said:
        rao.MDM().fit(C, y)
    for setting in ("auto", "shrink", "floor", "drop:0"):
        assert setting.partition(":")[0] in str(said.value)
        with filtered("ignore"):
            assert rao.MDM(repair=setting).fit(C, y).score(C, y) > 0.5
    with pytest.raises(rao.RaoError, match=r'leave it out, or compute it with shrinkage, as rao.covariances\(X, "oas"\)'):
        rao.mean(C)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("labels", [lambda y: y.astype(object), lambda y: pytest.importorskip("pandas").array(y, "Int64"),
                                    lambda y: pytest.importorskip("pandas").Series(y, dtype="Int64")])
def test_labels_keep_their_type(labels):
    pytest.importorskip("sklearn")
    for e, (X, y) in ((rao.LDA(), vectors), (rao.MDM(), matrices), (rao.LDA(missing="mean"), vectors)):
        e.fit(X, labels(y))
        assert e.classes_.dtype.kind == "i" and np.array_equal(e.predict(X), type(e)().fit(X, y).predict(X))


def test_images_are_not_trials():
    pytest.importorskip("sklearn")
    X = np.random.default_rng(0).normal(size=(60, 8, 8))
    with pytest.warns(rao.RaoWarning, match="the trials have 8 channels and 8 samples"):
        rao.ERP().fit(X, np.arange(60) % 2)


def test_private_noise_is_a_warning():
    r = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = r.normal(size=(60, 6))
    p = rao.Privacy(0.3, 1e-6, range=(-10, 10), classes=range(3))
    with pytest.warns(rao.RaoWarning, match="too few rows for this guarantee"):
        for _ in range(5):
            rao.stats(X, y, private=p)


@pytest.mark.parametrize("load", [rao.load, rao.Statistics.load, rao.PrivateStatistics.load])
def test_a_folder_is_not_a_file(load, tmp_path):
    with pytest.raises(rao.RaoError, match="is a folder; give a file in it") as e:
        load(tmp_path)
    assert isinstance(e.value, IsADirectoryError)


def test_picks_of_arrays_are_refused():
    X = np.random.default_rng(0).normal(size=(6, 3, 50))
    for call in (lambda: rao.covariances(X, picks=["C3", "C4"]), lambda: rao.Covariances(picks="eeg").fit_transform(X)):
        with pytest.raises(rao.RaoError, match="picks chooses channels of Epochs"):
            call()


@pytest.mark.parametrize("call, words", [
    (lambda X, y: rao.LDA(class_weight="even").fit(X, y), 'is not a class weight; give None, "balanced", or a dict of class and weight'),
    (lambda X, y: rao.LDA(class_weight={0: -1}).fit(X, y), 'the class weight "-1" is not a positive number; give a number above 0'),
    (lambda X, y: rao.stats(X, y).project(rao.SQFA()), "SQFA is not fitted to vectors by rao; call fit first"),
    (lambda X, y: rao.tune("sqfa:filters=2:noise=0.1", X, y), r"is a string; pass the estimator rao.SQFA\(filters=2, noise=0.1\)$"),
    (lambda X, y: rao.KNN().fit(X, np.r_[y[1:] % 2, 2]), "class 2 has one observation, but every class needs at least two; leave"),
    (lambda X, y: rao.covariances(X[None], "scm"), 'unknown estimator "scm"; did you mean sample.$'),
    (lambda X, y: rao.LDA(shrinkage="lw").fit(X, y), "^shrinkage is 'lw', but must be auto, None, oas, ledoit_wolf or an amount"),
    (lambda X, y: rao.MDM(reduce="pca").fit(np.stack([np.eye(2)] * 4), [0, 0, 1, 1]), "choose from None, csp, enuc, sqfa$"),
    (lambda X, y: rao.covariances(X[None], "ledoit-wolf"), 'unknown estimator "ledoit-wolf"; did you mean ledoit_wolf'),
])
def test_the_remedy_is_in_the_words_of_python(call, words):
    pytest.importorskip("sklearn")
    with pytest.raises(rao.RaoError, match=words):
        call(*vectors)


def test_methods_have_the_names_of_their_classes():
    pytest.importorskip("sklearn")
    X, y = vectors
    with pytest.warns(UserWarning, match="^BDM did not converge"):
        rao.BDM(filters=2, noise=0.1, max_iter=1).fit(X, y)
    m = rao.QDA(reg_param=0.1).fit(X, y).model_
    assert repr(m) == "<rao.Model QDA: vectors of 16, 3 classes>" and "seconds" not in m.report
    assert ">QDA<" in m._repr_html_() and ">reg_param 0.1<" in m._repr_html_()


def test_errors_name_the_keyword():
    """Values of the wrong kind or size, of keywords that the program does not check or knows by another name."""
    C, y = rao.datasets.make("syn1", per_class=10)
    X, labels = vectors
    recording, S = rao.simulate(trials=4), rao.stats(X, labels)
    lda = rao.LDA().fit(X, labels)
    measured = {"y": [0, 1, 1], "probability": [0.2, 0.7, 0.4]}
    for call, words in (
            (lambda: rao.distance(C, metric=3), "metric is 3, but must be a string"),
            (lambda: rao.mean(C, metric=float("nan")), "metric is nan, but must be a string"),
            (lambda: rao.MatrixKMeans(metric=None).fit(C), "metric is None, but must be a string"),
            (lambda: rao.mean(C, method="mode"), "method is 'mode', but must be one of mean, median, power, masked, joint"),
            (lambda: rao.embed(C, method=2), "method is 2, but must be a string"),
            (lambda: rao.embed(C, components=0), "components is 0, but must be at least 1"),
            (lambda: rao.mean(C, sample_weight=[1, 2]), r"sample_weight has the shape \(2,\) for 40 matrices"),
            (lambda: rao.covariances(X[:, None], estimator=5), "estimator is 5, but must be a string"),
            (lambda: rao.measures(**measured, bootstrap=-1), "bootstrap is -1, but must be at least 0"),
            (lambda: rao.measures(**measured, seed=-1), "seed is -1, but must be at least 0"),
            (lambda: rao.manova(C, y, seed=2**64), "seed is 18446744073709551616, but must be below"),
            (lambda: rao.evaluate(lda, X, labels, seconds=-1), "seconds is -1, but must be at least 0"),
            (lambda: rao.evaluate(lda, X, labels, threshold="low"), "threshold is 'low', but must be a number, or None"),
            (lambda: rao.riemannian_gaussian([1, 2]), r"centers has the shape \(2,\)"),
            (lambda: rao.compare(3, X, labels), "methods is 3, but must be a list"),
            (lambda: rao.compare([rao.LDA()], X, labels, align=3), "align is 3, but must be a list"),
            (lambda: rao.compare([rao.LDA()], X, labels, cv=1), "cv is 1, but must be at least 2"),
            (lambda: rao.compare([rao.LDA()], X, labels, cv={"a": 1}), "cv must be a number of folds, a splitter"),
            (lambda: rao.compare([rao.LDA()], X[:9], labels), f"y has {len(labels)} labels, but X has 9 observations"),
            (lambda: rao.tune(rao.LDA(), X, labels, ["shrinkage"]), r"search is \['shrinkage'\], but must be a dict"),
            (lambda: rao.tune(rao.LDA(), X, labels, {"shrinkage": 0.1}), "search: shrinkage is 0.1, but must be a list"),
            (lambda: rao.tune(rao.LDA(), X, labels, score=1), "score is 1, but must be a string"),
            (lambda: rao.study([rao.MDM()], {"a": (C, y)}, 1), "evaluations is 1, but must be a list"),
            (lambda: rao.study([rao.MDM()], {"a": (C, y)}, folder=1), "folder is 1, but must be a path"),
            (lambda: rao.stats(X, labels, hashes=1.5), "hashes is 1.5, but must be a path"),
            (lambda: rao.Privacy(1, 1e-6, range=(0, 1), classes=3), "classes is 3, but must be a list"),
            (lambda: rao.Privacy(1, 1e-6, range=(0, 1), classes=[0, 1], ledger=3), "ledger is 3, but must be a path"),
            (lambda: rao.datasets.make(3), "name is 3, but must be a string"),
            (lambda: rao.datasets.make("toy1", per_class=0), "per_class is 0, but must be at least 1"),
            (lambda: rao.simulate(kind=["movement"]), r"kind is \['movement'\], but must be a string"),
            (lambda: S.distance(3), "distance is 3, but must be a string"),
            (lambda: rao.Statistics.from_moments(S.means, S.covariances, classes="abc"), "classes is 'abc', but must be a list"),
            (lambda: recording.to_epochs(start="0"), "start is '0', but must be a number"),
            (lambda: recording.to_epochs(start=2, stop=1), "start is 2.0, but must be at most stop, 1.0"),
            (lambda: rao.Potato(fields=[1, 2]).fit(C), r"fields is \[1, 2\], but must be a list of lists"),
            (lambda: rao.MatrixKMeans(max_iter=0).fit(C), "max_iter is 0, but must be at least 1"),
            (lambda: lda.export_onnx("m.onnx", outputs=1), "outputs is 1, but must be a list"),
            (lambda: rao.ERP(evoked="odd").fit(np.random.default_rng(0).normal(size=(20, 2, 30)), np.arange(20) % 2),
             '^evoked: unknown class "odd"; choose from 0, 1'),
    ):
        with pytest.raises(rao.RaoError, match=words):
            call()


def test_seeds_have_one_default():
    import inspect

    for f in (rao.measures, rao.evaluate, rao.compare, rao.tune, rao.study, rao.manova, rao.riemannian_gaussian, rao.simulate,
              rao.datasets.make, rao.MatrixKMeans, rao.SQFA):
        assert inspect.signature(f).parameters["seed"].default == 1, f
    y, p = np.arange(60) % 2, np.random.default_rng(0).random(60)
    found = [rao.measures(y, p, seed=seed)["accuracy"] for seed in (0, 1, 2)]
    assert found[0] == found[1] != found[2] and rao.measures(y, p)["accuracy"] == found[1]


def test_notes_name_options_as_in_python():
    C, y = rao.datasets.make("syn1", per_class=10)
    with pytest.warns(rao.RaoWarning, match="one band is assumed; the option band_count changes this$"):
        e = rao.FBCSP().fit(C, y)
    assert any("option band_count" in note for note in e.model_.notes)
