# Writes two recordings and golden.json with what pyxdf 1.17.5 reads from them; run with python3 make.py.
import json, struct
import numpy as np
import pyxdf

def varlen(n): return struct.pack("<BB", 1, n) if n < 256 else struct.pack("<BI", 4, n)
def chunk(tag, content): return varlen(len(content) + 2) + struct.pack("<H", tag) + content
def head(k, name, kind, n, rate, fmt, labels=()):
    ch = "".join(f"<channel><label>{l}</label><unit>microvolts</unit><type>{t}</type></channel>" for l, t in labels)
    xml = f'<?xml version="1.0"?><info><name>{name}</name><type>{kind}</type><channel_count>{n}</channel_count><nominal_srate>{rate}</nominal_srate>' \
          f"<channel_format>{fmt}</channel_format><desc><channels>{ch}</channels></desc></info>"
    return chunk(2, struct.pack("<I", k) + xml.encode())
def clock(k, t, v): return chunk(4, struct.pack("<Idd", k, t, v))
def data(k, stamps, rows, dtype):
    out = struct.pack("<I", k) + varlen(len(stamps))
    for t, row in zip(stamps, rows):
        out += b"\x00" if t is None else struct.pack("<Bd", 8, t)
        out += b"".join(varlen(len(s.encode())) + s.encode() for s in row) if dtype == "string" else np.asarray(row, dtype).tobytes()
    return chunk(3, out)
boundary = chunk(5, bytes.fromhex("43a546dccbf5410fb30ed5467383cbe4"))

def write(name, reset):
    rng = np.random.default_rng(3)
    rate, n, broken = 100.0, 500, 300
    t = 1000 + np.arange(n) / (rate * 1.001) + rng.normal(size=n) * 2e-3
    t[broken:] += 40 if reset else 9  # a break of the stream
    if reset:
        t[broken:] -= 900             # and a restart of its machine
    x = rng.integers(-3000, 3000, size=(n, 2))
    b = b"XDF:" + chunk(1, b'<?xml version="1.0"?><info><version>1.0</version></info>')
    b += head(1, "amp", "EEG", 2, rate, "int16", [("Cz", "EEG"), ("EOG", "EOG")]) + head(7, "keys", "Markers", 1, 0, "string")
    b += head(9, "box", "Markers", 1, 0, "int32") + head(12, "pose", "Mocap", 3, 10, "float32")
    for c in range(0, n, 50):
        b += data(1, [None if c and k % 5 else t[c + k] for k in range(50)], x[c:c + 50], "<i2")
        b += clock(1, t[c], -7.5 - 2e-5 * (t[c] - 1000) + rng.normal() * 1e-5 + (0.02 if c == 100 else 0) + (907 if reset and c >= broken else 0))
        b += clock(7, 5000 + c / 100, -4006.5 + rng.normal() * 1e-5)
        b += boundary
    b += clock(9, 992, 0.25)
    keys = 992.5 + 4006.5 + np.array([0.7, 2.0, 3.1, 14.0])
    b += data(7, list(keys[:3]), [["left"], ["right"], ["x" * 300]], "string") + data(7, [keys[3]], [["33"]], "string")
    b += data(9, [993.1], [[5]], "<i4") + data(12, [0.0], [[1.5, 2.5, 3.5]], "<f4")
    open(name, "wb").write(b + chunk(6, struct.pack("<I", 1) + b"<info><sample_count>500</sample_count></info>"))
    streams, _ = pyxdf.load_xdf(name)
    return {s["info"]["name"][0]: dict(times=s["time_stamps"].tolist(), values=np.asarray(s["time_series"], dtype=object).ravel().tolist(),
                                       segments=[list(map(int, v)) for v in s["info"]["segments"]]) for s in streams}

json.dump({f: write(f, f == "reset.xdf") for f in ("break.xdf", "reset.xdf")}, open("golden.json", "w"))
