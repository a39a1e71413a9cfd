"""Trains one deep network and scores it on test data.

    python deep.py FOLDER

FOLDER holds task.json (net, epochs, batch, rate, decay, seed, classes, threads), train.npy and test.npy
(float32, images as N x height x width x channels, signals as N x channels x samples) and their labels,
train_labels.npy and test_labels.npy. The network runs on a CUDA device if there is one. Lines of JSON on
standard output: {"epoch": 3} after each epoch and at the end {"accuracy", "parameters", "train_seconds",
"test_seconds"}.
"""

import json
import os
import pathlib
import sys
import time

import numpy as np
import torch
from torch import nn


def vgg11(shape, classes, _rate):
    """Eight convolutions and three dense layers: configuration A of Simonyan and Zisserman.

    The last maps are pooled (or repeated) to 7 x 7, so the dense layers have the size that they have for
    images of 224 x 224 pixels: 129 million parameters for ten classes.
    """
    layers, channels = [], shape[2]
    for width in (64, 0, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0):
        if width == 0:
            layers.append(nn.MaxPool2d(2))
            continue
        layers += [nn.Conv2d(channels, width, 3, padding=1), nn.ReLU(inplace=True)]
        channels = width
    net = nn.Sequential(
        *layers, Repeat(), nn.Flatten(),
        nn.Linear(512 * 49, 4096), nn.ReLU(inplace=True), nn.Dropout(),
        nn.Linear(4096, 4096), nn.ReLU(inplace=True), nn.Dropout(),
        nn.Linear(4096, classes))
    for m in net:
        if isinstance(m, nn.Conv2d):
            nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
            nn.init.zeros_(m.bias)
        elif isinstance(m, nn.Linear):
            nn.init.normal_(m.weight, 0, 0.01)
            nn.init.zeros_(m.bias)
    return net


class Repeat(nn.Module):
    """Repeats maps of one value to 7 x 7: what pooling does there, with a gradient that is deterministic on GPUs."""

    def forward(self, x):
        return x.expand(-1, -1, 7, 7) if x.shape[-2:] == (1, 1) else nn.functional.adaptive_avg_pool2d(x, 7)


class Log(nn.Module):
    """The logarithm of mean squares, bounded below."""

    def forward(self, x):
        return torch.log(torch.clamp(x, min=1e-6))


class Square(nn.Module):
    def forward(self, x):
        return x * x


class Wavelets(nn.Module):
    """Convolution in time with real Morlet wavelets, whose frequencies and widths are learned."""

    def __init__(self, count, taps, rate):
        super().__init__()
        self.frequency = nn.Parameter(torch.linspace(4, min(40.0, 0.45 * rate), count))  # Hz
        self.width = nn.Parameter(torch.full((count,), 5.0))  # 1/s
        self.register_buffer("time", (torch.arange(taps) - (taps - 1) / 2) / rate)

    def forward(self, x):
        t = self.time[None, :]
        kernel = torch.exp(-(self.width[:, None] * t) ** 2 / 2) * torch.cos(2 * np.pi * self.frequency[:, None] * t)
        kernel = kernel / kernel.norm(dim=1, keepdim=True)
        return nn.functional.conv2d(x, kernel[:, None, None, :], padding="same")


def power_net(first, maps, shape, classes, rate):
    """Filters in time, then across channels, then the logarithm of their power in windows, then one dense layer."""
    window, step = max(1, round(0.3 * rate)), max(1, round(0.06 * rate))
    features = nn.Sequential(
        first, nn.Conv2d(maps, maps, (shape[0], 1), bias=False), nn.BatchNorm2d(maps), Square(),
        nn.AvgPool2d((1, window), (1, step)), Log(), nn.Dropout(), nn.Flatten())
    return with_head(features, shape, classes)


def shallow(shape, classes, rate):
    """ShallowConvNet: 40 filters in time (0.1 s), 40 across channels, log power of windows of 0.3 s."""
    first = nn.Conv2d(1, 40, (1, max(3, round(0.1 * rate))), padding="same")
    return power_net(first, 40, shape, classes, rate)


