package worker

import (
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
	"rao/internal/testkit"
	"rao/spd"
)

// The benchmarks measure calls within the process, without the streams.

func benchServer(b *testing.B, fit Request) (*server, int) {
	b.Helper()
	s := newServer(nil, Options{})
	s.arena = make([]byte, 1<<22)
	r := testkit.Must(s.run(context.Background(), &fit))(b)
	return s, r.Info.(modelInfo).Model
}

func repeat(b *testing.B, s *server, q Request) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		testkit.Must(s.run(context.Background(), &q))(b)
	}
}

// digits returns rows of 64 values in ten classes.
func digits(n int) (*mat.Dense, []int) {
	r := rand.New(rand.NewPCG(1, 2))
	x, y := mat.NewDense(n, 64, nil), make([]int, n)
	for i := range n {
		y[i] = i % 10
		for j := range 64 {
			x.Set(i, j, r.NormFloat64()*(1+float64((y[i]*j)%7))+float64((y[i]+j)%10))
		}
	}
	return x, y
}

func names(c int) (out []string) {
	for i := range c {
		out = append(out, strconv.Itoa(i))
	}
	return out
}

func BenchmarkPredictVectors(b *testing.B) {
	x, y := digits(2000)
	for _, classifier := range []string{"qda", "lda", "mixture", "knn"} {
		s, model := benchServer(b, Request{Op: "fit", Method: "sqfa", Classes: names(10),
			Arrays: []Array{denseArray("X", x), intArray("y", y)},
			Settings: []map[string]string{{"name": "filters", "value": "9"}, {"name": "noise", "value": "1"},
				{"name": "classifier", "value": classifier}}})
		for _, rows := range []int{1, 20000} {
			if classifier == "knn" && rows > 1 {
				continue
			}
			big, _ := digits(rows)
			single := make([]byte, 0, 4*64*rows)
			for _, v := range big.RawMatrix().Data {
				single = binary.LittleEndian.AppendUint32(single, math.Float32bits(float32(v)))
			}
			for _, x := range []Array{denseArray("X", big), {"X", "<f4", []int{rows, 64}, single}} {
				b.Run(classifier+"/"+strconv.Itoa(rows)+"/"+x.Type[1:], func(b *testing.B) {
					repeat(b, s, Request{Op: "predict", Model: model, Want: "p", Arrays: []Array{x}})
				})
			}
		}
	}
}

// trials returns covariances of order 22 in four classes.
func trials(n int) (*spd.Stack, []int) {
	r := rand.New(rand.NewPCG(3, 4))
	x, y := spd.NewStack(n, 22), make([]int, n)
	mix := mat.NewDense(22, 22, testkit.Normals(r, 22*22))
	for k := range n {
		y[k] = k % 4
		a := mat.NewDense(22, 100, nil)
		a.Apply(func(i, _ int, _ float64) float64 {
			if i == y[k] {
				return 2 * r.NormFloat64()
			}
			return r.NormFloat64()
		}, a)
		var m mat.Dense
		m.Mul(mix, a)
		var c mat.SymDense
		c.SymOuterK(0.01, &m)
		x.Set(k, &c)
	}
	return x, y
}

func BenchmarkMatrices(b *testing.B) {
	x, y := trials(576)
	half := float64Array("X", x.Data[:288*484], 288, 22, 22)
	all := float64Array("X", x.Data, 576, 22, 22)
	for _, method := range []string{"mdm", "tslda"} {
		fit := Request{Op: "fit", Method: method, Classes: names(4), Arrays: []Array{half, intArray("y", y[:288])}}
		s, model := benchServer(b, fit)
		b.Run(method+"/fit", func(b *testing.B) { repeat(b, s, fit) })
		b.Run(method+"/predict", func(b *testing.B) {
			repeat(b, s, Request{Op: "predict", Model: model, Want: "l", Arrays: []Array{half}})
		})
	}
	s := newServer(nil, Options{})
	for _, op := range []string{"distance", "mean"} {
		b.Run(op, func(b *testing.B) { repeat(b, s, Request{Op: op, Metric: "riemann", Arrays: []Array{all}}) })
	}
}

// A fit of SQFA to MNIST, as requested by the Python package.
func BenchmarkFitMNIST(b *testing.B) {
	pixels, digits := idx(b, "train-images-idx3-ubyte.gz", 16), idx(b, "train-labels-idx1-ubyte.gz", 8)
	y := vec.Converted[int](digits)
	wide := make([]float64, len(pixels))
	for i, v := range pixels {
		wide[i] = float64(v) / 255
	}
	settings := []map[string]string{{"name": "filters", "value": "9"}, {"name": "noise", "value": "1"},
		{"name": "classifier", "value": "none"}}
	for _, x := range []Array{{"X", "|u1", []int{len(y), 784}, pixels}, float64Array("X", wide, len(y), 784)} {
		b.Run(x.Type, func(b *testing.B) {
			repeat(b, newServer(nil, Options{}), Request{Op: "fit", Method: "sqfa", Classes: names(10),
				Settings: settings, Arrays: []Array{x, intArray("y", y)}})
		})
	}
}

// idx returns the values of a file of MNIST.
func idx(b *testing.B, name string, header int64) []byte {
	b.Helper()
	return testkit.Gunzip(b, testkit.External(b, "data", "mnist", name))[header:]
}
