package worker

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"maps"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
	"rao/model"
)

// client speaks to a worker as another program does.
type client struct {
	t   *testing.T
	in  *io.PipeWriter
	out *io.PipeReader
	end chan error
}

func start(t *testing.T, opt Options) *client {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &client{t, inW, outR, make(chan error, 1)}
	go func() {
		err := Serve(context.Background(), inR, outW, opt)
		outW.CloseWithError(io.EOF)
		c.end <- err
	}()
	t.Cleanup(func() { inW.Close() })
	return c
}

// reply is a Reply with the fields that the tests read.
type reply struct {
	Error    string
	Internal bool
	Info     json.RawMessage
	Progress json.RawMessage
	Call     json.RawMessage
	Arrays   []Array
	At       *int
}

func (c *client) send(q any, arrays []Array) {
	c.t.Helper()
	f := frameWriter{w: c.in}
	testkit.NoError(c.t, f.write(q, arrays, bodyLen(arrays)))
}

func (c *client) receive() *reply {
	c.t.Helper()
	head, body := testkit.Must2(readFrame(c.out))(c.t)
	r := new(reply)
	testkit.NoError(c.t, json.Unmarshal(head, r))
	if r.At == nil {
		testkit.NoError(c.t, cut(r.Arrays, body))
	}
	return r
}

// ask sends a request and returns its reply, which must be no error.
func (c *client) ask(q Request) *reply {
	c.t.Helper()
	c.send(&q, q.Arrays)
	r := c.receive()
	if r.Error != "" {
		c.t.Fatalf("%s: %s", q.Op, r.Error)
	}
	return r
}

// refuses sends a request, which must get an error that contains the text.
func (c *client) refuses(q Request, text string) {
	c.t.Helper()
	c.send(&q, q.Arrays)
	if r := c.receive(); !strings.Contains(r.Error, text) || r.Internal {
		c.t.Errorf("%s: %q (internal %v) does not contain %q", q.Op, r.Error, r.Internal, text)
	}
}

func (r *reply) array(t *testing.T, name string) *Array {
	t.Helper()
	q := Request{Op: "reply", Arrays: r.Arrays}
	return testkit.Must(q.array(name))(t)
}

// blobs returns 60 vectors of three classes.
func blobs() (x *mat.Dense, y []int) {
	x, y = mat.NewDense(60, 4, nil), make([]int, 60)
	for i := range 60 {
		y[i] = i % 3
		for j := range 4 {
			v := math.Sin(float64(7*i + 13*j*j + 3*i*j)) // neither equal nor collinear
			if j == y[i] {
				v += 3
			}
			x.Set(i, j, v)
		}
	}
	return x, y
}

func fitRequest(x *mat.Dense, y []int) Request {
	return Request{Op: "fit", Method: "pca", Classes: []string{"a", "b", "c"},
		Settings: []map[string]string{{"name": "filters", "value": "2"}},
		Arrays:   []Array{denseArray("X", x), intArray("y", y)}}
}

