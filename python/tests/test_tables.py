"""Data frames with text, dates, booleans and missing values: the contract of the tool's tables."""

import io
import os
import re
import subprocess
import zipfile

import numpy as np
import pytest
from conftest import blobs, filtered

import rao
from rao import _engine, _tables

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

pytestmark = pytest.mark.filterwarnings("ignore::rao.RaoWarning")


@pytest.fixture
def table():
    i = np.arange(700)
    X = pd.DataFrame({"x": (i * i % 23) / 7 + i % 2, "kind": np.array(["a", "b", "b c"], object)[i * i % 3],
                      "when": pd.to_datetime("2024-01-01T12:30") + pd.to_timedelta(i % 300, unit="D"), "y": np.sin(i),
                      "open now": i % 5 % 2 == 1, "same": 7})
    X.loc[i % 13 == 0, "x"] = np.nan
    X.loc[i % 11 == 0, "kind"] = None
    X.loc[i % 17 == 0, "when"] = pd.NaT
    return X, pd.Series(np.array(["no", "yes"])[i % 2], name="class")


def frames(X):
    return {"pandas": X, "polars": pl.from_pandas(X), "arrow": pa.Table.from_pandas(X, preserve_index=False)}


def content(model):
    """The arrays and the description of a model, without the type of labels, which no file of the tool knows."""
    parts = zipfile.ZipFile(io.BytesIO(model.to_bytes()))
    found = {n: parts.read(n) for n in parts.namelist()}
    found["rao.json"] = re.sub(rb'"(meta_sha256|labels)": "\w*"', b"", found["rao.json"])
    return found


@pytest.mark.parametrize("missing", ["mean", "drop"])
def test_every_route_gives_one_model(table, missing, tmp_path):
    X, y = table
    both = X.assign(**{"class": y})
    both.to_csv(tmp_path / "t.csv", index=False)
    both.to_parquet(tmp_path / "t.parquet", index=False)
    models = []
    for file in ("t.csv", "t.parquet"):
        for args in (["stats", "--out", "s.npz"], ["fit", "lda-raw", "--out", "m.rao"]):
            subprocess.run([_engine.executable(), *args, "--data", file, "--y", "class", "--categories", "auto",
                            "--missing", missing], cwd=tmp_path, check=True, capture_output=True)
        tool = rao.load(tmp_path / "m.rao")
        models += [tool, rao.LDA().fit_statistics(rao.Statistics.load(tmp_path / "s.npz")).model_]
    complete = (X if missing == "mean" else X.dropna()).head(40)
    for frame, rows in zip(frames(X).values(), frames(complete).values()):
        fitted = rao.LDA(categories="auto", missing=missing).fit(frame, y)
        stats = rao.stats(frame, y, categories="auto", missing=missing)
        stats.save(tmp_path / "again.npz")
        models += [fitted.model_, rao.LDA().fit_statistics(stats).model_,
                   rao.LDA().fit_statistics(rao.Statistics.load(tmp_path / "again.npz")).model_]
        np.testing.assert_array_equal(fitted.predict_proba(rows), tool.predict_proba(complete))
        columns = list(complete.columns)[::-1]  # which are matched by name
        np.testing.assert_array_equal(fitted.predict_proba(complete[columns]), tool.predict_proba(complete))
    for m in models[1:]:
        assert content(m) == content(models[0])


def test_weights_of_the_rows_of_tables(table):
    X, y = table[0].drop(columns="same"), table[1]
    times = 1 + np.arange(len(X)) // 7 % 2
    weighted = rao.LDA(categories="auto", missing="drop").fit(X, y, sample_weight=times)
    rows = np.repeat(np.arange(len(X)), times)
    repeated = rao.LDA(categories="auto", missing="drop").fit(X.iloc[rows], y.iloc[rows])
    some = X.dropna()
    np.testing.assert_allclose(weighted.predict_proba(some), repeated.predict_proba(some), rtol=1e-9)


