package serve

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
	"rao/model"
	"rao/recipe"
)

// folderOf creates a folder with copies of the digits model under the given names.
func folderOf(t *testing.T, names ...string) string {
	t.Helper()
	newServer(t, Options{}) // fits
	dir := t.TempDir()
	for _, name := range names {
		testkit.NoError(t, digits.Save(filepath.Join(dir, name+extension)))
	}
	return dir
}

func oneRow() []byte {
	b, _ := json.Marshal(map[string]any{"instances": [][]float64{mat.Row(nil, 0, digitsX.X)}})
	return b
}

// One damaged file does not prevent other files from being served, and is reported.
func TestDamagedFileAtStart(t *testing.T) {
	dir := folderOf(t, "good")
	testkit.NoError(t, os.WriteFile(filepath.Join(dir, "bad.rao"), []byte("no model"), 0o644))
	repo := testkit.Must(Open([]string{dir}, OpenOptions{}))(t)
	server := httptest.NewServer(New(repo, Options{Tokens: map[string]string{"s": ""}}))
	defer server.Close()
	status, b, _ := call(t, "GET", server.URL+"/v2/health/ready", nil, "Authorization", "Bearer s")
	if status != 200 || !strings.Contains(string(b), "bad.rao") || !strings.Contains(string(b), `"good"`) {
		t.Errorf("status %d: %s", status, b)
	}
	if _, b, _ := call(t, "GET", server.URL+"/v2/health/ready", nil); strings.Contains(string(b), "bad.rao") {
		t.Errorf("without the token: %s", b)
	}
	_, b, _ = call(t, "GET", server.URL+"/metrics", nil, "Authorization", "Bearer s")
	testkit.Contains(t, string(b), "rao_model_problems 1\n", "no problem in", b)
	testkit.Fails(t, testkit.ErrorOf(Open([]string{filepath.Join(dir, "bad.rao")}, OpenOptions{})),
		"nothing could be loaded, but there is no error")
}

// An empty folder is served, and is ready when its first model comes. Draining ends readiness.
func TestReadiness(t *testing.T) {
	full, dir := folderOf(t, "m"), t.TempDir()
	repo := testkit.Must(Open([]string{dir}, OpenOptions{}))(t)
	s := New(repo, Options{})
	ready := func() int {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("GET", "/v2/health/ready", nil))
		return w.Code
	}
	testkit.Equal(t, ready(), 503, "without a model")
	testkit.NoError(t, os.Rename(filepath.Join(full, "m.rao"), filepath.Join(dir, "m.rao")))
	if err := repo.Reload(); err != nil || ready() != 200 {
		t.Errorf("with one: %v, %d", err, ready())
	}
	s.Drain()
	testkit.Equal(t, ready(), 503, "draining")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("POST", "/v1/models/m:predict", bytes.NewReader(oneRow())))
	testkit.Equal(t, w.Code, 200, "a request while draining", w.Body)
}

// The newest of several versions answers, each can be named, and every change is reported.
func TestVersionsAndChanges(t *testing.T) {
	dir := folderOf(t, "d@2", "d@10", "d")
	var changes []string
	repo := testkit.Must(Open([]string{dir}, OpenOptions{changed: func(c change) {
		changes = append(changes, strings.TrimSpace(c.outcome+" "+c.model+" "+c.version))
	}}))(t)
	for _, c := range []struct{ name, version, want string }{{"d", "", "10"}, {"d", "2", "2"}, {"d@2", "", "2"}} {
		testkit.Equal(t, testkit.Must(repo.find(c.name, c.version))(t).version, c.want,
			fmt.Sprintf("%q %q", c.name, c.version))
	}
	testkit.ErrorContains(t, testkit.ErrorOf(repo.find("d@3", "")), "10, 2, sha256:")
	testkit.NoError(t, nearest.Save(filepath.Join(dir, "d@11.rao")))
	testkit.ErrorContains(t, repo.Reload(), "allow", "another input")
	testkit.Fails(t, repo.Reload(), "a refused file is forgotten")
	testkit.Equal(t, testkit.Must(repo.find("d", ""))(t).version, "10", "after a refused file")
	for _, name := range []string{"d@11.rao", "d@10.rao"} {
		testkit.NoError(t, os.Remove(filepath.Join(dir, name)))
	}
	testkit.NoError(t, repo.Reload())
	testkit.Equal(t, testkit.Must(repo.find("d", ""))(t).version, "2", "after the newest is gone")
	got := strings.Join(changes, ", ")
	want := ", loaded d 10, loaded d 2, refused d, removed d 10"
	if !strings.HasSuffix(got, want) || len(changes) != 5 {
		t.Errorf("changes: %s", got)
	}
	testkit.NoError(t, nearest.Save(filepath.Join(dir, "d@12.rao")))
	repo.opt.AllowNewSchema = true
	testkit.NoError(t, repo.Reload(), "a new schema that is allowed")
}

