"""Check wheels without installing them: python wheels.py FOLDER.

Each must hold the package, the program of its system and nothing else, and its record must be right.
"""

import base64
import csv
import hashlib
import io
import struct
import sys
import zipfile
from pathlib import Path

MODULES = {p.name for p in (Path(__file__).resolve().parents[1] / "rao").glob("*.py")}
MACHINES = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


def program_of(data: bytes) -> str:
    """The system and processor that a program is for, by its header."""
    if data[:4] == b"\x7fELF":
        return "linux/" + {62: "amd64", 183: "arm64"}[struct.unpack_from("<H", data, 18)[0]]
    if data[:4] == b"\xcf\xfa\xed\xfe":
        return "darwin/" + {0x01000007: "amd64", 0x0100000C: "arm64"}[struct.unpack_from("<I", data, 4)[0]]
    assert data[:2] == b"MZ", "a program of no known system"
    at = struct.unpack_from("<I", data, 60)[0]
    return "windows/" + {0x8664: "amd64", 0xAA64: "arm64"}[struct.unpack_from("<H", data, at + 4)[0]]


def system_of(tag: str) -> str:
    system = "windows" if tag.startswith("win") else "darwin" if tag.startswith("macosx") else "linux"
    return f"{system}/{next(v for k, v in MACHINES.items() if tag.endswith(k))}"


def check(path: Path) -> str:
    name, version, _, abi, tags = path.stem.split("-")
    assert (name, abi) == ("fisher_rao", "none"), path.name
    systems = {system_of(t) for t in tags.split(".")}
    with zipfile.ZipFile(path) as z:
        assert z.testzip() is None
        files = {i.filename: z.read(i) for i in z.infolist()}
        modes = {i.filename: i.external_attr >> 16 for i in z.infolist()}
    info = f"fisher_rao-{version}.dist-info"
    programs = [f for f in files if f.startswith("rao/_bin/")]
    assert len(programs) == 1 and modes[programs[0]] & 0o111, programs
    assert systems == {program_of(files[programs[0]])}, f"{path.name} holds a program of {program_of(files[programs[0]])}"
    want = {f"rao/{m}" for m in MODULES} | {"rao/py.typed", *programs}
    want |= {f"{info}/{f}" for f in ("METADATA", "LICENSE", "WHEEL", "RECORD", "entry_points.txt")}
    assert b"rao = rao.__main__:main" in files[f"{info}/entry_points.txt"]
    assert set(files) == want, set(files) ^ want
    assert f"\nVersion: {version}\n" in files[f"{info}/METADATA"].decode()
    for tag in tags.split("."):
        assert f"\nTag: py3-none-{tag}\n" in files[f"{info}/WHEEL"].decode()
    for file, digest, size in csv.reader(io.StringIO(files[f"{info}/RECORD"].decode())):
        data = files.pop(file)
        if file.endswith("RECORD"):
            continue
        assert int(size) == len(data), file
        assert digest == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode(), file
    assert not files, f"not in the record: {set(files)}"
    return systems.pop()


found = {check(p) for p in sorted(Path(sys.argv[1]).glob("*.whl"))}
assert found == {f"{s}/{m}" for s in ("linux", "darwin", "windows") for m in ("amd64", "arm64")}, found
print(f"{len(found)} wheels hold what they should")