// A model in a worker makes the same predictions as in this process, even after its file was loaded in another worker.
func TestModelThroughAWorker(t *testing.T) {
	x, y := blobs()
	c := start(t, Options{Version: "v"})
	fitted := c.ask(fitRequest(x, y))
	file := fitted.array(t, "file").Data
	m := testkit.Must(model.Read(bytes.NewReader(file), int64(len(file)), "file"))(t)
	want := testkit.Must(m.Predict(t.Context(), model.Vectors(x)))(t)
	other := start(t, Options{})
	loaded := other.ask(Request{Op: "load", Arrays: []Array{{"file", "|u1", []int{len(file)}, file}}})
	for _, w := range []struct {
		c *client
		r *reply
	}{{c, fitted}, {other, loaded}} {
		var info modelInfo
		testkit.NoError(t, json.Unmarshal(w.r.Info, &info))
		if info.Method != "pca" || info.Dim != 4 || info.Classifier == nil || info.Features != 2 ||
			len(info.Classes) != 3 {
			t.Errorf("%+v", info)
		}
		p := w.c.ask(Request{Op: "predict", Model: info.Model, Want: "lpgro", Arrays: []Array{denseArray("X", x)}})
		labels, _ := p.array(t, "label").ints()
		logp, prob := p.array(t, "log_probability").doubles(), p.array(t, "probability").doubles()
		for i := range labels {
			if labels[i] != want.Label[i] {
				t.Fatalf("label %d is %d, not %d", i, labels[i], want.Label[i])
			}
			for j := range 3 {
				if logp[3*i+j] != want.LogPosterior.At(i, j) || math.Abs(prob[3*i+j]-math.Exp(logp[3*i+j])) > 1e-15 {
					t.Fatalf("probability (%d, %d): %v, %v", i, j, logp[3*i+j], prob[3*i+j])
				}
			}
		}
		z := w.c.ask(Request{Op: "transform", Model: info.Model, Arrays: []Array{denseArray("X", x)}}).array(t, "Z")
		testkit.Equal(t, z.Shape[0], 60, "features of shape", z.Shape)
		testkit.Equal(t, z.Shape[1], 2, "features of shape", z.Shape)
		w.c.ask(Request{Op: "free", Model: info.Model})
		w.c.refuses(Request{Op: "predict", Model: info.Model}, "no model")
	}
}

// Data give the same results in every numeric type.
func TestTypesOfNumbersAreTheSameData(t *testing.T) {
	values := []int{0, 3, 100, 7, 90, 1, 8, 41, 5, 66, 20, 9}
	for dtype, width := range widths {
		b := make([]byte, 0, 8*len(values))
		for _, v := range values {
			switch dtype {
			case "<f8":
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(v)))
			case "<f4":
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
			default:
				var raw [8]byte
				binary.LittleEndian.PutUint64(raw[:], uint64(v))
				b = append(b, raw[:width]...)
			}
		}
		for _, shift := range []int{0, 1} { // aligned or not
			moved := append(make([]byte, shift, shift+len(b)), b...)[shift:]
			a := Array{"X", dtype, []int{3, 4}, moved}
			x := testkit.Must(a.table())(t)
			for i, v := range values {
				testkit.Equal(t, x.At(i/4, i%4), float64(v), dtype, "value", i)
			}
		}
	}
}

// Statistics of parts merge to the statistics of all rows, and give the same filters.
func TestStatisticsThroughAWorker(t *testing.T) {
	x, y := blobs()
	c := start(t, Options{})
	part := func(lo, hi int) *reply {
		return c.ask(Request{Op: "statistics", Classes: []string{"a", "b", "c"},
			Arrays: []Array{denseArray("X", x.Slice(lo, hi, 0, 4).(*mat.Dense)), intArray("y", y[lo:hi])}})
	}
	q := Request{Op: "merge", Classes: []string{"a", "b", "c", "a", "b", "c"}, Sizes: []int{3, 3}}
	for i, r := range []*reply{part(0, 30), part(30, 60)} {
		for _, a := range r.Arrays {
			a.Name = string(rune('0'+i)) + "." + a.Name
			q.Arrays = append(q.Arrays, a)
		}
	}
	whole, merged := part(0, 60), c.ask(q)
	for _, name := range []string{"counts", "means", "covariances"} {
		a, b := whole.array(t, name).doubles(), merged.array(t, name).doubles()
		if name == "counts" {
			continue
		}
		for i := range a {
			testkit.Near(t, a[i], b[i], 1e-12, name, i, "merged")
		}
	}
	path := t.TempDir() + "/s.npz"
	keep := Request{Op: "save_stats", Path: path, Classes: []string{"a", "b", "c"}, Arrays: whole.Arrays}
	c.ask(keep)
	if back := c.ask(Request{Op: "load_stats", Path: path}); !bytes.Equal(back.array(t, "covariances").Data,
		whole.array(t, "covariances").Data) {
		t.Error("statistics do not come back from their file")
	}
	c.ask(Request{Op: "fit", Method: "pca", Classes: []string{"a", "b", "c"}, Arrays: merged.Arrays})
	d := c.ask(Request{Op: "dissimilarity", Metric: "fisher_rao", Classes: []string{"a", "b", "c"},
		Arrays: whole.Arrays})
	lower, at := d.array(t, "lower").doubles(), d.array(t, "D").doubles()
	for i := range at {
		if lower[i] > at[i] || lower[i] < at[i]/2 {
			t.Errorf("distance %d: %v, bounded by %v", i, at[i], lower[i])
		}
	}
}