// A file that is damaged while the server is down is replaced by the copy of its last valid version.
func TestKeptVersion(t *testing.T) {
	dir, kept := folderOf(t, "m"), t.TempDir()
	open := func() (*Repository, string) {
		last := ""
		r := testkit.Must(Open([]string{dir},
			OpenOptions{Backup: kept, changed: func(c change) { last = c.outcome }}))(t)
		return r, last
	}
	first, _ := open()
	want, _ := first.find("m", "")
	testkit.NoError(t, os.WriteFile(filepath.Join(dir, "m.rao"), []byte("no model"), 0o644))
	again, outcome := open()
	if e, err := again.find("m", ""); err != nil || e.version != want.version || outcome != "restored" {
		t.Fatalf("%v, %s", err, outcome)
	}
	if err := again.Reload(); err == nil || len(again.problems()) != 1 {
		t.Errorf("the damaged file is no problem: %v", err)
	}
	testkit.NoError(t, digits.Save(filepath.Join(dir, "m.rao")))
	testkit.NoError(t, again.Reload(), "mended")
}

func TestReadTokens(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	for text, want := range map[string]string{
		"abc\n":                     "map[abc:]",
		"# all\nann: x1\n\nbob: x2": "map[x1:ann x2:bob]",
		"\n":                        "contains no token",
		"two words\n":               "line 1",
		"a: x\nb: x\n":              "twice",
		"a: x\na: y\n":              "twice",
		"ü\n":                       "ASCII",
	} {
		testkit.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		tokens, err := readTokens(file)
		testkit.Contains(t, fmt.Sprint(tokens, err), want, text)
	}
}

// Several tokens have names in the log and limits of their own, and can be replaced.
func TestTokens(t *testing.T) {
	var log bytes.Buffer
	s, server := newServer(t, Options{Tokens: map[string]string{"a": "ann", "b": "bob"}, Rate: 2,
		Log: slog.New(slog.NewJSONHandler(&log, nil))})
	get := func(secret string) int {
		status, _, _ := call(t, "GET", server.URL+"/v2", nil, "Authorization", "Bearer "+secret)
		return status
	}
	if a, b, c := get("a"), get("a"), get("a"); a != 200 || b != 200 || c != 429 {
		t.Errorf("ann: %d %d %d", a, b, c)
	}
	testkit.Equal(t, get("b"), 200, "bob")
	s.setTokens(map[string]string{"a": "ann", "e": "eve"})
	if a, b, e := get("a"), get("b"), get("e"); a != 429 || b != 401 || e != 200 {
		t.Errorf("after a change: %d %d %d", a, b, e)
	}
	if !strings.Contains(log.String(), `"client":"ann"`) || strings.Contains(log.String(), "/health") {
		t.Errorf("log: %s", log.String())
	}
}

func TestRequestIDAndProbes(t *testing.T) {
	var log bytes.Buffer
	_, server := newServer(t, Options{Version: "1", Commit: "c0ffee", Log: slog.New(slog.NewJSONHandler(&log, nil))})
	trace := "4bf92f3577b34da6a3ce929d0e0e4736"
	_, b, h := call(t, "GET", server.URL+"/v2/models/nope", nil, "X-Request-ID", "mine",
		"traceparent", "00-"+trace+"-00f067aa0ba902b7-01")
	testkit.Equal(t, h.Get("X-Request-ID"), "mine", h, string(b))
	testkit.Contains(t, string(b), `"request_id":"mine"`)
	if said := log.String(); !strings.Contains(said, `"id":"mine"`) || !strings.Contains(said, trace) {
		t.Errorf("log: %s", said)
	}
	long := strings.Repeat("x", 200)
	if _, _, h := call(t, "GET", server.URL+"/v2", nil, "X-Request-ID", long); len(h.Get("X-Request-ID")) != 16 {
		t.Errorf("a long identifier: %v", h)
	}
	log.Reset()
	for _, path := range []string{"/healthz", "/v2/health/ready", "/v2/health/live", "/metrics",
		"/v2/models/digits/ready"} {
		call(t, "GET", server.URL+path, nil)
	}
	if log.Len() > 0 {
		t.Errorf("probes are logged: %s", log.String())
	}
	call(t, "POST", server.URL+"/v1/models/digits:predict", oneRow())
	_, b, _ = call(t, "GET", server.URL+"/metrics", nil)
	for _, want := range []string{`rao_build_info{version="1",commit="c0ffee",go="go`,
		`rao_request_seconds_count{model="digits",protocol="kserve-v1",endpoint="POST /v1/models/{model}"} 1`} {
		testkit.Contains(t, string(b), want)
	}
}

