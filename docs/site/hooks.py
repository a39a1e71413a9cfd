"""Hooks of mkdocs. They generate the reference from the code, and adapt links and tables for the site."""

from __future__ import annotations

import ast
import inspect
import os
import re
import subprocess
import tempfile
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]


def on_files(files, config):
    """Add the reference, CHANGELOG.md and CONTRIBUTING.md to the site."""
    pages: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as scratch:
        program = os.environ.get("RAO_EXECUTABLE")
        if not program:
            program = str(Path(scratch, "rao"))
            subprocess.run(["go", "build", "-o", program, "./cmd/rao"], cwd=ROOT, check=True)
        pages |= commands(program)
        subprocess.run(["go", "run", "./internal/tools/gomarkdown", scratch + "/go"], cwd=ROOT, check=True)
        pages |= packages(Path(scratch, "go"))
    pages |= python()
    for name in ("CHANGELOG.md", "CONTRIBUTING.md"):
        pages[name.lower()] = re.sub(r"\]\((?:docs/|\./)", "](", (ROOT / name).read_text("utf-8"))
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    expand(config["nav"], sorted(pages))
    return files


def expand(nav: list, pages: list[str]) -> None:
    """Replace each folder in the navigation by its pages, with the index first."""
    for item in nav:
        for title, value in item.items() if isinstance(item, dict) else ():
            if isinstance(value, list):
                expand(value, pages)
            elif value.endswith("/"):
                first = value + "index.md"
                item[title] = [first, *({Path(p).stem: p} for p in pages if p.startswith(value) and p != first)]


# Command line


def commands(program: str) -> dict[str, str]:
    """Return a page per verb, with the help texts of the verb and its commands, and a page of the topics."""
    def help_of(*verb: str) -> str:
        return subprocess.run([program, *verb, "--help"], capture_output=True, text=True, check=True).stdout

    def below(text: str) -> list[tuple[str, str]]:
        """Return the commands in a help text: names indented by two spaces under a heading."""
        found, heading = [], ""
        for line in text.splitlines():
            if line and not line.startswith(" "):
                heading = line
            elif m := re.match(r"  ([a-z][a-z0-9-]*)  +(\S.*)", line):
                if not heading.startswith(("Flags", "Methods", "Examples", "Usage")):
                    found.append((m[1], m[2]))
        return found

    top = help_of()
    pages, rows = {}, []
    for verb, short in below(top):
        text = help_of(verb)
        body = [f"# rao {verb}", "", block(text), ""]
        for sub, _ in below(text) if f"rao {verb} COMMAND" in text else []:
            body += [f"## rao {verb} {sub}", "", block(help_of(verb, sub)), ""]
        pages[f"reference/commands/{verb}.md"] = "\n".join(body)
        rows.append(f"| [`rao {verb}`]({verb}.md) | {short} |")
    topics = re.search(r"Topics:\s+([^.]*)\.", help_of("help"))[1].replace("\n", " ").split(", ")
    body = ["# Topics of rao help", "", "Long help texts list flags of these topics only by name.", ""]
    for name in topics:
        text = subprocess.run([program, "help", name], capture_output=True, text=True, check=True).stdout
        body += [f"## rao help {name}", "", block(text), ""]
    pages["reference/commands/topics.md"] = "\n".join(body)
    rows.append("| [`rao help TOPIC`](topics.md) | Explain flags that several commands share: " + ", ".join(topics) + " |")
    pages["reference/commands/index.md"] = "\n".join(
        ["# Command line", "", "These pages contain the help texts of all commands, as `rao COMMAND --help` prints them.", "",
         "| command | what it does |", "|---|---|", *rows, ""])
    return pages


def block(text: str) -> str:
    return "```text\n" + text.rstrip() + "\n```"


# Go


def packages(folder: Path) -> dict[str, str]:
    """Return the pages that internal/tools/gomarkdown wrote, and an index."""
    pages, rows = {}, []
    for path in sorted(folder.glob("*.md")):
        text = path.read_text("utf-8")
        pages[f"reference/go/{path.name}"] = text
        name = re.search(r'import "(.*)"', text)[1]
        first = re.search(r"```\n\n(.+)", text)
        first = re.split(r"(?<=[.:]) ", first[1])[0].rstrip(":") if first else ""
        rows.append(f"| [`{name}`]({path.name}) | {re.sub(r'^Package [a-z0-9]+ ', '', first)} |")
    pages["reference/go/index.md"] = "\n".join(
        ["# Go packages", "", "These pages document all packages that other modules can import. "
         "`go doc rao/sqfa` prints the same text.", "", "| package | what it does |", "|---|---|", *rows, ""])
    return pages


