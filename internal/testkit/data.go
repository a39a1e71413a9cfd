package testkit

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Dense returns the rows as a matrix.
func Dense(rows [][]float64) *mat.Dense {
	x := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, r := range rows {
		x.SetRow(i, r)
	}
	return x
}

// MixedRows returns n rows of two normal values and one of 0, 1 and 2.
func MixedRows(seed uint64, n int) [][]float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = []float64{r.NormFloat64(), r.NormFloat64(), float64(r.IntN(3))}
	}
	return rows
}

// Alternate returns n labels: 0 to c−1 in turn.
func Alternate(n, c int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i % c
	}
	return out
}

// Clusters draws per symmetric n×n matrices around each of c centers, in turn. center draws the center of a cluster
// before its matrices. spread is the standard deviation of the entries. It returns the values and the labels.
func Clusters(rng *rand.Rand, per, n, c int, spread float64, center func() mat.Symmetric) ([]float64, []int) {
	x := make([]float64, per*c*n*n)
	for i := range c {
		middle := center()
		for k := range per {
			m := x[(k*c+i)*n*n:]
			for a := range n {
				for b := range a + 1 {
					v := middle.At(a, b) + spread*rng.NormFloat64()
					m[a*n+b], m[b*n+a] = v, v
				}
			}
		}
	}
	return x, Alternate(per*c, c)
}

// Batches returns a function that calls fn with batches of rows and their labels, in a different order in every epoch.
func Batches(x *mat.Dense, labels []int) func(ctx context.Context, epoch, size int,
	fn func(x mat.Matrix, labels []int) error) error {
	rows, cols := x.Dims()
	return func(_ context.Context, epoch, size int, fn func(x mat.Matrix, labels []int) error) error {
		order := rand.New(rand.NewPCG(7, uint64(epoch))).Perm(rows)
		for lo := 0; lo+size <= rows; lo += size {
			part, right := mat.NewDense(size, cols, nil), make([]int, size)
			for i := range size {
				part.SetRow(i, x.RawRowView(order[lo+i]))
				right[i] = labels[order[lo+i]]
			}
			if err := fn(part, right); err != nil {
				return err
			}
		}
		return nil
	}
}

// PointsOnALine returns the distances between n points on a line and their classes, 0 and 1 in turn. The points of
// class 1 are moved.
func PointsOnALine(n int, move float64, seed uint64) (*mat.SymDense, []int) {
	rng := rand.New(rand.NewPCG(seed, 0))
	x, y := make([]float64, n), make([]int, n)
	d := mat.NewSymDense(n, nil)
	for i := range x {
		y[i] = i % 2
		x[i] = rng.NormFloat64() + move*float64(y[i])
		for j := range i {
			d.SetSym(i, j, math.Abs(x[i]-x[j]))
		}
	}
	return d, y
}

// Rhythm returns a signal of three channels at 100 Hz: noise, and a rhythm of 10 Hz in trials of the given number of
// samples, alternately in the first and the last channel.
func Rhythm(trials, samples int) []float64 {
	r := rand.New(rand.NewPCG(3, 3))
	data := make([]float64, 3*trials*samples)
	for k := range trials * samples {
		for c := range 3 {
			data[3*k+c] = r.NormFloat64()
		}
		data[3*k+2*(k/samples%2)] += math.Sin(2 * math.Pi * 10 * float64(k) / 100)
	}
	return data
}

// BrokenSignal passes on noise of three channels at 100 Hz, in pieces of 30 samples from second 1000. Seven samples are
// lost before one of the pieces.
func BrokenSignal(piece func(times, values []float64, lost int64)) {
	r := rand.New(rand.NewPCG(7, 7))
	for k := range 40 {
		var times, values []float64
		for i := range 30 {
			at := float64(30*k+i) / 100
			if k >= 21 {
				at += 0.07
			}
			times = append(times, 1000+at)
			for range 3 {
				values = append(values, float64(float32(r.NormFloat64())))
			}
		}
		lost := int64(0)
		if k == 21 {
			lost = 7
		}
		piece(times, values, lost)
	}
}