def test_evaluation_of_tables(table):
    X, y = table
    how = {"categories": "auto", "missing": "median"}
    fitted = rao.LDA(**how).fit(X[:500], y[:500])
    e = rao.evaluate(fitted, X[500:], y[500:])
    c = rao.compare([rao.LDA(), rao.QDA()], X[:500], y[:500], X[500:], y[500:], **how)
    assert c.rows[0]["accuracy"] == e.accuracy == fitted.score(X[500:], y[500:]) > 0.55
    assert c.models["LDA()"].predict(X[:5]).tolist() == fitted.predict(X[:5]).tolist()
    assert rao.compare([rao.LDA(**how)], frames(X)["polars"], y, cv=3).rows[0]["error"] == ""
    search = rao.tune(rao.LDAFilters(**how), X, y, {"filters": [1, 2]}, cv=3)
    assert search.estimator.categories == "auto" and search.estimator.predict(X[:3]).shape == (3,)
    with pytest.raises(rao.RaoError, match="the options categories and missing differ"):
        rao.compare([rao.LDA(**how), rao.QDA()], X, y)


def test_updates_of_tables(table):
    X, y = table
    how = {"categories": "auto", "missing": "drop"}
    m = rao.KNN(**how).fit(X[:300], y[:300]).model_
    assert sum(m.update(X[300:], y[300:]).counts) > sum(m.counts)
    parts, one, whole = (rao.KNN(**how), rao.LDA(**how), rao.LDA(**how).fit(X, y))
    for rows in (slice(0, 300), slice(300, 700)):
        parts.partial_fit(frames(X)["polars"][rows], y[rows])
        one.partial_fit(X[rows], y[rows])
    assert sum(parts.model_.counts) == len(X.dropna()) and list(one.feature_names_in_) == list(X.columns)
    np.testing.assert_allclose(one.predict_proba(X.dropna()), whole.predict_proba(X.dropna()), atol=1e-12)
    with pytest.raises(rao.RaoError, match="replace missing values by different numbers"):
        m = rao.LDA(categories="auto", missing="mean").partial_fit(X[:300], y[:300]).partial_fit(X[300:], y[300:])


@pytest.mark.filterwarnings("always::rao.RaoWarning")
@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "array"])
def test_rows_that_the_training_drops_are_left_out_of_a_score(table, kind):
    X, y = table
    if kind == "array":
        X = X[["x", "y"]].to_numpy()
        complete, fitted, given = ~np.isnan(X).any(1), rao.LDA(missing="drop").fit(X, y), X
    else:
        complete, fitted = X.notna().all(axis=1), rao.LDA(categories="auto", missing="drop").fit(X, y)
        given = frames(X)[kind]
    weights = 1.0 + np.arange(len(y)) % 3
    want = rao.evaluate(fitted, X[complete], y[complete], sample_weight=weights[complete])
    with pytest.warns(rao.RaoWarning, match=f"left out of the evaluation: {len(y) - complete.sum()} of 700 rows") as said:
        got = rao.evaluate(fitted, given, y, sample_weight=weights)
    assert said[0].filename == __file__
    assert got.measures == want.measures and got.confusion.sum() == complete.sum()
    assert kind == "array" or rao.evaluate(fitted.model_, given, y).accuracy == fitted.score(X[complete], y[complete])


def test_groups_of_tables(table):
    X, y = table
    who, when = np.arange(len(y)) // 100, np.arange(len(y)) // 50 % 2
    complete = X.notna().all(axis=1).to_numpy()
    how = {"categories": "auto", "missing": "drop"}
    some = (X[complete], y[complete])
    c = rao.compare([rao.LDA()], X, y, groups=who, **how)
    assert c.scores == rao.compare([rao.LDA()], *some, groups=who[complete], **how).scores
    assert c._title == f"{complete.sum()} observations, 7 groups left out in turn"
    assert rao.compare([rao.LDA(**how)], X, y, cv=[(np.flatnonzero(who != k), np.flatnonzero(who == k)) for k in range(7)]) \
        .rows[0]["accuracy"] == c.rows[0]["accuracy"]
    search = rao.tune(rao.LDAFilters(**how), X, y, {"filters": [1, 2]}, groups=who)
    assert search.trials == rao.tune(rao.LDAFilters(**how), *some, {"filters": [1, 2]}, groups=who[complete]).trials
    s = rao.study([rao.LDA()], {"one": (X, y, who), "two": (frames(X)["polars"], y, who, when)}, **how)
    kept = who[complete]
    again = rao.study({"LDA()": rao.LDA(**how)}, {"one": (*some, kept), "two": (*some, kept, when[complete])})
    assert again.means == s.means and {m["evaluation"] for m in s.means} == {"within-session", "cross-session", "cross-subject"}


def test_arrays_lack_values_too(table):
    X, y = table
    Z = X[["x", "y"]].to_numpy()
    fitted = rao.LDA(missing="mean").fit(Z, y)
    filled = np.where(np.isnan(Z), np.nanmean(Z, axis=0), Z)
    np.testing.assert_array_equal(fitted.predict(Z), rao.LDA().fit(filled, y).predict(filled))