// The server supports version 1 of KServe's protocol, lists its models, and answers wrong methods with an error.
func TestProtocols(t *testing.T) {
	_, server := newServer(t, Options{})
	status, b, _ := call(t, "POST", server.URL+"/v1/models/digits:predict", oneRow())
	var v1 struct{ Predictions []string }
	if err := json.Unmarshal(b, &v1); err != nil || status != 200 || len(v1.Predictions) != 1 {
		t.Errorf("status %d: %s", status, b)
	}
	for path, want := range map[string]string{"/v1/models": `{"models":["digits","nearest"]}`,
		"/v1/models/digits": `"ready":true`, "/v2/models": `"name":"digits"`, "/v2": `["binary_tensor_data"]`} {
		testkit.Contains(t, string(answers(t, 200, "GET", server.URL+path, nil)), want)
	}
	for _, c := range []struct {
		verb, path, allow string
		status            int
	}{{"GET", "/v1/models/digits/predict", "POST", 405}, {"DELETE", "/metrics", "GET", 405},
		{"PUT", "/v1/models/digits", "GET, POST", 405}, {"GET", "/nope", "", 404},
		{"POST", "/v1/models/digits:explode", "", 404}} {
		status, b, h := call(t, c.verb, server.URL+c.path, nil)
		if status != c.status || h.Get("Allow") != c.allow {
			t.Errorf("%s %s: status %d, allow %q: %s", c.verb, c.path, status, h.Get("Allow"), b)
		}
	}
}

// The description of the routes is OpenAPI and names each of them.
func TestOpenAPI(t *testing.T) {
	s, server := newServer(t, Options{Tokens: map[string]string{"s": ""}})
	_, b, _ := call(t, "GET", server.URL+"/openapi.json", nil, "Authorization", "Bearer s")
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			Summary    string
			Parameters []struct{ Name string }
		}
	}
	if err := json.Unmarshal(b, &doc); err != nil || doc.OpenAPI != "3.1.0" {
		t.Fatalf("%v: %.100s", err, b)
	}
	n := 0
	for path, methods := range doc.Paths {
		for _, m := range methods {
			n++
			if m.Summary == "" || len(m.Parameters) != strings.Count(path, "{") {
				t.Errorf("%s: %+v", path, m)
			}
		}
	}
	if want := len(s.served()) - 1; n != want { // GET /v2/ is GET /v2
		t.Errorf("%d operations, %d routes", n, want)
	}
}

func compressed(t *testing.T, encoding string, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&out)
	if encoding == "zstd" {
		w = testkit.Must(zstd.NewWriter(&out))(t)
	}
	testkit.Must(w.Write(b))(t)
	testkit.NoError(t, w.Close())
	return out.Bytes()
}

// Compressed bodies give the same results as plain ones. A small body that decompresses to a large one is rejected.
func TestCompressedBodies(t *testing.T) {
	s, server := newServer(t, Options{MaxBody: 1 << 20})
	url := server.URL + "/v1/models/digits:predict"
	_, want, _ := call(t, "POST", url, oneRow())
	bomb := bytes.Repeat([]byte(" "), 1<<20+1)
	for _, encoding := range []string{"gzip", "zstd"} {
		send := func(body []byte, want int) []byte {
			t.Helper()
			return answers(t, want, "POST", url, body, "Content-Encoding", encoding)
		}
		row := compressed(t, encoding, oneRow())
		testkit.EqualSlices(t, send(row, 200), want, encoding)
		send(compressed(t, encoding, bomb), 413)
		send(compressed(t, encoding, bomb[1:]), 400) // blanks
		for _, bad := range [][]byte{row[:len(row)/2], []byte("not compressed"), nil} {
			send(bad, 400)
		}
	}
	answers(t, 415, "POST", url, oneRow(), "Content-Encoding", "br")
	testkit.Equal(t, s.memory.used.Load(), 0, "bytes are still charged")
}