// Normals returns n standard normal values.
func Normals(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// Symmetric returns the mean of a square matrix and its transpose.
func Symmetric(a mat.Matrix) *mat.SymDense {
	n, _ := a.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			s.SetSym(i, j, (a.At(i, j)+a.At(j, i))/2)
		}
	}
	return s
}

// Rotation returns a random orthogonal matrix of order n.
func Rotation(rng *rand.Rand, n int) *mat.Dense {
	var qr mat.QR
	qr.Factorize(mat.NewDense(n, n, Normals(rng, n*n)))
	var q mat.Dense
	qr.QTo(&q)
	return &q
}

// WithSpectrum returns Q diag(f(i)) Q' of order n for a random rotation Q, symmetric to the last bit.
func WithSpectrum(rng *rand.Rand, n int, f func(i int) float64) []float64 {
	q := Rotation(rng, n)
	s := mat.NewDiagDense(n, nil)
	for i := range n {
		s.SetDiag(i, f(i))
	}
	var a mat.Dense
	a.Product(q, s, q.T())
	out := make([]float64, n*n)
	for i := range n {
		for j := range n {
			out[i*n+j] = (a.At(i, j) + a.At(j, i)) / 2 // has the same bits as (j,i), even with fused additions
		}
	}
	return out
}

// Amari returns the Amari distance of the product of an unmixing and a mixing matrix to a permutation: 0 if the
// unmixing finds every source, in any order and scale.
func Amari(p *mat.Dense) float64 {
	m, _ := p.Dims()
	sum := 0.0
	for _, q := range []mat.Matrix{p, p.T()} {
		for i := range m {
			total, top := 0.0, 0.0
			for j := range m {
				v := math.Abs(q.At(i, j))
				total, top = total+v, max(top, v)
			}
			sum += total/top - 1
		}
	}
	return sum / float64(2*m*(m-1))
}

// ReadsSamples checks that the first and the last samples of a recording that was accepted can be read.
func ReadsSamples(t testing.TB, r interface {
	ReadSamples(dst []float64, first, count int) error
}, samples, channels int) {
	t.Helper()
	n := min(samples, 100)
	for _, first := range []int{0, samples - n} {
		NoError(t, r.ReadSamples(make([]float64, n*channels), first, n), "accepted, but")
	}
}

// TempFile writes a file in a temporary folder of the test and returns its path.
func TempFile[T ~string | ~[]byte](t testing.TB, name string, data T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	NoError(t, os.WriteFile(path, []byte(data), 0o600))
	return path
}

// WriteFile writes a file, and creates its folder if necessary.
func WriteFile[T ~string | ~[]byte](t testing.TB, path string, data T) {
	t.Helper()
	NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	NoError(t, os.WriteFile(path, []byte(data), 0o600))
}

// Text returns the text of a file.
func Text(t testing.TB, path string) string {
	t.Helper()
	return string(Must(os.ReadFile(path))(t))
}

// Singles returns the values in single precision.
func Singles(x []float64) []float32 {
	out := make([]float32, len(x))
	for i, v := range x {
		out[i] = float32(v)
	}
	return out
}

// StoredRows is a matrix that gives access to its rows in one type, as a table does.
type StoredRows struct {
	mat.Matrix
	Wide   []float64
	Narrow []float32
	Bytes  []byte
}

// RawRows returns the rows.
func (s StoredRows) RawRows() (u8 []byte, f32 []float32, f64 []float64, stride int) {
	_, c := s.Dims()
	return s.Bytes, s.Narrow, s.Wide, c
}

// Folder returns a function that returns the paths of files in a new folder. The test removes the folder at its end.
func Folder(t testing.TB) func(name string) string {
	dir := t.TempDir()
	return func(name string) string { return filepath.Join(dir, name) }
}