def test_a_missing_value_names_the_option(table):
    Z, y = table[0][["x", "y"]], table[1]
    fitted = rao.LDA(missing="drop").fit(Z, y)
    for call in (lambda: rao.LDA().fit(Z, y), lambda: rao.LDA().partial_fit(Z.to_numpy(), y), lambda: fitted.predict(Z.to_numpy())):
        with pytest.raises(rao.RaoError, match="X contains NaN(: fill it in, or learn with|, and missing='drop' .* fit with) missing='mean'"):
            call()


def test_frames_of_mixed_values_go_by_text(table, monkeypatch):
    X, y = table
    mixed = X.assign(code=pd.Series([1, "x", 2.5, "y"] * 175, dtype=object))
    with pytest.raises(rao.RaoError, match='"code": "x" is not a number; leave the column out, .*categories="auto,code"$'):
        rao.LDA(categories="auto", missing="mean").fit(mixed, y)
    fitted = rao.LDA(categories=["auto", "code"], missing="mean").fit(mixed, y)
    assert [n for n in fitted.model_.columns if n.startswith("code=")] == ["code=2.5", "code=x", "code=y"]
    monkeypatch.setattr(pd.DataFrame, "to_parquet", lambda *a, **k: exec('raise ImportError("no pyarrow")'))
    by_text = rao.LDA(categories="auto", missing="mean").fit(X, y)
    assert content(by_text.model_) == content(rao.LDA(categories="auto", missing="mean").fit(frames(X)["arrow"], y).model_)


