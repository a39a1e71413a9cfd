"""Every public class has an example, and the examples run."""

import doctest
import inspect

import pytest

import rao

pytest.importorskip("sklearn")

classes = {n: getattr(rao, n) for n in dir(rao) if n[0].isupper() and inspect.isclass(getattr(rao, n))}
documented = {n: c for n, c in classes.items() if c.__module__.startswith("rao.") and not issubclass(c, (Exception, Warning))}
documented["datasets.Dataset"] = rao.datasets.Dataset


@pytest.mark.parametrize("name", documented)
@pytest.mark.filterwarnings("ignore")
def test_example(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = inspect.cleandoc(documented[name].__doc__ or "")
    assert ">>> " in text, f"{name} has no example"
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    report = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(example, out=report.append)
    assert not report, "".join(report)


@pytest.mark.parametrize("name", documented)
def test_public_members_have_docstrings(name):
    members = inspect.getmembers_static(documented[name], lambda m: isinstance(m, (property, classmethod)) or inspect.isfunction(m))
    assert [n for n, m in members if not n.startswith("_") and not m.__doc__] == []
