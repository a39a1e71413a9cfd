#!/usr/bin/env python3
"""Start rao serve, cause the failures described in docs/operating.md, and check how the server responds.

    go build -o rao ./cmd/rao
    python3 e2e/drill.py ./rao

The script needs only Python 3.9 or later.
"""

import gzip
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

RAO = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "rao")
ROW = [float(i % 17) for i in range(64)]
TOKEN = "first-secret"


class Server:
    def __init__(self, *flags):
        self.log = []
        self.process = subprocess.Popen([RAO, "serve", "--addr", "127.0.0.1:0", *flags], stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            self.log.append(line)
            if line.startswith("serving "):
                self.url = line.strip().rsplit(" on ", 1)[1]
                break
        else:
            raise SystemExit("the server did not start:\n" + "".join(self.log))
        threading.Thread(target=lambda: self.log.extend(self.process.stderr), daemon=True).start()

    def ask(self, path, body=None, token=TOKEN, method=None, headers=(), timeout=30):
        request = urllib.request.Request(self.url + path, data=body, method=method)
        request.add_header("Authorization", "Bearer " + token)
        for name, value in dict(headers).items():
            request.add_header(name, value)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return answer.status, answer.read(), answer.headers
        except urllib.error.HTTPError as e:
            return e.code, e.read(), e.headers

    def predict(self, name="digits", **more):
        return self.ask(f"/v1/models/{name}:predict", json.dumps({"instances": [ROW]}).encode(), **more)

    def raw(self, data):
        host, port = self.url.split("//")[1].split(":")
        s = socket.create_connection((host, int(port)))
        s.sendall(data)
        return s

    def peak(self):
        with open(f"/proc/{self.process.pid}/status") as f:
            return next(int(line.split()[1]) / 1024 for line in f if line.startswith("VmHWM"))

    def log_has(self, *words, seconds=10):
        end = time.time() + seconds
        while time.time() < end:
            if any(all(w in line for w in words) for line in self.log):
                return True
            time.sleep(0.05)
        return False


def until(what, check, seconds=15):
    end = time.time() + seconds
    while not check():
        if time.time() > end:
            raise AssertionError(what)
        time.sleep(0.05)


def check(what, ok):
    print(("ok    " if ok else "FAIL  ") + what, flush=True)
    if not ok:
        check.failed += 1


check.failed = 0


def fit(path, filters):
    subprocess.run([RAO, "fit", "pca", "--data", "digits:train", "--filters", str(filters), "--out", path, "--quiet", "--force"],
                   check=True, stdout=subprocess.DEVNULL)


def models(folder, tokens, kept):
    flags = ["--model", folder, "--token-file", tokens, "--backup", kept, "--reload", "1", "--drain", "2", "--no-log"]
    s = Server(*flags)
    check("a damaged file stops no other", s.predict()[0] == 200 and any("bad.rao" in line for line in s.log))
    status, body, _ = s.ask("/v2/health/ready")
    check("readiness names the damaged file", status == 200 and b"bad.rao" in body)
    check("readiness needs no token and then names nothing", b"bad.rao" not in s.ask("/v2/health/ready", token="x")[1])
    check("metrics count it", b"rao_model_problems 1" in s.ask("/metrics")[1])
    os.remove(os.path.join(folder, "bad.rao"))

    stop, failures = threading.Event(), []

    def load():
        while not stop.is_set():
            status = s.predict()[0]
            if status != 200:
                failures.append(status)

    threads = [threading.Thread(target=load) for _ in range(4)]
    for t in threads:
        t.start()
    for filters in (3, 4, 5):
        fit(os.path.join(folder, "digits.rao"), filters)
        time.sleep(1.2)
    stop.set()
    for t in threads:
        t.join()
    check("models change under load without one failed request", not failures)
    check("changes are counted", b'outcome="replaced"' in s.ask("/metrics")[1])

    fit(os.path.join(folder, "digits@2.rao"), 6)
    until("version 2", lambda: b'"2"' in s.ask("/v2/models")[1])
    check("versions can be pinned", s.predict("digits@2")[0] == 200 and s.predict("digits@3")[0] == 404)
    os.remove(os.path.join(folder, "digits@2.rao"))
    with open(os.path.join(folder, "table.csv"), "w") as f:
        f.write("a,b,kind\n1,5,p\n2,4,p\n1,6,p\n7,1,q\n8,2,q\n7,0,q\n")
    subprocess.run([RAO, "fit", "lda-raw", "--data", os.path.join(folder, "table.csv"), "--out",
                    os.path.join(folder, "digits.rao"), "--quiet", "--force"], check=True, stdout=subprocess.DEVNULL)
    check("a model of other columns is refused", s.log_has('"outcome":"refused"'))
    check("and the old one goes on", s.predict()[0] == 200)
    with open(os.path.join(folder, "digits.rao"), "wb") as f:
        f.write(b"damaged while it runs")

    with open(tokens, "w") as f:
        f.write("ann: second-secret\n")
    until("the new token", lambda: s.predict(token="second-secret")[0] == 200)
    check("a replaced token is refused", s.predict()[0] == 401)
    with open(tokens, "w") as f:
        f.write("\n")
    check("an empty token file changes nothing", s.log_has("remains in use") and s.predict(token="second-secret")[0] == 200)
    with open(tokens, "w") as f:
        f.write(TOKEN + "\n")
    until("the first token again", lambda: s.predict()[0] == 200)

    s.process.send_signal(signal.SIGTERM)
    until("readiness says no", lambda: s.ask("/v2/health/ready")[0] == 503)
    check("requests are answered while it drains", s.predict()[0] == 200)
    check("SIGTERM ends it with status 0", s.process.wait(30) == 0)

    s = Server(*flags)
    check("the last good version survives a restart", s.predict()[0] == 200)
    s.process.kill()
    fit(os.path.join(folder, "digits.rao"), 3)


def protocols(folder, tokens):
    s = Server("--model", folder, "--token-file", tokens, "--no-log", "--max-body", "8")
    check("405 with Allow", s.ask("/metrics", method="DELETE")[0] == 405)
    packed = gzip.compress(json.dumps({"instances": [ROW]}).encode())
    check("gzip", s.ask("/v1/models/digits:predict", packed, headers={"Content-Encoding": "gzip"})[0] == 200)
    bomb = gzip.compress(b" " * (64 << 20))
    check("a gzip bomb", s.ask("/v1/models/digits:predict", bomb, headers={"Content-Encoding": "gzip"})[0] == 413)
    c = s.raw(b"POST /v1/models/digits/predict HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + TOKEN.encode()
              + b"\r\nContent-Length: 99999999\r\n\r\n")
    check("413 before the body is read", b" 413 " in c.recv(100))
    check("the identifier of a request comes back", s.predict(headers={"X-Request-ID": "drill"})[2]["X-Request-ID"] == "drill")
    s.process.kill()


def bounds(folder, tokens):
    s = Server("--model", folder, "--token-file", tokens, "--no-log", "--memory", "953")

    def p99(n=300):
        times, bad = [], 0
        for _ in range(n):
            start = time.perf_counter()
            bad += s.predict()[0] != 200
            times.append(time.perf_counter() - start)
        return sorted(times)[int(0.99 * n)], bad

    quiet, _ = p99()
    auth = b"Authorization: Bearer " + TOKEN.encode() + b"\r\n"
    attacks = {
        "800 slow headers": [b"POST /v1/models/digits/predict HTTP/1.1\r\nHost: localhost\r\nX-"] * 800,
        "200 slow bodies": [b"POST /v1/models/digits/predict HTTP/1.1\r\nHost: localhost\r\n" + auth +
                            b"Content-Length: 1000000\r\n\r\n{"] * 200,
        "1600 idle chunked connections": [b"POST /v1/models/digits/predict HTTP/1.1\r\nHost: localhost\r\n" + auth +
                                          b"Transfer-Encoding: chunked\r\n\r\n3\r\n{\"X\r\n"] * 1600,
    }
    for name, requests in attacks.items():
        held = [s.raw(r) for r in requests]
        slow, bad = p99()
        check(f"{name}: no error, p99 {1000 * slow:.1f} ms (quiet {1000 * quiet:.1f}, at most twice that or 10 ms)",
              bad == 0 and slow <= max(2 * quiet, 0.01))
        for c in held:
            c.close()

    rows = (b"[" + b",".join([b"1.5"] * 64) + b"],") * (59 * (1 << 20) // 258)
    large = b'{"X":[' + rows[:-1] + b"]}"
    answers = []

    def send():
        try:
            status, _, headers = s.ask("/v1/models/digits/predict", large, headers={"Content-Type": "application/json"},
                                       timeout=300)
            answers.append((status, headers.get("Retry-After")))
        except OSError as e:
            answers.append((0, str(e)))

    threads = [threading.Thread(target=send) for _ in range(14)]
    for t in threads:
        t.start()
    bad = 0
    while any(t.is_alive() for t in threads):
        bad += s.predict()[0] != 200
        time.sleep(0.05)
    answered = sum(a[0] == 200 for a in answers)
    check(f"fourteen bodies of 59 MiB: {answered} answered, the rest asked to come again; peak {s.peak():.0f} MB",
          all(a[0] == 200 or a[0] == 503 and a[1] for a in answers) and s.peak() < 1200)
    check("one row meanwhile is always answered", bad == 0)
    s.process.kill()


def main():
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        tokens = os.path.join(other, "tokens")
        with open(tokens, "w") as f:
            f.write(TOKEN + "\n")
        empty = os.path.join(other, "empty")
        os.mkdir(empty)
        s = Server("--model", empty, "--reload", "1", "--no-log")
        check("an empty folder is not ready", s.ask("/v2/health/ready")[0] == 503)
        fit(os.path.join(empty, "late.rao"), 2)
        until("its first model makes it ready", lambda: s.ask("/v2/health/ready")[0] == 200)
        s.process.kill()
        fit(os.path.join(folder, "digits.rao"), 2)
        with open(os.path.join(folder, "bad.rao"), "w") as f:
            f.write("no model")
        models(folder, tokens, os.path.join(other, "kept"))
        protocols(folder, tokens)
        bounds(folder, tokens)
    if check.failed:
        raise SystemExit(f"{check.failed} checks failed")


main()