def test_files_of_tables_go(table, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    X, y = table
    rao.LDA(categories="auto", missing="mean").fit(X, y).predict(X)
    with pytest.raises(rao.RaoError):
        rao.LDA(categories="auto").fit(X, y)
    assert os.listdir(tmp_path) == []


def test_names_of_labels_avoid_columns(table):
    X, y = table
    t = _tables.Table(X.assign(**{"class": 1, "class0": 2}), y)
    assert b'"label": "class1"' in t.array.tobytes()


@pytest.mark.parametrize("fit, message", [
    (lambda X, y: rao.LDA().fit(X, y), "column 'kind' of X .* learn from it with categories='auto'"),
    (lambda X, y: rao.stats(X, y), "column 'kind' of X .* learn from it with categories='auto'"),
    (lambda X, y: rao.LDA(categories="auto").fit(X, y), 'X: row 0, column "x" has no value.* missing="median"'),
    (lambda X, y: rao.stats(X, y, categories="auto", missing="median"), "X: a median needs all values"),
    (lambda X, y: rao.LDA(categories="nope", missing="mean").fit(X, y), "categories: X has no column 'nope'; it has x, kind"),
    (lambda X, y: rao.LDA(missing="often").fit(X, y), 'missing: unknown treatment of missing values "often"; choose from error, drop, median, mean'),
    (lambda X, y: rao.LDA(categories="auto").fit(X[["x"]].to_numpy(), y), "categories need an X with named columns"),
    (lambda X, y: rao.LDA(categories="auto", missing="mean").fit(X, y).predict(X.drop(columns="kind")), "X: the table has no column kind;"),
    (lambda X, y: rao.LDA(categories="auto", missing="mean").fit(X, y).predict(X.drop(columns=["kind", "when"])), "X: the table has no columns kind and when;"),
    (lambda X, y: rao.LDA(categories="auto", missing="mean").fit(X, y).predict(X.assign(new=1)),
     "X: column new is not in the training data; leave it out$"),
    (lambda X, y: rao.LDA(categories="auto", missing="mean").fit(X, y).predict(X.assign(when="late")), "is not a date"),
    (lambda X, y: rao.LDA(categories="auto", missing="mean").fit(X, y[:9]), "class has 9 values, but X has 700 rows"),
    (lambda X, y: rao.stats(X, y, categories="auto", private=rao.Privacy(1, 1e-6, (0, 1), ["no", "yes"])),
     "categories does not work with private, because texts that are found in the data are private"),
    (lambda X, y: rao.stats(X[["x"]], y, missing="mean", private=rao.Privacy(1, 1e-6, (0, 1), ["no", "yes"])), "missing does not work with private"),
    (lambda X, y: rao.LDA(categories="auto", missing="drop").fit(X, y).predict(X), 'row 0, column "x" has no value'),
])
def test_faults_of_tables(table, fit, message):
    with pytest.raises(ValueError, match=message):
        fit(*table)


@pytest.mark.parametrize("weighted", [False, True])
def test_statistics_of_an_array_drop_rows(weighted):
    X, y = blobs(n=120, classes=2)
    X[5, 1] = X[80, 0] = np.nan
    w = np.arange(120) % 3 + 1.0 if weighted else None
    kept = ~np.isnan(X).any(1)
    want = rao.stats(X[kept], y[kept], sample_weight=w if w is None else w[kept])
    fitted = rao.LDA(missing="drop").fit(X, y, sample_weight=w)
    learned = rao.LDA(missing="drop").partial_fit(X[:60], y[:60], sample_weight=w if w is None else w[:60])
    learned.partial_fit(X[60:], y[60:], sample_weight=w if w is None else w[60:])
    added = rao.Statistics([0, 1]).partial_fit(X, y, w, missing="drop")
    for got in (rao.stats(X, y, sample_weight=w, missing="drop"), added, learned.statistics_):
        assert np.array_equal(got.counts, want.counts) and np.allclose(got.means, want.means)
        assert np.allclose(got.covariances, want.covariances)
    assert np.allclose(learned.predict_proba(X[kept]), fitted.predict_proba(X[kept]))
    with pytest.warns(rao.RaoWarning, match="left out of the evaluation: 2 of 120 rows"):
        assert rao.evaluate(learned, X, y).confusion.sum() == 118
    with pytest.raises(rao.RaoError, match="every row has a missing value"):
        rao.stats(np.full((4, 2), np.nan), [0, 0, 1, 1], missing="drop")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
@pytest.mark.parametrize("how", [{}, {"categories": "auto"}], ids=["numbers", "texts"])
def test_columns_are_matched_by_name(kind, how):
    """Another order of columns changes nothing; a column that is missing, or not in the training data, is an error."""
    pd = pytest.importorskip("pandas")
    r = np.random.default_rng(0)
    y = r.integers(0, 2, 200)
    X = pd.DataFrame({"b": r.normal(size=200) + 2 * y, "a": r.normal(size=200), "c": 3 * r.normal(size=200) - y})
    if how:
        X = X.assign(city=np.where(r.random(200) < 0.5 + 0.3 * y, "x", "z"))
    other = frames(X[X.columns[::-1]])[kind]
    X = frames(X)[kind]
    online, table = rao.KNN(**how), rao.LDA(**how).fit(X, y)
    want = table.predict(X)
    for e in (table, table.model_, rao.LDA().fit_statistics(rao.stats(X, y, **how))):
        assert np.array_equal(e.predict(other), want)
        less = X.drop(["a"]) if kind == "arrow" else X.drop("a") if kind == "polars" else X.drop(columns="a")
        with pytest.raises(ValueError, match=r"\ba\b"):
            e.predict(less)
        renamed = ["d" if n == "c" else n for n in X.schema.names] if kind == "arrow" else {"c": "d"}
        with pytest.raises(ValueError, match=r"\b[cd]\b"):
            e.predict(X.rename(columns=renamed) if kind == "pandas" else X.rename_columns(renamed) if kind == "arrow" else X.rename(renamed))
    assert rao.evaluate(table, other, y).accuracy == rao.evaluate(table, X, y).accuracy
    again = rao.compare(rao.LDA(**how), X, y, other, y).rows[0]["accuracy"]
    assert again == rao.compare(rao.LDA(**how), X, y, X, y).rows[0]["accuracy"]
    with pytest.raises(rao.RaoError, match="X_test has no column 'a'"):
        rao.compare(rao.LDA(**how), X, y, less, y)
    same = rao.KNN(**how).fit(X, y).model_.update(X, y)
    assert np.array_equal(rao.KNN(**how).fit(X, y).model_.update(other, y).predict_proba(X), same.predict_proba(X))
    assert np.array_equal(online.partial_fit(X, y).partial_fit(other, y).predict_proba(X), same.predict_proba(X))
    if not how:
        assert np.allclose(rao.LDA().partial_fit(X, y).partial_fit(other, y).statistics_.means, rao.stats(X, y).means)


@pytest.mark.parametrize("numbers", [[0, 1, 2, 3], [3, 1, 0, 2], [7, 5, 9, 6], ["a", 1, 2, 3]], ids=str)
def test_columns_with_numbers_for_names_are_matched_by_name(numbers):
    r = np.random.default_rng(0)
    y = r.integers(0, 2, 200)
    X = pd.DataFrame(r.normal(size=(200, 4)) * [1, 5, 0.2, 30] + np.outer(y, [2, 0, 0.1, -9]), columns=numbers)
    others = [X[[numbers[i] for i in (2, 0, 3, 1)]]]
    others.append(others[0].rename(columns=str))  # as after reading a csv file
    fitted, texts = rao.LDA().fit(X, y), rao.LDA().fit(X.rename(columns=str), y)
    want = fitted.predict_proba(X)
    assert np.mean(fitted.predict(X) == y) > 0.8 and np.array_equal(texts.predict_proba(X), want)
    loaded = rao.load(fitted.model_.to_bytes())
    for other in others:
        for e in (fitted, texts, loaded, rao.LDA().fit_statistics(rao.stats(X, y))):
            assert np.array_equal(e.predict_proba(other), want), (e, list(other.columns))
        assert rao.evaluate(fitted, other, y).accuracy == rao.evaluate(fitted, X, y).accuracy
        assert rao.compare(rao.LDA(), X, y, other, y).rows[0]["accuracy"] == rao.compare(rao.LDA(), X, y, X, y).rows[0]["accuracy"]
        for learned in (rao.LDA().partial_fit(X, y).partial_fit(other, y).statistics_, rao.stats(X, y).partial_fit(other, y)):
            assert np.allclose(learned.means, rao.stats(X, y).means)
        assert np.array_equal(rao.KNN().fit(X, y).model_.update(other, y).predict_proba(X), rao.KNN().fit(X, y).model_.update(X, y).predict_proba(X))
    strange = X.set_axis([0, 1, 2, 4], axis=1)
    if numbers == [0, 1, 2, 3]:
        for e in (fitted, fitted.model_):
            with pytest.warns(rao.RaoWarning, match="the columns 0, 1, 2, 4 of X are matched by position"):
                e.predict(strange)
    else:
        for e in (fitted, fitted.model_):
            with pytest.raises(ValueError, match="4"):
                e.predict(strange)
    with pytest.raises(rao.RaoError, match="two columns named '1'"):
        rao.LDA().fit(X.set_axis([5, 1, "1", 2], axis=1), y)


def test_an_array_cannot_replace_texts():
    pd = pytest.importorskip("pandas")
    y = np.arange(60) % 2
    X = pd.DataFrame({"a": np.arange(60.0) % 7 + y, "city": np.where(np.arange(60) % 3 == y, "x", "z")})
    m = rao.KNN(categories="auto").fit(X, y)
    with pytest.raises(rao.RaoError, match="text in the column city.*give a data frame with the columns a, city"):
        m.predict(X.to_numpy())
    lazy = pl.from_pandas(X).lazy()
    for call in (lambda: rao.LDA().fit(lazy, y), lambda: rao.LDA(categories="auto").fit(lazy, y), lambda: rao.stats(lazy, y), lambda: m.predict(lazy)):
        with pytest.raises(rao.RaoError, match="X is a LazyFrame, which has no rows yet; use X.collect"):
            call()
    with pytest.raises(rao.RaoError, match="X has two columns named 'a'"):
        rao.LDA().fit(X[["a", "a"]], y)


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_texts_that_the_training_data_lack_are_a_warning(kind):
    pd = pytest.importorskip("pandas")
    y = np.arange(90) % 2
    X = pd.DataFrame({"a": np.arange(90.0) % 7 + y, "city": np.array(["x", "y", "z"])[np.arange(90) % 3]})
    Z = X.assign(city=np.where(np.arange(90) < 4, "Bonn", X.city))
    X, Z = frames(X)[kind], frames(Z)[kind]
    with filtered("ignore"):
        m = rao.KNN(categories="auto").fit(X, y)
        pca = rao.PCA(filters=1, categories="auto").fit(X, y)
    for call in (m.predict, m.predict_proba, m.decide, m.model_.predict, pca.transform, lambda Z: m.score(Z, y),
                 lambda Z: rao.evaluate(m, Z, y), lambda Z: m.model_.update(Z, y)):
        with pytest.warns(rao.RaoWarning, match=r'column city: texts .*, such as "Bonn", are counted as x \(4 rows\)'):
            call(Z)
    with pytest.warns(rao.RaoWarning, match='X_test: column city: texts that are not in the training data'):
        rao.compare(rao.KNN(categories="auto"), X, y, Z, y)
    with filtered("error"):
        m.predict(X)
