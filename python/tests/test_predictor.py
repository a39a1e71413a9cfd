"""The programs of docs/formats/predictor.md predict what the models do."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import blobs

import rao

pytest.importorskip("sklearn")
page = Path(__file__).resolve().parents[2] / "docs" / "formats" / "predictor.md"
models = [rao.SQFA(filters=3, noise=0.1), rao.PCA(filters=2, scale=None), rao.LDAFilters(scale="column"),
          rao.PCA(filters=2, center=False), rao.SQFA(filters=1, noise=0.1, scale=None, center=False)]
interpreters = {"python": (sys.executable, "p.py"), "javascript": ("node", "p.js"), "r": ("Rscript", "p.R"), "matlab": ("octave-cli", "p.m")}


@pytest.mark.skipif(not page.exists(), reason="no checkout around the tests")
@pytest.mark.parametrize("e", models, ids=lambda e: str(e)[:40])
@pytest.mark.parametrize("language", interpreters)
def test_program(language, e, tmp_path):
    program, name = interpreters[language]
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not here")
    X, y = blobs()
    e.fit(X, y)
    e.save(tmp_path / "model.rao")
    np.savetxt(tmp_path / "x.csv", X, delimiter=",", fmt="%.17g")
    code = re.search(rf"```{language}\n(.*?)```", page.read_text(), re.S).group(1)
    (tmp_path / name).write_text(code)
    done = subprocess.run([program, name], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    p = np.array([[float(v) for v in line.split(",")] for line in done.stdout.split()])
    assert np.abs(p - e.predict_proba(X)).max() < 1e-12
