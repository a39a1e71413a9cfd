"""Trains classifiers with differential privacy by public libraries and scores them on test data.

    python private.py FOLDER

FOLDER holds task.json (kind, runs, delta, threads), train.npy and test.npy (float32, N x height x width, values of
0 to 1) and their labels, train_labels.npy and test_labels.npy. Each of the runs is a dictionary of epsilon, seed and,
for gradient descent, epochs, batch, rate and clip. The kinds are

    linear      a linear classifier of the pixels, by private gradient descent (Opacus)
    scattering  a linear classifier of scattering features (Kymatio), by private gradient descent (Opacus)
    logistic    private logistic regression (diffprivlib), which gives pure differential privacy (delta 0)

Lines of JSON on standard output: {"done": 1} after each run and at the end {"accuracies", "seconds"}, where the
seconds are processor time of each run.
"""

import json
import pathlib
import sys
import time
import warnings

import numpy as np


def descend(x, y, test, run, delta, classes):
    """Private gradient descent on the weights of a linear classifier; returns the decisions on the test data."""
    import torch
    from opacus.accountants.utils import get_noise_multiplier
    from opacus.grad_sample import GradSampleModuleFastGradientClipping
    from opacus.optimizers.optimizer_fast_gradient_clipping import DPOptimizerFastGradientClipping
    from opacus.utils.fast_gradient_clipping_utils import DPLossFastGradientClipping

    torch.manual_seed(run["seed"])
    share = run["batch"] / len(x)
    steps = max(1, round(run["epochs"] / share))
    noise = get_noise_multiplier(target_epsilon=run["epsilon"], target_delta=delta, sample_rate=share, steps=steps)
    linear = torch.nn.Linear(x.shape[1], classes)
    torch.nn.init.zeros_(linear.weight)
    torch.nn.init.zeros_(linear.bias)
    net = GradSampleModuleFastGradientClipping(linear, max_grad_norm=run["clip"], use_ghost_clipping=True)
    optimizer = DPOptimizerFastGradientClipping(
        torch.optim.SGD(net.parameters(), lr=run["rate"], momentum=0.9), noise_multiplier=noise,
        max_grad_norm=run["clip"], expected_batch_size=run["batch"])
    loss = DPLossFastGradientClipping(net, optimizer, torch.nn.CrossEntropyLoss(), loss_reduction="mean")
    for _ in range(steps):
        chosen = (torch.rand(len(x)) < share).nonzero()[:, 0]  # Poisson sampling, as the accountant assumes
        optimizer.zero_grad()
        loss(net(torch.from_numpy(x[chosen.numpy()].astype(np.float32))), y[chosen]).backward()
        optimizer.step()
    with torch.no_grad():
        return np.concatenate([
            linear(torch.from_numpy(part.astype(np.float32))).argmax(1).numpy()
            for part in np.array_split(test, max(1, len(test) // 1000))])


def scattering(images):
    """Scattering features of two levels, normalized over groups of channels of one image (Tramer and Boneh 2021)."""
    import torch
    from kymatio.torch import Scattering2D

    transform = Scattering2D(J=2, shape=images.shape[1:])
    channels = transform(torch.zeros(1, *images.shape[1:])).shape[1]
    normalize = torch.nn.GroupNorm(channels // 3, channels, affine=False)
    parts = []
    for part in np.array_split(images, max(1, len(images) // 500)):
        with torch.no_grad():
            parts.append(normalize(transform(torch.from_numpy(part))).flatten(1).numpy().astype(np.float16))
    return np.concatenate(parts)


def logistic(x, y, test, run):
    """Private logistic regression of rows that are scaled to length one."""
    from diffprivlib.models import LogisticRegression

    model = LogisticRegression(epsilon=run["epsilon"], data_norm=1.0, max_iter=100, random_state=run["seed"])
    return model.fit(unit(x), y).predict(unit(test))


def unit(x):
    x = x.astype(float)
    return x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True) * (1 + 1e-9), 1e-9)


def main(folder):
    warnings.filterwarnings("ignore")
    folder = pathlib.Path(folder)
    task = json.loads((folder / "task.json").read_text())
    x, y, test, truth = (np.load(folder / name) for name in (
        "train.npy", "train_labels.npy", "test.npy", "test_labels.npy"))
    kind, classes = task["kind"], int(max(y.max(), truth.max())) + 1
    x, test = x.reshape(x.shape[:3]), test.reshape(test.shape[:3])
    start = time.process_time()
    if kind == "scattering":
        x, test = scattering(x), scattering(test)
    else:
        x, test = x.reshape(len(x), -1), test.reshape(len(test), -1)
    if kind == "linear":
        x, test = ((a - 0.1307) / 0.3081 for a in (x, test))  # public: the mean and deviation that examples use
    shared = time.process_time() - start
    if kind != "logistic":
        import torch

        torch.set_num_threads(task["threads"])
        y = torch.from_numpy(y)
    accuracies, seconds = [], []
    for i, run in enumerate(task["runs"]):
        start = time.process_time()
        decided = logistic(x, y, test, run) if kind == "logistic" else descend(
            x, y, test, run, task["delta"], classes)
        accuracies.append(float((decided == truth).mean()))
        seconds.append(time.process_time() - start + shared)
        print(json.dumps({"done": i + 1}), flush=True)
    print(json.dumps({"accuracies": accuracies, "seconds": seconds}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
