"""Send requests to rao serve with the clients of Triton and KServe, and check the manifest for KServe.

    python clients.py [RAO [RAO-SERVE [CLIENT]]]      executables; by default rao from PATH, and no gRPC

The script prints which of the packages tritonclient and kserve it skips because they are not installed. It runs each
client in a separate process, because both packages define the same gRPC messages.
"""
import asyncio
import csv
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

rao = str(pathlib.Path(sys.argv[1]).resolve()) if len(sys.argv) > 1 else "rao"
rao_serve = str(pathlib.Path(sys.argv[2]).resolve()) if len(sys.argv) > 2 and sys.argv[2] else None
pixels = np.arange(3 * 64, dtype=np.float64).reshape(3, 64) % 17


def expected(folder):
    """Return the labels and posteriors of rao predict."""
    np.save(folder / "x.npy", pixels)
    subprocess.run([rao, "predict", "--model", "digits.rao", "--data", "x.npy", "--out", "y.csv"], cwd=folder, check=True, capture_output=True)
    with open(folder / "y.csv", newline="") as f:
        rows = list(csv.reader(f))
    names = rows[0]
    label = names.index("label")
    places = [k for k, n in enumerate(names) if re.fullmatch(r"(p_?|probability_?)?\d", n)]
    return [r[label] for r in rows[1:]], np.array([[float(r[k]) for k in places] for r in rows[1:]])


def check(who, labels, posterior, want):
    labels = [v.decode() if isinstance(v, bytes) else str(v) for v in np.asarray(labels).ravel()]
    assert labels == want[0], f"{who}: labels {labels}, rao predict has {want[0]}"
    assert np.allclose(np.asarray(posterior, float).reshape(want[1].shape), want[1], atol=1e-12), f"{who}: other posteriors"
    print(f"{who}: as rao predict")


def triton(address, want):
    import tritonclient.http as http

    client = http.InferenceServerClient(address)
    assert client.is_server_live() and client.is_server_ready() and client.is_model_ready("digits")
    assert client.get_model_metadata("digits")["inputs"][0]["shape"] == [-1, 64]
    assert [m["name"] for m in client.get_model_repository_index()] == ["digits"]
    for binary in True, False:
        x = http.InferInput("X", [3, 64], "FP64")
        x.set_data_from_numpy(pixels, binary_data=binary)
        wanted = [http.InferRequestedOutput(n, binary_data=binary) for n in ("label", "posterior")]
        answer = client.infer("digits", [x], outputs=wanted, request_id="7")
        assert answer.get_response()["id"] == "7"
        check(f"tritonclient, {'binary' if binary else 'JSON'}", answer.as_numpy("label"), answer.as_numpy("posterior"), want)
    x = http.InferInput("X", [3, 64], "FP32")
    x.set_data_from_numpy(pixels.astype(np.float32))
    everything = client.infer("digits", [x])
    assert {o["name"] for o in everything.get_response()["outputs"]} == {o["name"] for o in client.get_model_metadata("digits")["outputs"]}
    try:
        client.infer("digit", [x])
    except Exception as e:  # the client's own class
        assert "did you mean digits" in str(e), e
    else:
        raise AssertionError("a model that does not exist answers")
    client.close()


def triton_grpc(address, want):
    import tritonclient.grpc as grpc

    client = grpc.InferenceServerClient(address)
    assert client.is_server_live() and client.is_server_ready() and client.is_model_ready("digits")
    assert list(client.get_model_metadata("digits").inputs[0].shape) == [-1, 64]
    for kind in "FP64", "FP32":
        x = grpc.InferInput("X", [3, 64], kind)
        x.set_data_from_numpy(pixels.astype({"FP64": np.float64, "FP32": np.float32}[kind]))
        answer = client.infer("digits", [x], outputs=[grpc.InferRequestedOutput(n) for n in ("label", "posterior")], request_id="7")
        assert answer.get_response().id == "7"
        check(f"tritonclient over gRPC, {kind}", answer.as_numpy("label"), answer.as_numpy("posterior"), want)
    try:
        client.infer("digit", [x])
    except grpc.InferenceServerException as e:
        assert "did you mean digits" in str(e) and "NOT_FOUND" in str(e.status()), e
    else:
        raise AssertionError("a model that does not exist answers")
    client.close()


