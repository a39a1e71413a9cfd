"""ONNX files predict what the models predict, in another runtime."""

import json
import subprocess

import numpy as np
import pytest
from conftest import blobs, spd_data

import rao

NotFittedError = pytest.importorskip("sklearn.exceptions").NotFittedError
onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")

models = [
    (rao.SQFA(filters=2, noise=0.1), "v"),
    (rao.PCA(filters=3, classifier="lda"), "v"),
    (rao.QDA(), "v"),
    (rao.LDA(scale="column"), "v"),
    (rao.RSLVQ(epochs=5, sigma2=1.0), "v"),
    (rao.GMLVQ(epochs=5), "v"),
    (rao.LGMLVQ(epochs=5), "v"),
    (rao.Mixture(subclasses=2), "v"),
    (rao.SQFA(filters=2, noise=0.1, classifier="mixture"), "v"),
    (rao.KNN(), "v"),
    (rao.KNN(neighbors=230), "v"),
    (rao.LDAFilters(classifier="knn"), "v"),
    (rao.MDM(), "m"),
    (rao.MDM(metric="logeuclid"), "m"),
    (rao.CSP(), "m"),
    (rao.MatrixKNN(metric="logeuclid"), "m"),
    (rao.FgMDM(), "m"),
    (rao.TSLDA(), "m"),
    (rao.TSLR(), "m"),
    (rao.ENuc(), "m"),
    (rao.TSSM(), "m"),
    (rao.PLRSQ(epochs=5, sigma2=1.0), "m"),
    (rao.LogEuclideanPLRSQ(epochs=5, sigma2=1.0), "m"),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("e, kind", models, ids=lambda v: str(v)[:30])
def test_agrees_with_onnxruntime(e, kind, tmp_path):
    X, y = blobs() if kind == "v" else spd_data()
    names = np.array(["a", "b", "c"])[y]
    e.fit(X, names)
    e.save(tmp_path / "m.rao")
    path = tmp_path / "m.onnx"
    e.export_onnx(path)
    rao.load(tmp_path / "m.rao").export_onnx(tmp_path / "loaded.onnx")
    assert path.read_bytes() == (tmp_path / "loaded.onnx").read_bytes()
    graph = onnx.load(path)
    onnx.checker.check_model(graph, full_check=True)
    metadata = {p.key: p.value for p in graph.metadata_props}
    assert json.loads(metadata["classes"]) == ["a", "b", "c"] and metadata["method"] == e.model_.method
    session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    for x in (X, X[:1]):
        out = dict(zip([o.name for o in session.get_outputs()], session.run(None, {"X": x})))
        assert np.abs(out["probabilities"] - e.predict_proba(x)).max() < 1e-10
        assert list(out["label"]) == list(e.predict(x))
        assert "valid" not in out or out["valid"].all()
    x = X[:2].copy()
    x.flat[0] = np.nan
    out = dict(zip([o.name for o in session.get_outputs()], session.run(None, {"X": x})))
    assert out["label"][0] == "" and np.isnan(out["probabilities"][0]).all()
    assert out["label"][1] == e.predict(X[1:2])[0] and ("valid" not in out or list(out["valid"]) == [False, True])


def test_features_in_single_precision(tmp_path):
    X, y = blobs()
    e = rao.SQFA(filters=2, noise=0.1).fit(X, y)
    path = tmp_path / "m.onnx"
    e.export_onnx(path, precision="single", outputs=["features", "probabilities"])
    session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    features, probabilities = session.run(["features", "probabilities"], {"X": X.astype(np.float32)})
    assert np.abs(features - e.transform(X)).max() < 1e-4
    assert np.abs(probabilities - e.predict_proba(X)).max() < 1e-3


def test_a_table_with_texts_and_missing_values(tmp_path):
    """A graph takes the raw columns of a table and decides as rao predict does."""
    r = np.random.default_rng(0)
    y = r.random(400) < 0.3
    x, z, kind = r.normal(y, 1), r.normal(size=400), np.where(r.random(400) < 0.2 + 0.5 * y, "left", "right").astype(object)
    x[r.random(400) < 0.1] = np.nan
    kind[r.random(400) < 0.1] = ""
    lines = ["" if np.isnan(v) else repr(float(v)) for v in x]
    rows = [f"{a},{float(b)!r},{k},{c}" for a, b, k, c in zip(lines, z, kind, np.where(y, "yes", "no"))]
    (tmp_path / "t.csv").write_text("x,z,kind,class\n" + "\n".join(rows) + "\n")
    run = lambda *args: subprocess.run([rao.executable(), *args], check=True, capture_output=True, cwd=tmp_path)
    run("fit", "lda-raw", "--data", "t.csv", "--y", "class", "--categories", "auto", "--missing", "mean",
        "--out", "m.rao")
    run("export", "onnx", "--model", "m.rao", "--out", "m.onnx")
    run("predict", "--model", "m.rao", "--data", "t.csv", "--out", "p.json")
    graph = onnx.load(tmp_path / "m.onnx")
    onnx.checker.check_model(graph, full_check=True)
    session = runtime.InferenceSession(str(tmp_path / "m.onnx"), providers=["CPUExecutionProvider"])
    assert [(i.name, i.type) for i in session.get_inputs()] == [
        ("x", "tensor(double)"), ("z", "tensor(double)"), ("kind", "tensor(string)")]
    label, p = session.run(["label", "probabilities"], {"x": x, "z": z, "kind": kind})
    want = json.loads((tmp_path / "p.json").read_text())
    assert list(label) == [w["label"] for w in want]
    assert np.abs(p[:, 1] - [w["p_yes"] for w in want]).max() < 1e-7


def test_the_tool_writes_the_same_file(tmp_path):
    X, y = spd_data()
    e = rao.MDM(metric="logeuclid").fit(X, y)
    e.save(tmp_path / "m.rao")
    subprocess.run([rao.executable(), "export", "onnx", "--model", tmp_path / "m.rao", "--out", tmp_path / "tool.onnx",
                    "--max-condition", "1e4", "--outputs", "probabilities"], check=True, capture_output=True)
    e.export_onnx(tmp_path / "python.onnx", max_condition=1e4, outputs="probabilities")
    assert (tmp_path / "python.onnx").read_bytes() == (tmp_path / "tool.onnx").read_bytes()
    session = runtime.InferenceSession(str(tmp_path / "python.onnx"), providers=["CPUExecutionProvider"])
    assert [o.name for o in session.get_outputs()] == ["probabilities", "valid"]


def test_numbers_as_classes_are_texts_and_a_model_without_classifier_has_features(tmp_path):
    X, y = blobs()
    rao.LDA().fit(X, y).export_onnx(tmp_path / "m.onnx")
    session = runtime.InferenceSession(str(tmp_path / "m.onnx"), providers=["CPUExecutionProvider"])
    assert list(session.run(["label"], {"X": X})[0]) == [str(v) for v in rao.LDA().fit(X, y).predict(X)]
    e = rao.SQFA(filters=2, noise=0.1, classifier=None).fit(X, y)
    e.export_onnx(tmp_path / "m.onnx")
    session = runtime.InferenceSession(str(tmp_path / "m.onnx"), providers=["CPUExecutionProvider"])
    assert [o.name for o in session.get_outputs()] == ["features"]
    assert np.abs(session.run(None, {"X": X})[0] - e.transform(X)).max() < 1e-10


def test_what_cannot_be_exported_is_named_in_the_words_of_python(tmp_path):
    (X, y), (V, z) = spd_data(), blobs()
    path = tmp_path / "m.onnx"
    mdm, lda = rao.MDM().fit(X, y), rao.LDA().fit(V, z)
    for e, options, words in (
            (rao.MDM(adapt="center").fit(X, y, recordings=y), {}, r"cannot adapt to a recording \(center\)"),
            (rao.MDM(repair="shrink").fit(X, y), {}, "cannot repair matrices"),
            (rao.TangentRidge().fit(X, V[:90, 0]).model_, {}, "the stage tangent-regression cannot be exported"),
            (mdm, {"precision": "single"}, "the MDM model works on matrices, so export it in double precision"),
            (mdm, {"precision": "half"}, 'unknown precision "half"; choose from double, single'),
            (mdm, {"max_condition": 0}, "^max_condition is 0, but must be a number from 2 to 1e8, or auto$"),
            (mdm, {"outputs": ["labels"]}, 'no output "labels"'),
            (lda, {"max_condition": 100}, "^the graph of the LDA model .* so max_condition has no effect; leave it out$")):
        with pytest.raises(rao.RaoError, match=words):
            e.export_onnx(path, **options)
    assert not hasattr(rao.TangentRidge(), "export_onnx") and hasattr(lda, "export_onnx")
    with pytest.raises(rao.RaoError, match="there is no folder"):
        lda.export_onnx(tmp_path / "nowhere" / "m.onnx")
    with pytest.raises(NotFittedError):
        rao.LDA().export_onnx(path)
    assert not list(tmp_path.iterdir())
