"""Scores networks on the trials of a study, for rao study --other-scores.

    rao eeg cov --bids study --task imagery --classes left,right --start 0.5 --stop 3.5 --bands 5-45 \\
        --resample 125 --signals --out trials.npz
    python study.py --set imagery=trials.npz --networks wasf,shallow,eegnet --out networks.csv
    rao study --set imagery=imagery.npz --evaluations cross-session,cross-subject --methods mdm,enuc \\
        --other-scores networks.csv

The networks and their training are those of beyond-deep-eeg: each channel standardized by the training trials, Adam
(rate 0.001), batches of 16, 100 epochs.
"""

import argparse
import csv
import sys

import numpy as np
import torch

import deep

EVALUATIONS = ("cross-session", "cross-subject")


def folds(evaluation, subject, session):
    """The training and the test trials of each subject and session."""
    for s, e in sorted(set(zip(subject, session))):
        test = (subject == s) & (session == e)
        train = (subject == s) & (session != e) if evaluation == "cross-session" else subject != s
        if train.any():
            yield s, e, train, test


def area(positive, score):
    """The area under the ROC curve; equal scores count half."""
    pairs = score[positive][:, None] - score[~positive][None, :]
    return float(np.mean((pairs > 0) + 0.5 * (pairs == 0)))


def score(net, x, y, train, test, measure, epochs, rate, seed):
    """The accuracy or the area under the ROC curve of a network on the test trials."""
    torch.manual_seed(seed)
    mean, deviation = x[train].mean((0, 2), keepdims=True), x[train].std((0, 2), keepdims=True)
    z = torch.from_numpy(((x - mean) / np.maximum(deviation, 1e-30)).astype(np.float32))[:, None]
    task = {"net": net, "classes": int(y.max()) + 1, "sample_rate": rate, "rate": 1e-3, "decay": 1, "epochs": epochs,
            "batch": 16}
    trained = deep.train(task, x.shape[1:], z[train], torch.from_numpy(y)[train]).eval()
    with torch.no_grad():
        p = torch.cat([trained(part) for part in torch.split(z[test], 256)]).softmax(1).numpy()
    if measure == "auc":
        return area(y[test] == 1, p[:, 1])
    return float(np.mean(p.argmax(1) == y[test]))


def main(arguments):
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--set", action="append", required=True, metavar="NAME=FILE",
                         help="trials of rao eeg cov --signals")
    options.add_argument("--networks", default="wasf,shallow,eegnet")
    options.add_argument("--evaluations", default=",".join(EVALUATIONS))
    options.add_argument("--score", default="accuracy", choices=("accuracy", "auc"))
    options.add_argument("--epochs", type=int, default=100)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--threads", type=int, default=torch.get_num_threads())
    options.add_argument("--out", required=True)
    given = options.parse_args(arguments)
    networks, evaluations = given.networks.split(","), given.evaluations.split(",")
    if unknown := [n for n in networks if n not in ("wasf", "shallow", "eegnet")]:
        options.error(f"unknown network {unknown[0]}: want wasf, shallow or eegnet")
    if unknown := [e for e in evaluations if e not in EVALUATIONS]:
        options.error(f"evaluation {unknown[0]}: want cross-session or cross-subject; "
                      "the folds of within-session are rao's")
    torch.set_num_threads(given.threads)
    torch.use_deterministic_algorithms(True)
    rows = []
    for name, _, file in (s.partition("=") for s in given.set):
        try:
            data = np.load(file)
        except (OSError, ValueError) as e:
            options.error(f"--set {name}={file}: {e}; want NAME=FILE, a file of rao eeg cov --signals")
        if missing := [k for k in ("X", "y", "sfreq", "subject", "session") if k not in data]:
            options.error(f"{file}: no {missing[0]}; write it with rao eeg cov --bids FOLDER --signals")
        x, rate = data["X"].reshape(data["X"].shape[:3]), float(data["sfreq"][0])
        classes, y = np.unique(data["y"], return_inverse=True)
        if given.score == "auc" and len(classes) != 2:
            options.error(f"{file}: the area under the curve is for two classes, and it has {len(classes)}")
        for evaluation in evaluations:
            for subject, session, train, test in folds(evaluation, data["subject"], data["session"]):
                for net in networks:
                    value = score(net, x, y, train, test, given.score, given.epochs, rate, given.seed)
                    rows.append((name, evaluation, net, subject, session, value))
                    print(*rows[-1], flush=True)
    with open(given.out, "w", newline="", encoding="utf-8") as f:
        csv.writer(f).writerows([("dataset", "evaluation", "pipeline", "subject", "session", "score"), *rows])


if __name__ == "__main__":
    main(sys.argv[1:])