// Pages of trusted sites may send requests, and other pages may not.
func TestOrigins(t *testing.T) {
	_, server := newServer(t, Options{Origins: []string{"https://lab.example"}})
	send := func(verb, origin string, header ...string) (int, http.Header) {
		header = append(header, "Origin", origin, "Sec-Fetch-Site", "cross-site")
		status, _, h := call(t, verb, server.URL+"/v1/models/digits:predict", oneRow(), header...)
		return status, h
	}
	if status, h := send("POST", "https://lab.example"); status != 200 ||
		h.Get("Access-Control-Allow-Origin") != "https://lab.example" {
		t.Errorf("trusted: %d %v", status, h)
	}
	if status, h := send("OPTIONS", "https://lab.example", "Access-Control-Request-Method", "POST"); status != 204 ||
		!strings.Contains(h.Get("Access-Control-Allow-Headers"), "Authorization") {
		t.Errorf("asking first: %d %v", status, h)
	}
	if status, h := send("POST", "https://evil.example"); status != 403 || h.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("not trusted: %d %v", status, h)
	}
}

// A request for a table with texts has one tensor per column, as JSON and in binary; null is filled in.
func TestTensorsOfTexts(t *testing.T) {
	form := &recipe.Encoding{Columns: []recipe.Column{{Name: "c", Values: []string{"p", "q"}}, {Name: "v"}}}
	e := &entry{model: &model.Model{Input: model.Schema{Kind: model.KindVectors, Dim: 3,
		Columns: []string{"c=p", "c=q", "v"}, Table: form, Fill: []float64{0, 0, 7}}}}
	testkit.Equal(t, fmt.Sprint(e.inputs()), "[{c BYTES [-1]} {v FP64 [-1]}]", "inputs")
	want := mat.NewDense(2, 3, []float64{1, 0, 2, 0, 1, math.NaN()})
	jsonBody := `{"inputs":[{"name":"v","datatype":"FP64","shape":[2],"data":[2,null]},
		{"name":"c","datatype":"BYTES","shape":[2],"data":["p","q"]}]}`
	head := `{"inputs":[{"name":"c","datatype":"BYTES","shape":[2],"parameters":{"binary_data_size":10}},
		{"name":"v","datatype":"FP64","shape":[2],"data":[2,null]}]}`
	for _, c := range []struct{ body, length string }{
		{jsonBody, ""}, {head + "\x01\x00\x00\x00p\x01\x00\x00\x00q", fmt.Sprint(len(head))},
	} {
		q := testkit.Must(parseInfer([]byte(c.body), c.length, 100, e.imputes(), nil))(t)
		b := testkit.Must(e.batchOf(q.inputs, nil))(t)
		for i := range 2 {
			for j := range 3 {
				if got := b.X.At(i, j); got != want.At(i, j) && !(math.IsNaN(got) && math.IsNaN(want.At(i, j))) {
					t.Errorf("%d, %d: %g", i, j, got)
				}
			}
		}
	}
	input := func(name, datatype string, n int, data string) string {
		return fmt.Sprintf(`{"name":%q,"datatype":%q,"shape":[%d],"data":%s}`, name, datatype, n, data)
	}
	c, v := input("c", "BYTES", 1, `["p"]`), input("v", "FP64", 1, "[1]")
	for _, inputs := range []string{c, input("c", "FP64", 1, `["p"]`) + "," + v,
		c + "," + input("v", "BYTES", 1, `["1"]`), c + "," + input("v", "FP64", 2, "[1,2]"), c + "," + v + "," + c} {
		bad := `{"inputs":[` + inputs + `]}`
		q, err := parseInfer([]byte(bad), "", 100, true, nil)
		if err == nil {
			_, err = e.batchOf(q.inputs, nil)
		}
		testkit.Fails(t, err, "no error for", bad)
	}
	b := testkit.Must(e.fromJSON([]byte(`{"rows":[{"c":"q","v":true}]}`), 100, nil, nil))(t)
	testkit.Equal(t, b.X.At(0, 2), 1, "true is not 1")
	short := &tensor{Name: "c", Datatype: "BYTES", Shape: []int{1}}
	testkit.Fails(t, short.fromBytes([]byte{9, 0, 0, 0, 'p'}, 100, nil), "a truncated text is accepted")
}

// certificate writes a certificate with its key as PEM files, signed by parent or by itself.
func certificate(t *testing.T, dir, name string, parent *tls.Certificate) (cert, key string, pair *tls.Certificate) {
	t.Helper()
	private := testkit.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: parent == nil,
		BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	signer, signKey := template, any(private)
	if parent != nil {
		signer, signKey = parent.Leaf, parent.PrivateKey
	}
	der := testkit.Must(x509.CreateCertificate(rand.Reader, template, signer, &private.PublicKey, signKey))(t)
	encoded := testkit.Must(x509.MarshalECPrivateKey(private))(t)
	cert, key = filepath.Join(dir, name+".pem"), filepath.Join(dir, name+".key")
	testkit.NoError(t, errors.Join(
		os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600),
		os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: encoded}), 0o600)))
	loaded := testkit.Must(tls.LoadX509KeyPair(cert, key))(t)
	return cert, key, &loaded
}

