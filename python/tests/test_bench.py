import runpy
import sys
from pathlib import Path

import pytest


def test_benchmark_of_predictions_runs(monkeypatch, capsys):
    pytest.importorskip("onnxruntime")
    monkeypatch.setattr(sys, "argv", ["bench.py", "--only", "batch", "--rounds", "1"])
    runpy.run_path(str(Path(__file__).parents[1] / "bench.py"), run_name="__main__")
    assert capsys.readouterr().out.count("| predict_proba of 20000 rows") == 5
