"""Classify the embeddings that embeddings.py made, and print a table.

    python internal/paper/bench/embeddings_table.py --data DIR --rao PATH

Every setting is chosen on a quarter of the training files, by accuracy; then all training files are learned from and
the test files decide. All but logistic regression (scikit-learn) learn from class statistics alone.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time

import numpy as np

AMOUNTS = ["0.1", "0.4", "0.8"]


def power(x):
    """Signed square roots, again of unit norm."""
    x = np.sign(x) * np.sqrt(np.abs(x))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def parts(folder, change):
    """Write the parts as npz, and statistics of those that are learned from."""
    out = {}
    data = {name: np.load(os.path.join(folder, name + ".npz")) for name in ("train", "test")}
    x, y, file = (data["train"][k] for k in ("X", "y", "files"))
    held = np.array([hashlib.sha256(("dev" + f).encode()).digest()[0] < 64 for f in file])
    few = [c for c in np.unique(y) if (~held & (y == c)).sum() < 8]  # whose files are nearly all held out
    held &= ~np.isin(y, few)
    out["fit"], out["dev"] = (change(x[~held]), y[~held]), (change(x[held]), y[held])
    out["train"], out["test"] = (change(x), y), (change(data["test"]["X"]), data["test"]["y"])
    return out


class Table:
    def __init__(self, rao, folder):
        self.rao, self.folder, self.rows = rao, folder, []

    def run(self, *line):
        done = subprocess.run([self.rao, *line, "--json"], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr.strip().splitlines()[-1])
        return json.loads(done.stdout)

    def path(self, name):
        return os.path.join(self.folder, name)

    def prepare(self, data):
        self.data = data
        for name, (x, y) in data.items():
            np.savez(self.path(name + ".npz"), X=x.astype(np.float32), y=y)
        for name in ("fit", "train"):
            self.run("stats", "--data", self.path(name + ".npz"), "--out", self.path(name + "-full.npz"), "--force")
            self.run("stats", "--data", self.path(name + ".npz"), "--out", self.path(name + "-diagonal.npz"),
                     "--kind", "diagonal", "--force")

    def accuracy(self, learn, test, method, options, kind):
        model = self.path("m.rao")
        self.run("fit", *method, "--stats", self.path(f"{learn}-{kind}.npz"), "--out", model, "--force", *options)
        return self.run("evaluate", "--model", model, "--data", self.path(test + ".npz"), "--allow-overlap")["accuracy"]

    def add(self, what, numbers, method, settings, kind="full"):
        if self.only and what not in self.only:
            return
        start = time.time()
        try:
            chosen = settings[0]
            if len(settings) > 1:
                tried = [(self.accuracy("fit", "dev", method, s, kind), -i) for i, s in enumerate(settings)]
                chosen = settings[-max(tried)[1]]
            score = f"{100 * self.accuracy('train', 'test', method, chosen, kind):.1f}"
        except RuntimeError as e:
            chosen, score = [], f"failed: {e}"
        self.print(what, numbers, score, " ".join(chosen), len(settings), time.time() - start)

    def print(self, what, numbers, score, chosen, tried, seconds):
        print(f"| {what} | {numbers} | {score} | {chosen} | {tried} |", flush=True)
        print(f"{what}: {seconds:.0f} s", file=sys.stderr, flush=True)

    def logistic(self):
        if self.only and "logistic regression" not in self.only:
            return
        from sklearn.linear_model import LogisticRegression

        start = time.time()
        m = LogisticRegression(C=10, max_iter=100).fit(*self.data["train"])
        self.print("logistic regression, C 10", "the rows", f"{100 * m.score(*self.data['test']):.1f}", "", 1,
                   time.time() - start)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--rao", default="rao")
    parser.add_argument("--transform", choices=["none", "power"], default="none")
    parser.add_argument("--only", default="", help="rows of the table, separated by semicolons")
    args = parser.parse_args()
    work = os.path.join(args.data, args.transform)
    os.makedirs(work, exist_ok=True)
    t = Table(args.rao, work)
    t.only = args.only.split(";") if args.only else []
    t.prepare(parts(args.data, power if args.transform == "power" else lambda x: x))
    n = t.data["train"][0].shape[1]
    shrunk = [["--shrinkage", a] for a in AMOUNTS]
    sizes = {k: len(v[1]) for k, v in t.data.items()}
    print(f"{len(set(t.data['train'][1]))} classes, {n} columns, {sizes}")
    print("| classifier | numbers a class | accuracy, % | chosen | settings |\n|---|---|---|---|---|")
    square = 1 + n + n * (n + 1) // 2
    t.add("nearest mean", 1 + n, ["lda-raw"], [["--shrinkage", "1", "--priors", "uniform"]])
    t.add("naive Bayes", 1 + 2 * n, ["qda-raw"], shrunk, "diagonal")
    t.add("LDA on all columns", f"{1 + n}, and one covariance", ["lda-raw"], shrunk)
    t.add("QDA on all columns", square, ["qda-raw"], shrunk)
    for m in ("32", "96"):
        for name, method in (("PCA", "pca"), ("LDA", "lda"), ("SQFA", "sqfa")):
            t.add(f"{name}, {m} filters, QDA", square, [method], [["--filters", m, *s] for s in shrunk])
    t.logistic()


if __name__ == "__main__":
    main()
