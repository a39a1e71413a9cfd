"""Build wheels: the package together with the program rao for one system.

As a build backend (PEP 517) it builds the wheel of this system, so ``pip wheel ./python`` and
``pip install ./python`` work if Go is installed. As a program it cross-builds the wheels of all
systems::

    python backend.py --out dist            # all
    python backend.py --out dist linux/arm64
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import platform
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TAGS = {
    "linux/amd64": "manylinux_2_17_x86_64.musllinux_1_1_x86_64",
    "linux/arm64": "manylinux_2_17_aarch64.musllinux_1_1_aarch64",
    "darwin/amd64": "macosx_12_0_x86_64",
    "darwin/arm64": "macosx_12_0_arm64",
    "windows/amd64": "win_amd64",
    "windows/arm64": "win_arm64",
}
REQUIRES = (
    "Requires-Dist: numpy>=1.22",
    "Provides-Extra: estimators",
    "Requires-Dist: scikit-learn>=1.2; extra == 'estimators'",
    "Provides-Extra: plots",
    "Requires-Dist: matplotlib; extra == 'plots'",
    "Provides-Extra: all",
    "Requires-Dist: scikit-learn>=1.2; extra == 'all'",
    "Requires-Dist: matplotlib; extra == 'all'",
    "Requires-Dist: pandas; extra == 'all'",
    "Requires-Dist: tqdm; extra == 'all'",
)
GO = (1, 26)  # the release of Go that builds the program
WHEN = (1980, 1, 1, 0, 0, 0)  # fixed, so equal sources give equal wheels


def stated(constant: str, module: str) -> str:
    """Return the value of a constant in a module of the package, without importing it: numpy may be missing."""
    found = re.search(rf'{constant} = "(.+)"', (HERE / "rao" / module).read_text())
    assert found is not None
    return found.group(1)


def version() -> str:
    return stated("__version__", "_version.py")


NAME = stated("DISTRIBUTION", "_distribution.py")


def here() -> str:
    """Return Go's name of this system."""
    system = {"win32": "windows"}.get(sys.platform, sys.platform)
    machine = platform.machine().lower()
    return f"{system}/{ {'x86_64': 'amd64', 'aarch64': 'arm64'}.get(machine, machine) }"


def need_go() -> None:
    """Exit with a one-line message if there is no suitable Go."""
    wanted = ".".join(map(str, GO))
    try:
        said = subprocess.run(["go", "env", "GOVERSION"], cwd=HERE.parent, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        raise SystemExit(f"building {NAME} from source needs Go {wanted}; install Go (https://go.dev/dl), or install a wheel") from None
    found = re.match(r"go(\d+)\.(\d+)", said)
    if found and tuple(map(int, found.groups())) < GO:
        raise SystemExit(f"building {NAME} from source needs Go {wanted}, not {said[2:]}; install it (https://go.dev/dl), or install a wheel")


def compile_rao(target: str, to: Path) -> None:
    goos, goarch = target.split("/")
    need_go()
    env = {**os.environ, "CGO_ENABLED": "0", "GOOS": goos, "GOARCH": goarch}
    subprocess.run(["go", "build", "-trimpath", "-ldflags=-s -w", "-o", str(to), "./cmd/rao"], cwd=HERE.parent, env=env, check=True)


def make_wheel(target: str, folder: Path) -> str:
    """Write the wheel of a system to the folder and return its file name."""
    if target not in TAGS:
        raise SystemExit(f"there is no wheel for {target}; choose from {', '.join(TAGS)}")
    stem = f"{NAME.replace('-', '_')}-{version()}"
    info, name = f"{stem}.dist-info", f"{stem}-py3-none-{TAGS[target]}.whl"
    tags = "".join(f"Tag: py3-none-{t}\n" for t in TAGS[target].split("."))
    metadata = ["Metadata-Version: 2.1", f"Name: {NAME}", f"Version: {version()}",
                "Summary: Supervised learning with the Fisher-Rao geometry of Gaussians and SPD matrices",
                "Requires-Python: >=3.9", *REQUIRES, "Description-Content-Type: text/markdown", "", (HERE / "README.md").read_text()]
    program = "rao.exe" if target.startswith("windows") else "rao"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        binary = Path(scratch) / program
        compile_rao(target, binary)
        files = {f"rao/{p.name}": p.read_bytes() for p in sorted((HERE / "rao").iterdir()) if p.suffix == ".py" or p.name == "py.typed"}
        files[f"rao/_bin/{program}"] = binary.read_bytes()
    files[f"{info}/METADATA"] = "\n".join(metadata).encode()
    files[f"{info}/entry_points.txt"] = b"[console_scripts]\nrao = rao.__main__:main\n"
    files[f"{info}/LICENSE"] = (HERE.parent / "LICENSE").read_bytes()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: rao backend\nRoot-Is-Purelib: false\n{tags}".encode()
    record = "".join(f"{path},sha256={_digest(data)},{len(data)}\n" for path, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    partial = folder / (name + ".tmp")
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as z:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, WHEN)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if "/_bin/" in path else 0o644) << 16 | 0o100000 << 16
            z.writestr(entry, data)
    partial.replace(folder / name)
    return name


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: str | None = None) -> str:
    return make_wheel(here(), Path(wheel_directory))


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    raise NotImplementedError("a source distribution would need the Go module; build wheels from a checkout")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=HERE / "dist")
    parser.add_argument("targets", nargs="*", help="such as linux/arm64; all without one")
    arguments = parser.parse_args()
    for t in arguments.targets or TAGS:
        print(arguments.out / make_wheel(t, arguments.out), flush=True)