// A server with certificates of clients follows changes of its token and certificate files, answers while it
// drains, and ends without an error.
func TestListenAndServe(t *testing.T) {
	dir, secrets := folderOf(t, "m"), t.TempDir()
	_, _, ca := certificate(t, secrets, "ca", nil)
	cert, key, _ := certificate(t, secrets, "server", ca)
	_, _, mine := certificate(t, secrets, "client", ca)
	tokens := filepath.Join(secrets, "tokens")
	testkit.NoError(t, os.WriteFile(tokens, []byte("ann: one\n"), 0o600))
	var log testkit.Buffer
	ctx, cancel := context.WithCancel(context.Background())
	at, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- ListenAndServe(ctx, ListenOptions{Models: []string{dir}, Addr: "127.0.0.1:0", TokenFile: tokens,
			Cert: cert, Key: key, ClientCA: filepath.Join(secrets, "ca.pem"), Reload: 5 * time.Millisecond,
			Drain:  func(error) time.Duration { return 300 * time.Millisecond },
			Ready:  func(url string, _ []string, warnings []error) { at <- fmt.Sprint(url, warnings) },
			Errors: slog.New(slog.NewJSONHandler(&log, nil))})
	}()
	var url string
	select {
	case address := <-at:
		url = strings.TrimSuffix(address, "[]") // no warnings
	case err := <-ended:
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(ca.Leaf)
	get := func(path, token string, certs ...tls.Certificate) (status int, serial string) {
		c := http.Client{Transport: &http.Transport{DisableKeepAlives: true,
			TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: certs}}}
		r, _ := http.NewRequest("GET", url+path, nil)
		r.Header.Set("Authorization", "Bearer "+token)
		resp, err := c.Do(r)
		if err != nil {
			return 0, err.Error()
		}
		resp.Body.Close()
		return resp.StatusCode, resp.TLS.PeerCertificates[0].SerialNumber.String()
	}
	until := func(what string, f func() bool) {
		t.Helper()
		for end := time.Now().Add(10 * time.Second); !f(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: never\n%s", what, log.String())
			}
		}
	}
	if status, _ := get("/v2", "one"); status != 403 {
		t.Errorf("without a certificate: %d", status)
	}
	if status, _ := get("/v2/health/ready", ""); status != 200 {
		t.Errorf("readiness: %d", status)
	}
	status, serial := get("/v2", "one", *mine)
	testkit.Equal(t, status, 200, "with a certificate", serial)
	testkit.NoError(t, os.WriteFile(tokens, []byte("ann: two2\n"), 0o600))
	until("the new token", func() bool { status, _ := get("/v2", "two2", *mine); return status == 200 })
	certificate(t, secrets, "server", ca)
	until("the new certificate", func() bool { _, now := get("/v2", "two2", *mine); return now != serial })
	testkit.NoError(t, nearest.Save(filepath.Join(dir, "n.rao")))
	until("the new model", func() bool { return strings.Contains(log.String(), `"outcome":"loaded","model":"n"`) })
	cancel()
	until("not ready", func() bool { status, _ := get("/v2/health/ready", ""); return status == 503 })
	if status, _ := get("/v2", "two2", *mine); status != 200 {
		t.Errorf("while it drains: %d", status)
	}
	testkit.NoError(t, <-ended, "ended with")
}

// Ready gets a warning for each protection that is missing at an address that other machines can reach.
func TestReadyWarns(t *testing.T) {
	repo := testkit.Must(Open([]string{folderOf(t, "m")}, OpenOptions{}))(t)
	for _, c := range []struct {
		opt  ListenOptions
		ip   net.IP
		want string
	}{
		{ListenOptions{}, net.IPv4(127, 0, 0, 1), "http://127.0.0.1:80 [m] []"},
		{ListenOptions{}, net.IPv4(192, 0, 2, 1), "http://192.0.2.1:80 [m] [other machines can reach this address " +
			"and no token is required; give option token-file requests from other machines are not encrypted; give " +
			"option tls-cert and option tls-key]"},
		{ListenOptions{Cert: "c", Options: Options{Tokens: map[string]string{"s": ""}}}, net.IPv4(192, 0, 2, 1),
			"https://192.0.2.1:80 [m] []"},
	} {
		c.opt.Ready = func(url string, models []string, warnings []error) {
			testkit.Equal(t, fmt.Sprint(url, " ", models, " ", warnings), c.want)
		}
		c.opt.ready(&net.TCPAddr{IP: c.ip, Port: 80}, repo)
	}
}