def kserve_grpc(address, want):
    from kserve import InferInput, InferRequest
    from kserve.inference_client import InferenceGRPCClient

    async def ask():
        client = InferenceGRPCClient(address)
        assert await client.is_server_live() and await client.is_server_ready() and await client.is_model_ready("digits")
        x = InferInput("X", [3, 64], "FP64")
        x.set_data_from_numpy(pixels, binary_data=True)
        answer = await client.infer(InferRequest("digits", [x], request_id="8"))
        out = {o.name: o for o in answer.outputs}
        check("kserve over gRPC", out["label"].as_numpy(), out["posterior"].as_numpy(), want)
        await client.close()

    asyncio.run(ask())


def kserve_client(address, want):
    from kserve import InferInput, InferRequest, RESTConfig
    from kserve.inference_client import InferenceRESTClient

    async def ask():
        client = InferenceRESTClient(RESTConfig(protocol="v2", retries=1))
        base = f"http://{address}"
        assert await client.is_server_live(base) and await client.is_server_ready(base)
        assert await client.is_model_ready(base, "digits")
        for binary in True, False:
            x = InferInput("X", [3, 64], "FP64")
            x.set_data_from_numpy(pixels, binary_data=binary)
            answer = await client.infer(base, InferRequest("digits", [x], request_id="8"), model_name="digits")
            assert answer.id == "8"
            out = {o.name: o for o in answer.outputs}
            check(f"kserve, {'binary' if binary else 'JSON'}", out["label"].as_numpy(), out["posterior"].as_numpy(), want)

    asyncio.run(ask())


def manifest():
    """Check that KServe and Kubernetes define every field of the manifest."""
    import typing

    import kserve
    import yaml
    from kubernetes import client

    def fields(kind):
        """Return the fields of a class and the types of their values."""
        if hasattr(kind, "openapi_types"):
            return {kind.attribute_map[k]: v for k, v in kind.openapi_types.items()}
        return {f.alias or k: f.annotation for k, f in kind.model_fields.items()}

    def check(value, kind, at):
        if isinstance(kind, str):
            name = re.sub(r"^list\[(.*)\]$", r"\1", kind)
            kind = getattr(kserve, name, None) or getattr(client, name, None)
        while typing.get_args(kind):  # a list, or one or none
            kind = next(a for a in typing.get_args(kind) if a is not type(None))
        for v in value if isinstance(value, list) else [value]:
            if not isinstance(v, dict) or not hasattr(kind, "openapi_types") and not hasattr(kind, "model_fields"):
                continue
            for key, inner in v.items():
                assert key in fields(kind), f"kserve.yaml: {at} has no field {key}"
                check(inner, fields(kind)[key], f"{at}.{key}")

    path = pathlib.Path(__file__).parent / ".." / "docs" / "deploy" / "kserve.yaml"
    if path.exists():
        check(yaml.safe_load(path.read_text()), "V1beta1InferenceService", "the service")
        print("kserve.yaml: every field is known to KServe")


if len(sys.argv) < 4:
    for package in "tritonclient", "kserve":
        subprocess.run([sys.executable, __file__, rao, rao_serve or "", package], check=True)
    sys.exit()

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    subprocess.run([rao, "fit", "sqfa", "--data", "digits:train", "--filters", "9", "--noise", "1", "--out", "digits.rao"], cwd=folder, check=True, capture_output=True)
    want = expected(folder)
    serve = [rao_serve, "--grpc-addr", "127.0.0.1:0"] if rao_serve else [rao, "serve"]
    server = subprocess.Popen([*serve, "--model", "digits.rao", "--addr", "127.0.0.1:0", "--no-log", "--drain", "0"], cwd=folder, stderr=subprocess.PIPE, text=True)
    try:
        over = re.search(r"gRPC on (\S+)", server.stderr.readline()).group(1) if rao_serve else None
        address = re.search(r"http://(\S+)", server.stderr.readline()).group(1)

        def use_triton():
            triton(address, want)
            if over:
                triton_grpc(over, want)

        def use_kserve():
            kserve_client(address, want)
            if over:
                kserve_grpc(over, want)
            manifest()

        package = sys.argv[3]
        try:
            __import__(package)
        except ImportError:
            print(f"skipped: {package} is not installed")
        else:
            {"tritonclient": use_triton, "kserve": use_kserve}[package]()
    finally:
        server.terminate()
        server.wait()