// The results of requests on matrices agree: a distance equals the length of a tangent vector, and untangent inverts
// tangent.
func TestMatricesThroughAWorker(t *testing.T) {
	c := start(t, Options{})
	signals := make([]float64, 5*3*40)
	for i := range signals {
		signals[i] = math.Sin(float64(i*i%997)) + math.Cos(float64(3*i))
	}
	covs := c.ask(Request{Op: "covariances", Method: "sample",
		Arrays: []Array{float64Array("X", signals, 5, 3, 40)}}).array(t, "C")
	x := *covs
	x.Name = "X"
	m := c.ask(Request{Op: "mean", Metric: "riemann", Arrays: []Array{x}}).array(t, "M")
	ref := *m
	ref.Name = "C"
	z := c.ask(Request{Op: "tangent", Arrays: []Array{x, ref}}).array(t, "Z")
	d := c.ask(Request{Op: "distance", Metric: "riemann",
		Arrays: []Array{x, {"Y", "<f8", []int{1, 3, 3}, m.Data}}}).array(t, "D").doubles()
	for i := range 5 {
		sum, row := 0.0, z.doubles()[6*i:][:6]
		for _, v := range row {
			sum += v * v
		}
		testkit.Near(t, math.Sqrt(sum), d[i], 1e-9, "length of tangent vector", i)
	}
	back := c.ask(Request{Op: "untangent", Arrays: []Array{*z, ref}}).array(t, "X").doubles()
	for i, v := range covs.doubles() {
		if math.Abs(back[i]-v) > 1e-9 {
			t.Fatalf("value %d: %v, was %v", i, back[i], v)
		}
	}
}

