"""The reference library as a peer of the tests, by pylsl: peer.py serve|take FORMAT NAME.

serve offers a stream of three channels and sends the samples of values() until standard
input ends. take finds the stream NAME, waits for eight samples and prints them as JSON."""

import json
import os
import sys
import tempfile
import time

with tempfile.NamedTemporaryFile("w", suffix=".cfg", delete=False) as f:
    f.write("[ports]\nIPv6 = disable\n[multicast]\nResolveScope = machine\n[lab]\nKnownPeers = {127.0.0.1}\n"
            "[log]\nlevel = -2\n")
os.environ["LSLAPICFG"] = f.name

import pylsl  # noqa: E402  (reads LSLAPICFG)


def values(format):
    if format == "string":
        return ["", "left", "ü" * 300]
    return {"float32": [0, -1.5, 3.25], "double64": [-1e300, 5e-324, 0.1], "int8": [-128, 127, 0],
            "int16": [-32768, 32767, 258], "int32": [-2**31, 2**31 - 1, 65538],
            "int64": [-2**53, 2**53, -3]}[format]


def info(format, name, source=""):
    i = pylsl.StreamInfo(name, "EEG", 3, 100, format, source or name.replace(" ", "-"))
    channels = i.desc().append_child("channels")
    for label, kind in (("C3", "EEG"), ("C4", "EEG"), ("eog", "EOG")):
        c = channels.append_child("channel")
        c.append_child_value("label", label)
        c.append_child_value("unit", "microvolts")
        c.append_child_value("type", kind)
    i.desc().append_child("reference").append_child_value("label", "Cz")
    return i


def main():
    mode, format, name = sys.argv[1:]
    if mode == "serve":
        outlet = pylsl.StreamOutlet(info(format, name))
        print("ready", pylsl.library_version(), flush=True)
        outlet.wait_for_consumers(30)
        for k in range(8):
            outlet.push_sample(values(format), 1000 + k / 100)
        sys.stdin.read()
        return
    found = pylsl.resolve_byprop("name", name, 1, 20)
    inlet = pylsl.StreamInlet(found[0])
    full = inlet.info(10)
    inlet.open_stream(10)
    offset = inlet.time_correction(10)
    print("ready", flush=True)
    rows, times = [], []
    end = time.time() + 20
    while len(rows) < 8 and time.time() < end:
        row, at = inlet.pull_sample(1)
        if row is not None:
            rows.append(row)
            times.append(at)
    print(json.dumps({"rows": rows, "times": times, "offset": offset, "clock": pylsl.local_clock(),
                      "labels": full.get_channel_labels(), "count": full.channel_count(),
                      "rate": full.nominal_srate(), "source": full.source_id()}), flush=True)


if __name__ == "__main__":
    try:
        main()
    finally:
        os.unlink(f.name)