def wasf(shape, classes, rate):
    """WaSF ConvNet as the PLRSQ paper describes it: wavelet-like kernels in time, then spatial kernels.

    The layers behind them are those of ShallowConvNet.
    """
    return power_net(Wavelets(25, max(3, round(0.5 * rate) | 1), rate), 25, shape, classes, rate)


def eegnet(shape, classes, rate):
    """EEGNet with 8 filters in time, two spatial filters for each, and 16 separable filters."""
    features = nn.Sequential(
        nn.Conv2d(1, 8, (1, max(3, round(rate / 2))), padding="same", bias=False), nn.BatchNorm2d(8),
        nn.Conv2d(8, 16, (shape[0], 1), groups=8, bias=False), nn.BatchNorm2d(16), nn.ELU(),
        nn.AvgPool2d((1, max(1, round(rate / 32)))), nn.Dropout(),
        nn.Conv2d(16, 16, (1, 16), padding="same", groups=16, bias=False), nn.Conv2d(16, 16, 1, bias=False),
        nn.BatchNorm2d(16), nn.ELU(), nn.AvgPool2d((1, 8)), nn.Dropout(), nn.Flatten())
    return with_head(features, shape, classes)


def with_head(features, shape, classes):
    with torch.no_grad():
        size = features.eval()(torch.zeros(1, 1, *shape)).shape[1]
    return nn.Sequential(features.train(), nn.Linear(size, classes))


NETS = {"vgg11": vgg11, "shallow": shallow, "wasf": wasf, "eegnet": eegnet}


def load(folder, part):
    x = torch.from_numpy(np.load(folder / f"{part}.npy"))
    y = torch.from_numpy(np.load(folder / f"{part}_labels.npy"))
    return x, y


def train(task, shape, x, y, progress=lambda epoch: None):
    """Trains a network on the device of the observations."""
    net = NETS[task["net"]](shape, task["classes"], task.get("sample_rate", 0)).to(x.device)
    if task["net"] == "vgg11":
        optimizer = torch.optim.SGD(net.parameters(), lr=task["rate"], momentum=0.9)
    else:
        optimizer = torch.optim.Adam(net.parameters(), lr=task["rate"])
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, task["decay"])
    loss = nn.CrossEntropyLoss()
    net.train()
    for epoch in range(task["epochs"]):
        order = torch.randperm(len(x)).to(x.device)
        for batch in torch.split(order, task["batch"]):
            if len(batch) == 1 and len(x) > 1:
                continue  # batch normalization needs two
            optimizer.zero_grad(set_to_none=True)
            loss(net(x[batch]), y[batch]).backward()
            optimizer.step()
        schedule.step()
        progress(epoch + 1)
    return net


def main(folder):
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # deterministic products on GPUs
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    folder = pathlib.Path(folder)
    task = json.loads((folder / "task.json").read_text())
    torch.manual_seed(task["seed"])
    torch.set_num_threads(task["threads"])
    torch.use_deterministic_algorithms(True)
    (x, y), (test, truth) = load(folder, "train"), load(folder, "test")
    shape = tuple(x.shape[1:])
    images = task["net"] == "vgg11"
    axes = (0, 1, 2) if images else (0, 2)  # statistics of each channel, from the training data
    mean, deviation = x.mean(axes, keepdim=True), x.std(axes, keepdim=True).clamp(min=1e-12)

    def prepared(a):
        a = (a - mean) / deviation
        return a.permute(0, 3, 1, 2).contiguous() if images else a[:, None]

    x, test, y, truth = (a.to(device) for a in (prepared(x), prepared(test), y, truth))
    start = time.perf_counter()
    net = train(task, shape, x, y, lambda epoch: print(json.dumps({"epoch": epoch}), flush=True))
    if device.type == "cuda":
        torch.cuda.synchronize()
    trained = time.perf_counter()
    net.eval()
    with torch.no_grad():
        decided = torch.cat([net(part).argmax(1) for part in torch.split(test, 256)])
    accuracy = (decided == truth).double().mean().item()  # waits for the device
    done = time.perf_counter()
    print(json.dumps({
        "accuracy": accuracy,
        "parameters": sum(p.numel() for p in net.parameters()),
        "train_seconds": trained - start,
        "test_seconds": done - trained}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
