"""Records what the reference library sends: python make.py, with pylsl. It writes, beside itself,

fullinfo.xml, shortinfo.bin    the descriptions of a stream, and the answer to a question
streamfeed_FORMAT.bin          the head of the response, the test patterns, and four samples
request.bin                    what its inlet asks an outlet for
dejitter.json                  times as they came, and as its post-processing gives them"""

import json
import pathlib
import random
import socket
import threading
import time

import peer  # sets LSLAPICFG
import pylsl

here = pathlib.Path(__file__).parent


def connect(info):
    s = socket.create_connection(("127.0.0.1", int(field(info, "v4data_port"))))
    s.settimeout(1)
    return s


def field(info, name):
    xml = info if isinstance(info, str) else info.as_xml()
    return xml.split(f"<{name}>")[1].split("<")[0]


def read(s):
    out = b""
    try:
        while True:
            b = s.recv(1 << 16)
            if not b:
                return out
            out += b
    except socket.timeout:
        return out


def streams():
    for format in ("float32", "double64", "string", "int32", "int16", "int8", "int64"):
        outlet = pylsl.StreamOutlet(peer.info(format, "golden " + format))
        info = outlet.get_info()
        found = pylsl.resolve_byprop("name", "golden " + format, 1, 10)[0]
        if format == "float32":
            s = connect(found)
            s.sendall(b"LSL:fullinfo\r\n")
            (here / "fullinfo.xml").write_bytes(read(s))
            u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            u.bind(("127.0.0.1", 0))
            u.settimeout(5)
            question = f"LSL:shortinfo\r\nname='golden float32'\r\n{u.getsockname()[1]} 4711\r\n"
            u.sendto(question.encode(), ("127.0.0.1", int(field(found, "v4service_port"))))
            (here / "shortinfo.bin").write_bytes(u.recv(1 << 16))
        s = connect(found)
        size = {"float32": 4, "double64": 8, "string": 32, "int32": 4, "int16": 2, "int8": 1, "int64": 8}[format]
        s.sendall((f"LSL:streamfeed/110 {found.uid()}\r\nNative-Byte-Order: 1234\r\nEndian-Performance: 0\r\n"
                   f"Has-IEEE754-Floats: 1\r\nSupports-Subnormals: 1\r\nValue-Size: {size}\r\n"
                   "Data-Protocol-Version: 110\r\nMax-Buffer-Length: 360\r\nMax-Chunk-Length: 0\r\n\r\n").encode())
        outlet.wait_for_consumers(10)
        outlet.push_sample(peer.values(format), 1000.0)
        outlet.push_chunk([peer.values(format)] * 3, 1000.5)
        (here / f"streamfeed_{format}.bin").write_bytes(read(s))
        del outlet, info


def request():
    """An outlet of few words, for the inlet of the library to ask."""
    outlet = pylsl.StreamOutlet(peer.info("float32", "asked"))
    found = pylsl.resolve_byprop("name", "asked", 1, 10)[0]
    xml = found.as_xml()
    server = socket.create_server(("127.0.0.1", 0))
    port = server.getsockname()[1]
    del outlet
    fake = xml.replace(f"<v4data_port>{field(xml, 'v4data_port')}<", f"<v4data_port>{port}<")

    def serve():
        while True:
            c, _ = server.accept()
            c.settimeout(1)
            text = read(c)
            if text.startswith(b"LSL:streamfeed"):
                (here / "request.bin").write_bytes(text)
            c.close()

    threading.Thread(target=serve, daemon=True).start()
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    udp.bind(("127.0.0.1", 16599))

    def answer():
        while True:
            b, a = udp.recvfrom(1 << 16)
            lines = b.decode().split("\r\n")
            if lines[0] == "LSL:shortinfo":
                back, id = lines[2].split()
                udp.sendto(f"{id}\r\n{fake}".encode(), (a[0], int(back)))

    threading.Thread(target=answer, daemon=True).start()
    inlet = pylsl.StreamInlet(pylsl.resolve_byprop("name", "asked", 1, 10)[0], recover=False)
    try:
        inlet.open_stream(3)
    except Exception as e:
        print("as it should:", e)


def dejitter():
    outlet = pylsl.StreamOutlet(peer.info("int8", "jitter"))
    found = pylsl.resolve_byprop("name", "jitter", 1, 10)[0]
    raw = pylsl.StreamInlet(found)
    smooth = pylsl.StreamInlet(found, processing_flags=pylsl.proc_dejitter)
    raw.open_stream(10)
    smooth.open_stream(10)
    rng = random.Random(1)
    start = 1234.5
    for k in range(400):
        outlet.push_sample([0, 0, 0], start + k / 100.3 + rng.gauss(0, 0.003))
    time.sleep(0.5)
    a, b = raw.pull_chunk(1, 400)[1], smooth.pull_chunk(1, 400)[1]
    assert len(a) == len(b) == 400
    (here / "dejitter.json").write_text(json.dumps({"rate": 100, "raw": a, "smooth": b}) + "\n")


streams()
request()
dejitter()
print(pylsl.library_version(), pylsl.library_info())