# Python


def python() -> dict[str, str]:
    """Return pages for the public names of the Python package, read from the source without importing it."""
    package = ROOT / "python" / "rao"
    classes: dict[str, ast.ClassDef] = {}
    functions: dict[str, ast.FunctionDef] = {}
    modules: dict[str, list[str]] = {}
    for path in sorted(package.glob("*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                classes[node.name] = node
            elif isinstance(node, ast.FunctionDef):
                functions[node.name] = node
            else:
                continue
            modules.setdefault(path.stem, []).append(node.name)
    public = exported(package)
    pages, groups = {}, {"Estimators": [], "Statistics and models": [], "Functions": []}
    for name in sorted(public, key=str.lower):
        if name in classes:
            node = classes[name]
            estimator = any(name in modules.get(m, ()) for m in ("estimators", "estimators_eeg", "regressors", "transformers", "clusters"))
            pages[f"reference/python/{name}.md"] = class_page(node, classes)
            groups["Estimators" if estimator else "Statistics and models"].append((name, node))
        elif name in functions:
            groups["Functions"].append((name, functions[name]))
    body = ["# Functions", ""]
    for name, node in groups["Functions"]:
        body += function_section("##", "rao." + name, node)
    sets = ast.parse((package / "datasets.py").read_text("utf-8")).body
    for node in sets:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and node.name not in public:
            groups["Functions"].append((f"datasets.{node.name}", node))
            body += function_section("##", f"rao.datasets.{node.name}", node)
    pages["reference/python/functions.md"] = "\n".join(body)
    index = ["# Python", "", "These pages document all public names of `import rao`. `help(rao.SQFA)` prints the same text. The "
             "[guide](../../guide-python.md) has examples.", ""]
    for title, members in groups.items():
        index += [f"## {title}", "", "| name | what it is |", "|---|---|"]
        for name, node in members:
            page = name + ".md" if title != "Functions" else "functions.md#" + slug("rao." + name)
            index.append(f"| [`{name}`]({page}) | {summary(node)} |")
        index.append("")
    pages["reference/python/index.md"] = "\n".join(index)
    return pages


def exported(package: Path) -> set[str]:
    """Return the public names of the package: the names that __init__ imports or loads on demand."""
    names: set[str] = set()
    tree = ast.parse((package / "__init__.py").read_text("utf-8"))
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level:
            names |= {a.name for a in node.names}
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("_plots", "_others"):
            for names_of in ast.walk(node.value):
                if isinstance(names_of, ast.Tuple):
                    names |= set(ast.literal_eval(names_of))
    for path in package.glob("_names*.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.AnnAssign) and node.value is not None:
                names |= set(ast.literal_eval(node.value))
    return {n for n in names if not n.startswith("_")}


def doc(node) -> str:
    return inspect.cleandoc(ast.get_docstring(node, clean=False) or "")


def summary(node) -> str:
    return doc(node).split("\n\n")[0].replace("\n", " ").replace("|", "\\|")


def slug(text: str) -> str:
    return re.sub(r"[^a-z0-9_-]", "", text.lower().replace(" ", "-"))


def class_page(node: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> str:
    body = [f"# {node.name}", "", "```python", f"rao.{node.name}({arguments(node)})", "```", "", numpydoc(doc(node))]
    for name, method in sorted(methods(node, classes).items()):
        if any(getattr(d, "id", "") == "property" for d in method.decorator_list):
            body += [f"### {name}", "", "A property.", "", numpydoc(doc(method))]
        else:
            body += function_section("###", name, method)
    return "\n".join(body)


def methods(node: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> dict[str, ast.FunctionDef]:
    """Return the documented public methods of a class and its base classes."""
    found: dict[str, ast.FunctionDef] = {}
    for base in reversed(node.bases):
        if getattr(base, "id", "") in classes:
            found |= methods(classes[base.id], classes)
    found |= {f.name: f for f in node.body if isinstance(f, ast.FunctionDef) and not f.name.startswith("_") and doc(f)}
    return found


def arguments(node: ast.ClassDef) -> str:
    for f in node.body:
        if isinstance(f, ast.FunctionDef) and f.name in ("__init__", "__new__"):
            return signature(f)
    fields = [f"{ast.unparse(f.target)}" + (f"={ast.unparse(f.value)}" if f.value else "")
              for f in node.body if isinstance(f, ast.AnnAssign)]
    return ", ".join(fields)


def signature(f: ast.FunctionDef) -> str:
    """Return the arguments of a function without types, in lines of readable width."""
    for a in [*f.args.args, *f.args.kwonlyargs, *f.args.posonlyargs]:
        a.annotation = None
    f.args.args = [a for a in f.args.args if a.arg not in ("self", "cls")]
    for extra in (f.args.vararg, f.args.kwarg):
        if extra:
            extra.annotation = None
    text = ast.unparse(f.args)
    if len(text) > 90:
        text = "\n    " + re.sub(r", (?=[\w*]+(=|,|$))", ",\n    ", text) + ",\n"
    return text


def function_section(level: str, name: str, f: ast.FunctionDef) -> list[str]:
    return [f"{level} {name} {{: #{slug(name)} }}", "", "```python", f"{name.split('.')[-1]}({signature(f)})", "```", "",
            numpydoc(doc(f)), ""]


SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.M)


def numpydoc(text: str) -> str:
    """Convert a numpy docstring to Markdown. Sections become lists, and roles become code."""
    text = re.sub(r":(?:func|class|meth|mod|attr):`~?([^`]+)`", r"`\1`", text).replace("``", "`")
    parts = SECTION.split(text)
    out = [indented(parts[0])]
    for title, body in zip(parts[1::2], parts[2::2]):
        out += [f"**{title}**", ""]
        if title == "Examples" or ">>>" in body:
            out += ["```pycon", body.strip(), "```", ""]
        elif title in ("Parameters", "Attributes", "Returns", "Yields", "Raises", "Other Parameters"):
            out += [entries(body), ""]
        else:
            out += [indented(body), ""]
    return "\n".join(out) + "\n"


def indented(text: str) -> str:
    """Convert literal blocks of a docstring (after ::) to code blocks."""
    return re.sub(r"::\n\n((?:    .*\n?|\n)+)", lambda m: ":\n\n```python\n" + inspect.cleandoc(m[1]) + "\n```\n", text)


def entries(body: str) -> str:
    rows: list[str] = []
    for line in body.strip("\n").splitlines():
        if line and not line.startswith(" "):
            name, _, kind = line.partition(" : ")
            rows.append(f"`{name}`" + (f" : {kind.strip()}" if kind else "") + "\n")
        elif line.strip():
            rows.append("    " + line.strip())
    text, first = "", True
    for row in rows:  # a definition list, written as one bullet per name
        if row.startswith("`"):
            text += ("" if first else "\n") + "- " + row.rstrip("\n").replace("*", "\\*") + "\n"
            first = False
        else:
            text += ("\n" if text.endswith("\n") and not text.rstrip("\n").split("\n")[-1].startswith("    ") else "") + row + "\n"
    return text


# Links


def on_page_markdown(markdown, page, config, files):
    """Point links to folders, which have no page on the site, to the first file of the folder."""
    return markdown.replace("](../schema)", "](../schema/model.schema.json)").replace(
        "](schema)", "](schema/model.schema.json)")


def on_page_content(html, page, config, files):
    """Adapt links in raw HTML, which mkdocs does not rewrite, and right-align columns of numbers."""
    html = re.sub(r'href="(?!https?:)([^"#]+)\.md(#[^"]*)?"',
                  lambda m: f'href="{re.sub(r"README$", "index", m[1])}.html{m[2] or ""}"', html)
    return re.sub(r"<table>.*?</table>", lambda m: align(m[0]), html, flags=re.S)


NUMBER = re.compile(r"^[<>≤≥≈~]?\s*[-−+]?[\d.,]+(?:e[-+−]?\d+)?\s*(?:%|‰|×|s|ms|µs|ns|MB|MiB|GB|GiB|points?)?"
                    r"(?:\s*(?:±|to)\s*[\d.,]+\s*%?)?$|^[–-]?$")


def align(table: str) -> str:
    """Right-align the columns of a table whose cells are all numbers."""
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", r, re.S) for r in re.findall(r"<tr>(.*?)</tr>", table, re.S)]
    body = [r for r in rows if r]
    if not body or "style=" in table:
        return table
    width = max(map(len, body))

    def numeric(k: int) -> bool:
        cells = [re.sub(r"<[^>]+>", "", r[k]).strip() for r in body if k < len(r)]
        return any(c and c not in "–-" for c in cells) and all(NUMBER.match(c) for c in cells)

    right = {k for k in range(width) if numeric(k)}

    def row(m: re.Match) -> str:
        k = iter(range(width + 1))
        return re.sub(r"<(t[dh])>", lambda c: f'<{c[1]} class="number">' if next(k) in right else c[0], m[0])

    return re.sub(r"<tr>.*?</tr>", row, table, flags=re.S)
