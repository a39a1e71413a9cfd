"""The conda recipe agrees with the wheel, and rattler-build renders it."""

import sys
from pathlib import Path

import pytest

import rao
from rao._distribution import DISTRIBUTION

folder = Path(__file__).resolve().parents[1]
recipe = folder / "conda" / "recipe.yaml"


def test_recipe_is_of_this_package():
    yaml = pytest.importorskip("yaml")
    r = yaml.safe_load(recipe.read_text())
    assert r["context"] == {"name": DISTRIBUTION, "version": rao.__version__}
    sys.path.insert(0, str(folder))
    try:
        import backend
    finally:
        sys.path.remove(str(folder))
    assert r["requirements"]["build"] == ["go >=" + ".".join(map(str, backend.GO))]
    needs = [line.partition(": ")[2] for line in backend.REQUIRES if line.startswith("Requires-Dist") and "extra" not in line]
    assert [n.replace(" ", "") for n in r["requirements"]["run"]] == ["python>=3.9", *needs]
    limits = {line.partition(": ")[2].split(";")[0] for line in backend.REQUIRES if "scikit-learn" in line}
    assert {n.replace(" ", "") for n in r["requirements"]["run_constraints"]} == limits


def test_recipe_renders():
    rattler = pytest.importorskip("rattler_build")
    stage = rattler.Stage0Recipe.from_file(str(recipe))
    for platform in ("linux-64", "osx-arm64", "win-64"):
        config = rattler.RenderConfig(platform=rattler.PlatformConfig(target_platform=platform, build_platform="linux-64", host_platform=platform))
        (one,) = stage.render(rattler.VariantConfig(), config)
        assert (one.recipe.package.name, str(one.recipe.package.version)) == (DISTRIBUTION, rao.__version__)