// The reply to an invalid request explains what is wrong, and the next request works.
func TestWrongRequestsAreAnswered(t *testing.T) {
	x, y := blobs()
	c := start(t, Options{})
	bad := mat.DenseCopyOf(x)
	bad.Set(3, 2, math.NaN())
	for _, w := range []struct {
		q    Request
		says string
	}{
		{Request{Op: "levitate"}, "operation \"levitate\" is unknown"},
		{Request{Op: "fit", Method: "sqva"}, "sqfa"},
		{fitRequest(bad, y), "row 3, column 2"},
		{Request{Op: "fit", Method: "pca", Classes: []string{"a"},
			Arrays: []Array{denseArray("X", x), intArray("y", y)}}, "observation 1 has label 1"},
		{Request{Op: "predict", Model: 9}, "no model 9"},
		{Request{Op: "predict", Arena: 100, InArena: true}, "shared memory"},
		{Request{Op: "distance", Metric: "riemann", Arrays: []Array{denseArray("X", x)}}, "order"},
		{Request{Op: "distance", Metric: "riemann"}, `array "X"`},
		{Request{Op: "distance", Metric: "far"}, "metric"},
		{Request{Op: "mean", Metric: "riemann", Arrays: []Array{float64Array("X", []float64{1, 2, 0, 1}, 1, 2, 2)}},
			"not symmetric"},
		{Request{Op: "mean", Metric: "riemann", Arrays: []Array{float64Array("X", []float64{1, 0, 0, -1}, 1, 2, 2)}},
			"eigenvalue"},
		{Request{Op: "mean", Metric: "riemann", Arrays: []Array{float64Array("X", []float64{1, 2}, 2, 1, 1),
			float64Array("weights", []float64{1, 1}, 2, 1)}}, "give one weight per matrix"},
		{Request{Op: "mean", Metric: "riemann", Arrays: []Array{float64Array("X", nil, 3, 0, 0)}},
			"count × order × order"},
		{Request{Op: "untangent", Arrays: []Array{float64Array("Z", []float64{1, 1e4}, 2, 1),
			float64Array("C", []float64{1}, 1, 1)}}, "tangent vector 1 is so long"},
		{Request{Op: "fit", Method: "mdm", Classes: []string{"a", "b"}, Arrays: []Array{
			float64Array("X", []float64{1, 2, math.NaN()}, 3, 1, 1), intArray("y", []int{0, 1, 1})}},
			"matrix 2 is NaN at row 0, column 0"},
		{Request{Op: "fit", Method: "mdm", Classes: []string{"a", "b"}, Arrays: []Array{
			float64Array("X", []float64{1, 2, 3}, 3, 1, 1), intArray("y", []int{0, 1, 1}),
			intArray("recordings", []int{0})}}, "recordings: the number of values is 1"},
		{Request{Op: "dissimilarity", Metric: "bhattacharyya", Noise: -1, Classes: []string{"a"}, Arrays: []Array{
			intArray("counts", []int{2}), float64Array("means", []float64{0}, 1, 1),
			float64Array("covariances", []float64{1}, 1, 1, 1)}}, "noise is -1"},
		{Request{Op: "measures", Arrays: []Array{float64Array("P", []float64{0.5, 0.5}, 1, 2),
			intArray("y", []int{2})}},
			"label 2"},
		{Request{Op: "measures", Arrays: []Array{float64Array("P", []float64{0.5, 1.5}, 1, 2),
			intArray("y", []int{1})}},
			"between 0 and 1"},
		{Request{Op: "measures", Arrays: []Array{float64Array("P", []float64{0.5, 0.5}, 2),
			intArray("y", []int{1})}},
			"observations × classes"},
		{Request{Op: "load", Arrays: []Array{{"file", "|u1", []int{3}, []byte("abc")}}}, "model"},
		{Request{Op: "load_stats", Path: "/nowhere/s.npz"}, "nowhere"},
	} {
		c.refuses(w.q, w.says)
	}
	c.ask(Request{Op: "hello"})
}

// A long reply is written to the arena, and the body of a request is read from it.
func TestArena(t *testing.T) {
	memory := make([]byte, 4<<20)
	c := start(t, Options{Map: func(size int64) ([]byte, error) { return memory[:size], nil }})
	x := synthMatrices(200, 4)
	arrays := []Array{float64Array("X", x, 200, 4, 4)}
	want := c.ask(Request{Op: "distance", Metric: "riemann", Arrays: arrays}).array(t, "D")
	copy(memory, arrays[0].Data)
	q := Request{Op: "distance", Metric: "riemann", Arrays: arrays, Arena: int64(len(memory)), InArena: true}
	c.send(&q, nil)
	r := c.receive()
	if r.Error != "" || r.At == nil {
		t.Fatalf("the reply is not in the arena: %q", r.Error)
	}
	testkit.EqualSlices(t, memory[*r.At:][:len(want.Data)], want.Data, "another result through the arena")
}

// Posteriors are written to the arena. They equal the posteriors of a reply through the pipe.
func TestPredictionsInTheArena(t *testing.T) {
	memory := make([]byte, 4<<20)
	c := start(t, Options{Map: func(size int64) ([]byte, error) { return memory[:size], nil }})
	x, y := digits(3000)
	arrays := []Array{denseArray("X", x), intArray("y", y)}
	fitted := c.ask(Request{Op: "fit", Method: "pca", Classes: names(10), Arrays: arrays,
		Settings: []map[string]string{{"name": "filters", "value": "4"}, {"name": "classifier", "value": "qda"}}})
	var info modelInfo
	testkit.NoError(t, json.Unmarshal(fitted.Info, &info))
	for _, want := range []string{"p", "g", "lp", "gp", "lpgro"} {
		q := Request{Op: "predict", Model: info.Model, Want: want, Arrays: arrays[:1]}
		plain := c.ask(q)
		copy(memory, arrays[0].Data)
		q.Arena, q.InArena = int64(len(memory)), true
		c.send(&q, nil)
		r := c.receive()
		if r.Error != "" || r.At == nil || len(r.Arrays) != len(want) {
			t.Fatalf("%s: the reply is not in the arena: %q", want, r.Error)
		}
		at := *r.At
		for _, a := range r.Arrays {
			b := plain.array(t, a.Name).Data
			testkit.EqualSlices(t, memory[at:at+len(b)], b, want, "another", a.Name, "in the arena")
			at += len(b) + padding(len(b))
		}
	}
}

