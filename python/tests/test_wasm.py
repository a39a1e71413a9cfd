"""The WebAssembly predictor gives in Node what the models give."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from conftest import blobs, spd_data

import rao

pytest.importorskip("sklearn")
root = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def module(tmp_path_factory):
    if not (root / "serve" / "wasm").exists() or shutil.which("go") is None or shutil.which("node") is None:
        pytest.skip("needs a checkout, go and node")
    path = tmp_path_factory.mktemp("wasm") / "predictor.wasm"
    subprocess.run(["go", "build", "-buildmode=c-shared", "-ldflags", "-s -w", "-o", path, "./serve/wasm"], cwd=root, check=True,
                   env={**os.environ, "GOOS": "wasip1", "GOARCH": "wasm"})
    return path


@pytest.mark.parametrize("e, data", [(rao.SQFA(filters=2, noise=0.1), blobs), (rao.QDA(), blobs), (rao.TSLDA(), spd_data), (rao.MDM(), spd_data)],
                         ids=lambda v: str(v)[:20])
def test_node(module, e, data, tmp_path):
    X, y = data()
    e.fit(X, y).save(tmp_path / "m.rao")
    (tmp_path / "x.json").write_text(json.dumps(X.tolist()))
    (tmp_path / "p.json").write_text(json.dumps(e.predict_proba(X).tolist()))
    done = subprocess.run(["node", root / "serve" / "wasm" / "test.mjs", module, *(tmp_path / n for n in ("m.rao", "x.json", "p.json"))],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_wasmtime(module, tmp_path):
    wasmtime = pytest.importorskip("wasmtime")
    X, y = blobs()
    e = rao.SQFA(filters=2, noise=0.1).fit(X, y)
    store = wasmtime.Store()
    store.set_wasi(wasmtime.WasiConfig())
    linker = wasmtime.Linker(store.engine)
    linker.define_wasi()
    exports = linker.instantiate(store, wasmtime.Module.from_file(store.engine, str(module))).exports(store)
    memory = exports["memory"]
    exports["_initialize"](store)

    def put(data):
        at = exports["reserve"](store, len(data))
        memory.write(store, data, at)
        return at

    def result(packed):
        packed %= 1 << 64
        return bytes(memory.read(store, packed >> 32, (packed >> 32) + packed % (1 << 32)))

    file = e.model_.to_bytes()
    number = exports["load"](store, put(file), len(file))
    assert number > 0, result(exports["failure"](store))
    assert json.loads(result(exports["describe"](store, number)))["classes"] == ["0", "1", "2"]
    out = np.frombuffer(result(exports["predict"](store, number, put(X.tobytes()), len(X)))).reshape(len(X), -1)
    assert np.array_equal(out[:, 0], e.predict(X)) and np.abs(out[:, 3:] - e.predict_proba(X)).max() < 1e-10
    assert exports["load"](store, put(b"no model"), 8) == 0 and b"model" in result(exports["failure"](store))
