package serve

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/internal/serve/explain"
	"rao/internal/testkit"
	"rao/method"
	"rao/model"
	"rao/recipe"
	_ "rao/sets"
	"rao/synth"
)

// fit fits a method with its options to a set, and saves it as name.rao in dir.
func fit(t testing.TB, dir, name, methodName, set string, options ...string) (*model.Model, *dataset.Data) {
	t.Helper()
	var d *dataset.Data
	var err error
	if set == "syn1" {
		d, err = synth.Generate(set, synth.GenerateOptions{PerClass: 25, Seed: 1})
	} else {
		d, err = dataset.Open(context.Background(), set, dataset.OpenOptions{})
	}
	testkit.NoError(t, err)
	m := testkit.Must(method.Lookup(methodName))(t)
	var with method.Settings
	for i := 0; i < len(options); i += 2 {
		with = with.With(options[i], options[i+1])
	}
	fitted := testkit.Must(m.Fit(context.Background(), method.InMemory{Data: d}, with, nil))(t)
	testkit.NoError(t, fitted.Save(filepath.Join(dir, name+extension)))
	return fitted, d
}

// models is a folder with a model of digits and one of matrices.
var models = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "rao-serve-*") })

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := models(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

var (
	fitting sync.Once
	digits  *model.Model
	digitsX *dataset.Data
	nearest *model.Model
	spdX    *dataset.Data
)

// newServer starts a server of the two models.
func newServer(t testing.TB, opt Options) (*Server, *httptest.Server) {
	t.Helper()
	dir := testkit.Must(models())(t)
	fitting.Do(func() {
		digits, digitsX = fit(t, dir, "digits", "sqfa", "digits:train", "filters", "4", "noise", "1")
		nearest, spdX = fit(t, dir, "nearest", "mdm", "syn1")
	})
	repo := testkit.Must(Open([]string{dir}, OpenOptions{}))(t)
	s := New(repo, opt)
	server := httptest.NewServer(s)
	t.Cleanup(func() { s.Close(); server.Close() })
	return s, server
}

// call sends a request and returns the status and the body.
func call(t testing.TB, verb, url string, body []byte, header ...string) (int, []byte, http.Header) {
	t.Helper()
	req := testkit.Must(http.NewRequest(verb, url, bytes.NewReader(body)))(t)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp := testkit.Must(http.DefaultClient.Do(req))(t)
	defer resp.Body.Close()
	b := testkit.Must(io.ReadAll(resp.Body))(t)
	return resp.StatusCode, b, resp.Header
}

// answers sends a request, checks the status of the answer, and returns its body.
func answers(t testing.TB, want int, verb, url string, body []byte, header ...string) []byte {
	t.Helper()
	status, b, _ := call(t, verb, url, body, header...)
	testkit.Equal(t, status, want, verb, url, b)
	return b
}

// rowsOf returns the first n vectors of a set.
func rowsOf(d *dataset.Data, n int) *mat.Dense {
	_, cols := d.X.Dims()
	x := mat.NewDense(n, cols, nil)
	for i := range n {
		for j := range cols {
			x.Set(i, j, d.X.At(i, j))
		}
	}
	return x
}

// float64s returns the bytes of numbers.
func float64s(v []float64) []byte {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

type inferAnswer struct {
	Model   string `json:"model_name"`
	Version string `json:"model_version"`
	ID      string `json:"id"`
	Outputs []struct {
		Name       string          `json:"name"`
		Datatype   string          `json:"datatype"`
		Shape      []int           `json:"shape"`
		Data       json.RawMessage `json:"data"`
		Parameters struct {
			Size int `json:"binary_data_size"`
		} `json:"parameters"`
	} `json:"outputs"`
	Error string `json:"error"`
}

// JSON and binary requests get exactly the decisions of the model, bit for bit.
func TestInferAnswersAsTheModel(t *testing.T) {
	_, server := newServer(t, Options{})
	const n = 7
	x := rowsOf(digitsX, n)
	want := testkit.Must(digits.Predict(context.Background(), model.Vectors(x)))(t)
	check := func(what string, posterior []float64, labels []string) {
		t.Helper()
		for i := range n {
			testkit.Equal(t, labels[i], digits.Classes[want.Label[i]], what, "row", i)
			for j := range digits.Classes {
				testkit.Equal(t, posterior[i*len(digits.Classes)+j], math.Exp(want.LogPosterior.At(i, j)), what,
					"posterior", i, j)
			}
		}
	}
	data, _ := json.Marshal(x.RawMatrix().Data)
	for _, form := range []string{"flat", "nested"} {
		if form == "nested" {
			var rows [][]float64
			for i := range n {
				rows = append(rows, mat.Row(nil, i, x))
			}
			data, _ = json.Marshal(rows)
		}
		body := fmt.Sprintf(
			`{"id":"a7","inputs":[{"name":"X","shape":[%d,64],"datatype":"FP64","data":%s}],`+
				`"outputs":[{"name":"posterior"},{"name":"label"}]}`, n, data)
		status, b, _ := call(t, "POST", server.URL+"/v2/models/digits/infer", []byte(body))
		var a inferAnswer
		if err := json.Unmarshal(b, &a); err != nil || status != 200 || a.ID != "a7" || len(a.Outputs) != 2 ||
			a.Model != "digits" {
			t.Fatalf("%s: status %d, %v: %.300s", form, status, err, b)
		}
		var posterior []float64
		var labels []string
		testkit.NoError(t, json.Unmarshal(a.Outputs[0].Data, &posterior))
		testkit.NoError(t, json.Unmarshal(a.Outputs[1].Data, &labels))
		check(form, posterior, labels)
	}

	raw := float64s(x.RawMatrix().Data)
	head := fmt.Sprintf(
		`{"inputs":[{"name":"X","shape":[%d,64],"datatype":"FP64","parameters":{"binary_data_size":%d}}],`+
			`"parameters":{"binary_data_output":true},"outputs":[{"name":"label"},{"name":"posterior"},`+
			`{"name":"rejected"}]}`, n, len(raw))
	status, b, h := call(t, "POST", server.URL+"/v2/models/digits/infer", append([]byte(head), raw...), headerLength,
		strconv.Itoa(len(head)))
	size, err := strconv.Atoi(h.Get(headerLength))
	if status != 200 || err != nil {
		t.Fatalf("binary: status %d, %v: %.300s", status, err, b)
	}
	var a inferAnswer
	testkit.NoError(t, json.Unmarshal(b[:size], &a))
	tail := b[size:]
	var labels []string
	for range n {
		k := binary.LittleEndian.Uint32(tail)
		labels, tail = append(labels, string(tail[4:4+k])), tail[4+k:]
	}
	posterior := make([]float64, n*len(digits.Classes))
	for i := range posterior {
		posterior[i] = math.Float64frombits(binary.LittleEndian.Uint64(tail[8*i:]))
	}
	check("binary", posterior, labels)
	testkit.Equal(t, len(tail), 8*len(posterior)+n, len(tail)-8*len(posterior), "bytes at the end")
}

// Matrices, distances and features are outputs like others.
func TestInferOutputs(t *testing.T) {
	_, server := newServer(t, Options{})
	var meta struct {
		Inputs, Outputs []tensorMetadata
	}
	testkit.NoError(t, json.Unmarshal(answers(t, 200, "GET", server.URL+"/v2/models/nearest", nil), &meta))
	testkit.EqualSlices(t, meta.Inputs[0].Shape, []int{-1, 10, 10}, "shape of the input")
	data, _ := json.Marshal(spdX.Stack.Data[:300])
	ask := func(model, data, shape, outputs string) (int, inferAnswer) {
		body := fmt.Sprintf(`{"inputs":[{"name":"X","shape":%s,"datatype":"FP64","data":%s}],"outputs":[%s]}`, shape,
			data, outputs)
		status, b, _ := call(t, "POST", server.URL+"/v2/models/"+model+"/infer", []byte(body))
		var a inferAnswer
		testkit.NoError(t, json.Unmarshal(b, &a), string(b))
		return status, a
	}
	status, a := ask("nearest", string(data), "[3,10,10]", `{"name":"distance"}`)
	if status != 200 || fmt.Sprint(a.Outputs[0].Shape) != "[3 4]" {
		t.Errorf("distances: %d %+v", status, a)
	}
	row, _ := json.Marshal(mat.Row(nil, 0, digitsX.X))
	if status, a = ask("digits", string(row), "[1,64]", `{"name":"features"}`); status != 200 ||
		fmt.Sprint(a.Outputs[0].Shape) != "[1 4]" {
		t.Errorf("features: %d %+v", status, a)
	}
	if status, a = ask("digits", string(row), "[1,64]", `{"name":"distance"}`); status != 400 ||
		!strings.Contains(a.Error, `no output "distance"`) {
		t.Errorf("an output that is not there: %d %+v", status, a)
	}
}

// An invalid request gets an error status and a sentence, and the server continues.
func TestBadRequests(t *testing.T) {
	_, server := newServer(t, Options{MaxBody: 1 << 16, MaxRows: 100})
	infer := "/v2/models/digits/infer"
	for _, c := range []struct {
		verb, path, body string
		header           []string
		status           int
		says             string
	}{
		{"GET", "/nothing", "", nil, 404, "there is no GET /nothing"},
		{"POST", "/v2/models/digit/infer", "{}", nil, 404, "did you mean digits"},
		{"POST", "/v2/models/digits/versions/7/infer", "{}", nil, 404, `no version "7"`},
		{"POST", infer, "", nil, 400, "JSON at byte 0"},
		{"POST", infer, `{"inputs":[{"name":"X","shape":[1,63],"datatype":"FP64","data":[` + strings.Repeat("1,", 62) +
			`1]}]}`, nil, 400, "[N, 64]"},
		{"POST", infer, `{"inputs":[{"name":"X","shape":[1,64],"datatype":"FP64","data":[1,2]}]}`, nil, 400, "shape"},
		{"POST", infer, `{"inputs":[{"name":"X","shape":[1,2],"datatype":"FP64","parameters":{"columns":["b","a"]},` +
			`"data":[1,2]}]}`, nil, 400, "columns is not supported"},
		{"POST", infer, `{"parameters":{"columns":["b","a"]},"inputs":[]}`, nil, 400, "columns is not supported"},
		{"POST", infer, `{"inputs":[{"name":"X","shape":[1,64],"datatype":"FP16","data":[]}]}`, nil, 400, "FP16"},
		{"POST", infer,
			`{"inputs":[{"name":"X","shape":[9223372036854775807,64],"datatype":"FP64",` +
				`"parameters":{"binary_data_size":8}}]}AAAAAAAA`, []string{headerLength, "109"}, 400, ""},
		{"POST", infer,
			`{"inputs":[{"name":"X","shape":[1,64],"datatype":"FP64","parameters":{"binary_data_size":-1}}]}`, nil,
			400, "binary_data_size"},
		{"POST", infer, `{}`, []string{headerLength, "99"}, 400, headerLength},
		{"POST", infer, `{"inputs":[],"x":1}`, nil, 400, `no field "x"`},
		{"POST", infer, strings.Repeat("[", 70000), nil, 413, "longer than"},
		{"POST", "/v1/models/digits/predict", `{"X":[[` + strings.Repeat("null,", 63) + `1]]}`, nil, 400,
			"a value is missing"},
		{"POST", "/v1/models/digits/predict", `{"X":[[1,2],[3]]}`, nil, 400, "shape"},
		{"POST", "/v1/models/digits/predict", `{"rows":[{"a":1},{"b":2}]}`, nil, 400, `"b"`},
		{"POST", "/v1/models/digits/predict", "a,b\n1,x\n", []string{"Content-Type", "text/csv"}, 400,
			`"x" is not a number`},
		{"POST", "/v1/models/digits/predict", "x", []string{"Content-Type", "image/png"}, 400, "picture"},
		{"POST", "/v1/models/nearest/predict", "x", []string{"Content-Type", "image/png"}, 400,
			"not fitted to images"},
		{"POST", "/v1/models/digits/predict", "x", []string{"Content-Type", "application/pdf"}, 415, "application/pdf"},
		{"POST", "/v1/models/digits/update", "{}", nil, 403, "option allow-update"},
		{"POST", "/v1/streams", `{"model":"digits","speed":3}`, nil, 400, "speed"},
		{"GET", "/v1/streams/abc/decisions", "", nil, 404, "no such stream"},
	} {
		status, b, _ := call(t, c.verb, server.URL+c.path, []byte(c.body), c.header...)
		var e struct{ Error string }
		if err := json.Unmarshal(b, &e); err != nil || status != c.status || !strings.Contains(e.Error, c.says) {
			t.Errorf("%s %s %.60s: status %d, want %d; %s", c.verb, c.path, c.body, status, c.status, b)
		}
	}
	answers(t, 200, "GET", server.URL+"/healthz", nil)
}

// JSON, CSV and npy give the same results.
func TestPredictForPeople(t *testing.T) {
	_, server := newServer(t, Options{})
	x := rowsOf(digitsX, 3)
	var rows [][]float64
	var csv strings.Builder
	for i := range 3 {
		rows = append(rows, mat.Row(nil, i, x))
		csv.WriteString(strings.Trim(strings.Join(strings.Fields(fmt.Sprint(rows[i])), ","), "[]") + "\n")
	}
	body, _ := json.Marshal(map[string]any{"X": rows})
	url := server.URL + "/v1/models/digits/predict"
	status, want, _ := call(t, "POST", url, body)
	var a struct {
		Predictions []struct {
			Label       string
			Probability map[string]float64
		}
	}
	if err := json.Unmarshal(want, &a); err != nil || status != 200 || len(a.Predictions) != 3 ||
		len(a.Predictions[0].Probability) != 10 {
		t.Fatalf("status %d, %v: %s", status, err, want)
	}
	if _, got, _ := call(t, "POST", url, []byte(csv.String()), "Content-Type", "text/csv"); !bytes.Equal(got, want) {
		t.Errorf("CSV: %s, want %s", got, want)
	}
	_, got, h := call(t, "POST", url, body, "Accept", "text/csv")
	if !strings.HasPrefix(h.Get("Content-Type"), "text/csv") || bytes.Count(got, []byte("\n")) != 4 {
		t.Errorf("as CSV: %s", got)
	}
	// the model knows no names, so they must not move values
	named, _ := json.Marshal(map[string]any{"columns": []string{"a"}, "data": rows})
	answers(t, 400, "POST", url, named)
}

// The terms of an explanation add up to the log-odds, and its gradient is the derivative.
func TestExplanationsAreExact(t *testing.T) {
	_, server := newServer(t, Options{})
	logOdds := func(row []float64, a, b string) float64 {
		p := testkit.Must(digits.Predict(context.Background(), model.Vectors(mat.NewDense(1, 64, row))))(t)
		at := func(name string) float64 {
			for j, c := range digits.Classes {
				if c == name {
					return p.LogPosterior.At(0, j)
				}
			}
			return math.NaN()
		}
		return at(a) - at(b)
	}
	row := mat.Row(nil, 5, digitsX.X)
	body, _ := json.Marshal(map[string]any{"X": [][]float64{row}})
	var a struct{ Items []explain.Explanation }
	b := answers(t, 200, "POST", server.URL+"/v1/models/digits/explain", body)
	if err := json.Unmarshal(b, &a); err != nil || len(a.Items) != 1 {
		t.Fatalf("%v: %s", err, b)
	}
	x := a.Items[0]
	sum := *x.Constant
	for _, term := range x.Terms {
		sum += term.LogOdds
	}
	for _, p := range x.Pairs {
		sum += p.LogOdds
	}
	if want := logOdds(row, x.Label, x.RunnerUp); math.Abs(sum-want) > 1e-9*math.Abs(want) || x.LogOdds != want {
		t.Errorf("the terms add up to %v, log-odds %v, want %v", sum, x.LogOdds, want)
	}
	testkit.Equal(t, fmt.Sprint(x.Input.Shape), "[8 8]", "gradient of shape", x.Input.Shape)
	for _, j := range []int{10, 27, 44} {
		const h = 1e-5
		up, down := append([]float64(nil), row...), append([]float64(nil), row...)
		up[j], down[j] = up[j]+h, down[j]-h
		want := (logOdds(up, x.Label, x.RunnerUp) - logOdds(down, x.Label, x.RunnerUp)) / (2 * h)
		testkit.Near(t, x.Input.Gradient[j], want, 1e-5*math.Max(1, math.Abs(want)), "slope", j)
	}

	one, _ := json.Marshal(map[string]any{"X": [][][]float64{square(spdX.Stack.At(2), 10)}})
	b = answers(t, 200, "POST", server.URL+"/v1/models/nearest/explain", one)
	testkit.NoError(t, json.Unmarshal(b, &a))
	d := testkit.Must(distancesOf(context.Background(), nearest, model.Matrices(spdX.Stack.Select([]int{2}))))(t)
	for _, p := range a.Items[0].Prototypes {
		sum := 0.0
		for _, l := range p.LogRatios {
			sum += l * l
		}
		if want := d.Data[p.Prototype]; math.Abs(math.Sqrt(sum)-want) > 1e-9*want ||
			math.Abs(p.Distance-want) > 1e-9*want {
			t.Errorf("class %s: distance %v from ratios, %v, want %v", p.Class, math.Sqrt(sum), p.Distance, want)
		}
	}
}

// The terms of mixtures (one per component) and of spatial patterns (one per filter) add up to the log-odds, and the
// gradient of a mixture is the derivative.
func TestMixturesAndPatternsAreExplained(t *testing.T) {
	dir := t.TempDir()
	mixed, d := fit(t, dir, "mixed", "sqfa", "digits:train", "filters", "3", "noise", "1", "classifier", "mixture",
		"subclasses", "2")
	patterns, spd4 := fit(t, dir, "patterns", "enuc", "syn1")
	logOdds := func(m *model.Model, b model.Batch, x explain.Explanation) float64 {
		p := testkit.Must(m.Predict(context.Background(), b))(t)
		return p.LogPosterior.At(0, slices.Index(m.Classes, x.Label)) -
			p.LogPosterior.At(0, slices.Index(m.Classes, x.RunnerUp))
	}
	explained := func(m *model.Model, b model.Batch) explain.Explanation {
		p := testkit.Must(m.Predict(context.Background(), b))(t)
		items := testkit.Must(explain.All(context.Background(), m, b, p))(t)
		return items[0]
	}
	near := func(what string, got, want float64) {
		t.Helper()
		testkit.Near(t, got, want, 1e-8*(1+math.Abs(want)), what)
	}
	for i := range 20 {
		row := mat.Row(nil, 17*i, d.X)
		one := func(v []float64) model.Batch { return model.Vectors(mat.NewDense(1, len(v), v)) }
		x := explained(mixed, one(row))
		if x.Note != "" || len(x.Components) != 4 {
			t.Fatalf("%+v", x)
		}
		want := logOdds(mixed, one(row), x)
		near("what the terms leave", x.Rest(), 0)
		sum, shares := 0.0, 0.0
		for _, c := range x.Components {
			sum, shares = sum+c.LogOdds, shares+c.Share
		}
		near("the sum over components", sum, want)
		near("the shares", shares, 2)
		up, down := slices.Clone(row), slices.Clone(row)
		up[20], down[20] = up[20]+1e-5, down[20]-1e-5
		slope := (logOdds(mixed, one(up), x) - logOdds(mixed, one(down), x)) / 2e-5
		testkit.Near(t, x.Input.Gradient[20], slope, 1e-5*(1+math.Abs(slope)), "slope")

		b := model.Matrices(spd4.Stack.Select([]int{5 * i}))
		x = explained(patterns, b)
		near("the log-odds", x.LogOdds, logOdds(patterns, b, x))
		if near("what the sources leave", x.Rest(), 0); len(x.Sources) == 0 || x.Note != "" {
			t.Errorf("%+v", x)
		}
	}
	// with overflowing values the classifier was not called
	far := spd4.Stack.Select([]int{0})
	for i := range far.Data {
		far.Data[i] *= 1e120
	}
	if x := explained(patterns, model.Matrices(far)); x.Note == "" || x.Sources != nil {
		t.Errorf("%+v", x)
	}
}

func square(v []float64, n int) [][]float64 {
	var out [][]float64
	for i := range n {
		out = append(out, v[i*n:(i+1)*n])
	}
	return out
}

// A changed file replaces the old version, which still answers by its name. A damaged file leaves the old version in
// place.
func TestReload(t *testing.T) {
	dir := t.TempDir()
	fit(t, dir, "m", "pca", "digits:train", "filters", "2")
	repo := testkit.Must(Open([]string{dir}, OpenOptions{}))(t)
	server := httptest.NewServer(New(repo, Options{}))
	defer server.Close()
	first := testkit.Must(repo.find("m", ""))(t)
	fit(t, dir, "m", "pca", "digits:train", "filters", "3")
	testkit.NoError(t, repo.Reload())
	second, err := repo.find("m", "")
	if err != nil || second.version == first.version {
		t.Fatalf("version %s again, %v", second.version, err)
	}
	if old, err := repo.find("m", first.version); err != nil || old.model != first.model {
		t.Errorf("the old version: %v", err)
	}
	testkit.NoError(t, os.WriteFile(filepath.Join(dir, "m.rao"), []byte("no model"), 0o644))
	testkit.Fails(t, repo.Reload(), "a damaged file is accepted")
	testkit.Equal(t, testkit.Must(repo.find("m", ""))(t).version, second.version, "after a damaged file")
	testkit.NoError(t, os.Remove(filepath.Join(dir, "m.rao")))
	testkit.NoError(t, repo.Reload())
	answers(t, 404, "GET", server.URL+"/v2/models/m", nil)
}

// If the queue is full, the reply asks the client to try again later.
func TestQueueIsBounded(t *testing.T) {
	s, server := newServer(t, Options{Workers: 1, Queue: 1, Wait: 20 * time.Millisecond})
	leave := testkit.Must(s.gate.enter(context.Background()))(t)
	row, _ := json.Marshal(map[string]any{"X": [][]float64{mat.Row(nil, 0, digitsX.X)}})
	status, b, h := call(t, "POST", server.URL+"/v1/models/digits/predict", row)
	if status != 503 || h.Get("Retry-After") == "" {
		t.Errorf("status %d: %s", status, b)
	}
	leave()
	answers(t, 200, "POST", server.URL+"/v1/models/digits/predict", row)
}

// Without the token, only health probes are answered.
func TestToken(t *testing.T) {
	_, server := newServer(t, Options{Tokens: map[string]string{"secret": ""}})
	answers(t, 401, "GET", server.URL+"/v2/models/made-up", nil)
	_, counts, _ := call(t, "GET", server.URL+"/metrics", nil, "Authorization", "Bearer secret")
	if strings.Contains(string(counts), "made-up") {
		t.Error("a name from outside is counted")
	}
	for path, want := range map[string]int{"/v2": 401, "/metrics": 401, "/healthz": 200, "/v2/health/live": 200} {
		answers(t, want, "GET", server.URL+path, nil)
		answers(t, 200, "GET", server.URL+path, nil, "Authorization", "Bearer secret")
	}
}

// A panic ends only its own request.
func TestPanicIsAnError(t *testing.T) {
	s, _ := newServer(t, Options{})
	h := s.answer("GET /x", func(http.ResponseWriter, *http.Request) error { panic("oh") })
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/x", nil))
	if w.Code != 500 || !strings.Contains(w.Body.String(), "has a bug") {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}

// Counts appear where Prometheus reads them.
func TestMetrics(t *testing.T) {
	_, server := newServer(t, Options{})
	row, _ := json.Marshal(map[string]any{"X": [][]float64{mat.Row(nil, 0, digitsX.X), mat.Row(nil, 1, digitsX.X)}})
	call(t, "POST", server.URL+"/v1/models/digits/predict", row)
	call(t, "POST", server.URL+"/v1/models/evil\"}/predict", row)
	_, b, _ := call(t, "GET", server.URL+"/metrics", nil)
	for _, want := range []string{
		`rao_requests_total{model="digits",endpoint="POST /v1/models/{model}/predict",code="200"} 1`,
		`rao_requests_total{model="",endpoint="POST /v1/models/{model}/predict",code="404"} 1`,
		`rao_rows_total{model="digits"} 2`, `rao_model_loaded{model="digits"`,
	} {
		testkit.Contains(t, string(b), want)
	}
}

// A model of a table with texts accepts rows and delimited text in the format of the table.
func TestTextsOfTables(t *testing.T) {
	e := &entry{model: &model.Model{Input: model.Schema{Kind: model.KindVectors, Dim: 3, Columns: []string{"c=p",
		"c=q", "v"},
		Table: &recipe.Encoding{Columns: []recipe.Column{{Name: "c", Values: []string{"p", "q"}}, {Name: "v"}}}}}}
	want := mat.NewDense(3, 3, []float64{0, 1, 2, 0, 0, 1.5, 1, 0, 3})
	b, err := e.fromTable([]byte("v,c,more\n2,q,x\n1.5,other,y\n3,p,z\n"), 100, nil)
	if err != nil || !mat.Equal(b.X, want) || b.Lacks.Unseen[0] != 1 || b.Lacks.Missing[0] != 0 {
		t.Errorf("%v, %v, %v", b.X, b.Lacks, err)
	}
	b, err = e.fromJSON([]byte(`{"rows": [{"c": "q", "v": 2}, {"v": 1.5, "c": null}, {"c": "p", "v": "3"}]}`), 100, nil,
		nil)
	if err != nil || !mat.Equal(b.X, want) || b.Lacks.Unseen[0] != 0 || b.Lacks.Missing[0] != 1 {
		t.Errorf("%v, %v, %v", b.X, b.Lacks, err)
	}
	for _, body := range []string{`{"rows": [{"c": "q"}]}`, `{"rows": [{"c": "q", "v": "x"}]}`,
		`{"rows": [{"c": "q", "w": 1}]}`,
		`{"rows": [{"c": [], "v": 1}]}`} {
		testkit.Fails(t, testkit.ErrorOf(e.fromJSON([]byte(body), 100, nil, nil)), body, "is taken")
	}
}