// synthMatrices returns different SPD matrices.
func synthMatrices(count, n int) []float64 {
	x := make([]float64, count*n*n)
	for k := range count {
		for i := range n {
			x[k*n*n+i*n+i] = 1 + float64((k*7+i*3)%11)
		}
	}
	return x
}

// Progress comes before the reply, and only if it is requested.
func TestProgress(t *testing.T) {
	x, y := blobs()
	c := start(t, Options{})
	q := fitRequest(x, y)
	q.Method, q.Progress, q.Settings = "sqfa", true, nil
	c.send(&q, q.Arrays)
	news := 0
	for {
		r := c.receive()
		if r.Progress == nil {
			testkit.Equal(t, r.Error, "")
			break
		}
		news++
	}
	if news == 0 {
		t.Error("no progress")
	}
}

// The worker ends with its input, also in the middle of a fit.
func TestWorkerEndsWithItsInput(t *testing.T) {
	x, y := mat.NewDense(2000, 60, nil), make([]int, 2000)
	for i := range y {
		y[i] = i % 10
		for j := range 60 {
			x.Set(i, j, math.Sin(float64(i*31+j*j*17)))
		}
	}
	c := start(t, Options{})
	q := fitRequest(x, y)
	q.Method, q.Settings = "wda", nil
	q.Classes = strings.Split("abcdefghij", "")
	c.send(&q, q.Arrays)
	c.in.Close()
	if err := <-c.end; err != nil { // which comes, or this test is the one that go test finds waiting
		t.Error(err)
	}
}

// The reply after a panic is marked as an internal error and contains the text of the panic.
func TestPanicIsAnAnswer(t *testing.T) {
	s := &server{ops: map[string]operation{
		"fail": func(context.Context, *server, *Request) (*Reply, error) { panic("on purpose") }}}
	_, err := s.run(t.Context(), &Request{Op: "fail"})
	if r := failed(err); !r.Internal || !strings.Contains(r.Error, "on purpose") {
		t.Errorf("%+v", r)
	}
}

// Whatever the input, the worker answers or ends, and never panics.
func FuzzFrames(f *testing.F) {
	var b bytes.Buffer
	w := frameWriter{w: &b}
	x, y := blobs()
	q := fitRequest(x, y)
	for _, q := range []Request{q, {Op: "hello"},
		{Op: "distance", Metric: "riemann", Arrays: []Array{float64Array("X", synthMatrices(3, 2), 3, 2, 2)}},
		{Op: "covariances", Method: "oas", Arrays: []Array{float64Array("X", make([]float64, 12), 1, 2, 6)}},
		{Op: "merge", Sizes: []int{1, -1}},
		{Op: "untangent", Arrays: []Array{float64Array("Z", make([]float64, 5), 1, 5)}}} {
		b.Reset()
		testkit.NoError(f, w.write(&q, q.Arrays, bodyLen(q.Arrays)))
		f.Add(bytes.Clone(b.Bytes()))
	}
	readers := maps.Clone(operations)
	delete(readers, "save_stats") // writes files
	f.Fuzz(func(t *testing.T, data []byte) {
		var out bytes.Buffer
		s := newServer(&out, Options{})
		s.ops = readers
		r := bytes.NewReader(data)
		for {
			head, body, err := readFrame(r)
			if err != nil {
				return
			}
			out.Reset()
			testkit.NoError(t, s.answer(t.Context(), newRequest(head, body), func() {}))
			if bytes.Contains(out.Bytes(), []byte(`"internal":true`)) {
				t.Fatalf("%s", out.Bytes())
			}
		}
	})
}
