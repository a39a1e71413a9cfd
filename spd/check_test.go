package spd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/linalg/vec"
	"rao/internal/testkit"
)

func applyRepair(t *testing.T, r *Repair, x *Stack) *Stack {
	t.Helper()
	testkit.NoError(t, r.Validate())
	return testkit.Must(r.Apply(x))(t)
}

// averaged references every matrix to the average of its channels.
func averaged(x *Stack) *Stack {
	n := x.Dim
	p := make([]float64, n*n)
	for i := range n {
		for j := range n {
			p[i*n+j] = -1 / float64(n)
		}
		p[i*n+i]++
	}
	return congruent(x, p)
}

func TestCheckOfHealthyMatrices(t *testing.T) {
	d := Check(randomSPD(rand.New(rand.NewPCG(1, 3)), 30, 6), CheckOptions{})
	if !d.Healthy() || d.MinRank != 6 || d.AverageReference ||
		!strings.Contains(d.String(), "symmetric and positive definite") {
		t.Errorf("healthy matrices: %v", d)
	}
	r, err := ParseRepair("auto", d)
	if r != nil || err != nil {
		t.Errorf("repair %v, %v for healthy matrices", r, err)
	}
	x := NewStack(1, 2)
	if y, _ := r.Apply(x); y != x {
		t.Error("a nil repair does not return its input")
	}
}

func TestAverageReferenceIsFoundAndProjectedAway(t *testing.T) {
	x := averaged(randomSPD(rand.New(rand.NewPCG(2, 3)), 30, 6))
	d := Check(x, CheckOptions{})
	if !d.AverageReference || d.Singular != 30 || d.MinRank != 5 || d.Matrices[4].Rank != 5 ||
		!math.IsInf(d.MaxCondition, 1) && d.MaxCondition < 1e10 {
		t.Fatalf("average reference: %v", d)
	}
	r := testkit.Must(ParseRepair("auto", d))(t)
	if r.String() != "project:5" || r.OutDim() != 5 {
		t.Fatalf("suggested %v", r)
	}
	y := applyRepair(t, r, x)
	if again := Check(y, CheckOptions{}); !again.Healthy() {
		t.Errorf("after the repair: %v", again)
	}
	// Projection keeps the eigenvalues that are not zero, so the distances of the
	// matrices within the subspace do not depend on the basis.
	whole, part := distances(t, Euclid, x, nil), distances(t, Euclid, y, nil)
	testkit.Close(t, "Euclidean distances in the subspace", part, whole, 1e-10)
}

func TestFaultyChannelsAreFoundAndDropped(t *testing.T) {
	n := 7
	x := randomSPD(rand.New(rand.NewPCG(3, 3)), 20, n)
	for k := range x.Count {
		a := x.At(k)
		for i := range n {
			a[5*n+i] = 2 * a[1*n+i] // channel 5 is twice channel 1
		}
		for i := range n {
			a[i*n+5] = 2 * a[i*n+1]
		}
		if k == 3 {
			for i := range n {
				a[2*n+i], a[i*n+2] = 0, 0
			}
		}
		if k == 8 {
			for i := range n {
				a[6*n+i], a[i*n+6] = math.NaN(), math.NaN()
			}
		}
	}
	d := Check(x, CheckOptions{})
	if !slices.Equal(d.NaNChannels, []int{6}) || !slices.Equal(d.FlatChannels, []int{2}) ||
		!slices.Equal(d.Duplicates, [][2]int{{1, 5}}) {
		t.Fatalf("%v", d)
	}
	if m := d.Matrices[8]; !slices.Equal(m.NaNChannels, []int{6}) || m.Rank != 5 {
		t.Errorf("matrix 8: %+v", m)
	}
	for _, want := range []string{
		"channel 6 (counted from 0) has values that are not finite, in 1 of 20 matrices; leaving out these matrices",
		"channel 2 (counted from 0) is flat, in 1 of 20 matrices",
		"channels 1 and 5 (counted from 0) are copies",
	} {
		testkit.Contains(t, d.String(), want, "does not say")
	}
	d.Channels = []string{"Fz", "C3", "Cz", "C4", "Pz", "O1", "O2"}
	for _, want := range []string{"channel O2 has values", "channel Cz is flat", "channels C3 and O1 are copies"} {
		testkit.Contains(t, d.String(), want, "does not say")
	}
	testkit.Equal(t, testkit.Must(ParseRepair("drop:Cz,5, O2", d))(t).String(), "drop:2,5,6", "channels by name")
	_, err := ParseRepair("drop:T3", d)
	wants(t, err, `"T3" is not a channel number`, "names Fz, C3")
	r := testkit.Must(ParseRepair("auto", d))(t)
	testkit.Equal(t, r.String(), "drop:2,5,6", "suggested", r)
	if again := Check(applyRepair(t, r, x), CheckOptions{}); !again.Healthy() {
		t.Errorf("after the repair: %v", again)
	}
}

// Short trials have fewer samples than channels. Each matrix is singular, but the matrices have no common null space.
func TestShortTrialsAreShrunk(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 3))
	n := 6
	x := NewStack(10, n)
	for k := range x.Count {
		for range 4 {
			v := testkit.Normals(rng, n)
			for i := range n {
				vec.Axpy(x.At(k)[i*n:(i+1)*n], v[i], v)
			}
		}
	}
	d := Check(x, CheckOptions{})
	r, err := ParseRepair("auto", d)
	if err != nil || d.MinRank != 4 || d.Singular != 10 || r.String() != "shrink:0.01" {
		t.Fatalf("%v; suggested %v, %v", d, r, err)
	}
	y := applyRepair(t, r, x)
	if again := Check(y, CheckOptions{}); !again.Healthy() {
		t.Errorf("after the repair: %v", again)
	}
	testkit.Close(t, "shrinkage keeps the trace", traces(y), traces(x), 1e-12)
}

func TestIndefiniteAndAsymmetricMatrices(t *testing.T) {
	x := randomSPD(rand.New(rand.NewPCG(5, 3)), 12, 4)
	x.At(2)[0] -= 500
	x.At(7)[1] += 0.3
	d := Check(x, CheckOptions{})
	if d.Indefinite != 1 || d.Asymmetric != 1 || !(d.Matrices[2].Smallest < 0) {
		t.Fatalf("%v", d)
	}
	r := testkit.Must(ParseRepair("auto", d))(t)
	testkit.Equal(t, r.String(), "symmetrize+floor:1e-06", "suggested", r)
	y := applyRepair(t, r, x)
	if again := Check(y, CheckOptions{}); !again.Healthy() {
		t.Errorf("after the repair: %v", again)
	}
	testkit.Close(t, "a sound matrix is not touched", y.At(0), x.At(0), 1e-12)
}

func TestFaultsOfEachMatrix(t *testing.T) {
	x := randomSPD(rand.New(rand.NewPCG(9, 3)), 5, 3)
	x.At(0)[1] += 0.5 * x.At(0)[0]
	x.At(1)[4] = math.Inf(1)
	x.At(2)[0] = -7
	for i := range 3 {
		x.At(3)[3*i+2], x.At(3)[6+i] = 0, 0
	}
	d := Check(x, CheckOptions{})
	for k, want := range []string{"not symmetric (the difference is", "not finite in 1", "negative eigenvalue",
		"flat in 2; singular", ""} {
		got := strings.Join(d.Faults(k), "; ")
		if !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("matrix %d: %q, want %q", k, got, want)
		}
	}
	for _, want := range []string{"1 of 5 matrices is not symmetric", "1 of 5 matrices has negative eigenvalues",
		"1 of 5 matrices is singular"} {
		testkit.Contains(t, d.String(), want, "does not say")
	}
	one := Check(StackOf(1, 2, []float64{1, 0.5, 0, 1}), CheckOptions{})
	testkit.Equal(t, one.String(), "one matrix of order 2:\nit is not symmetric", "one matrix")
}

func TestParseRepair(t *testing.T) {
	x := averaged(randomSPD(rand.New(rand.NewPCG(6, 3)), 10, 6))
	d := Check(x, CheckOptions{})
	for text, want := range map[string]string{
		"auto":                           "project:5",
		"drop:0":                         "drop:0",
		"drop:1,4+shrink:0.2+floor:0.01": "drop:1,4+shrink:0.2+floor:0.01",
		"project":                        "project:5",
		"shrink":                         "shrink:0.01",
	} {
		r := testkit.Must(ParseRepair(text, d))(t)
		testkit.Equal(t, r.String(), want, fmt.Sprintf("%q: %v", text, r))
	}
	if r, err := ParseRepair("none", d); r != nil || err != nil {
		t.Errorf("none: %v, %v", r, err)
	}
	for text, want := range map[string]string{
		"drop:9":             "channel 9 does not exist",
		"drop:x":             `"x" is not a channel number`,
		"drop:0,1,2,3,4,5":   "all 6 channels",
		"shrink:2":           "above 0 and below 1",
		"mend":               `unknown repair "mend"`,
		"project+floor:-0.1": "above 0 and below 1",
	} {
		_, err := ParseRepair(text, d)
		wants(t, err, want)
	}
}

func FuzzParseRepair(f *testing.F) {
	x := averaged(randomSPD(rand.New(rand.NewPCG(8, 3)), 4, 5))
	d := Check(x, CheckOptions{})
	for _, s := range []string{"auto", "none", "drop:1,2+shrink:0.1", "project+floor", "drop:", "++"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRepair(text, d)
		if err != nil || r == nil {
			return
		}
		testkit.NoError(t, r.Validate(), fmt.Sprintf("%q gives a repair that is not valid", text))
		testkit.NoError(t, testkit.ErrorOf(r.Apply(x)), fmt.Sprintf("%q", text))
	})
}

func TestRepairRefusesWhatItCannotMend(t *testing.T) {
	r := testkit.Must(dropChannels(4, 1))(t)
	_, err := r.Apply(NewStack(1, 5))
	wants(t, err, "order 5", "order 4")
	x := randomSPD(rand.New(rand.NewPCG(7, 3)), 3, 4)
	x.At(1)[15] = math.NaN()
	_, err = r.Apply(x)
	wants(t, err, "matrix 1", "row 3, column 3")
	for _, bad := range []*Repair{
		{}, {Dim: 3, Keep: []int{2, 1}}, {Dim: 3, Keep: []int{3}}, {Dim: 3, Keep: []int{}}, {Dim: 3, Shrink: 2},
		{Dim: 3, Floor: math.NaN()},
		{Dim: 3, Basis: mat.NewDense(2, 2, nil)},
	} {
		if bad.Validate() == nil {
			t.Errorf("%+v passes", bad)
		}
	}
	for k := range x.Count {
		for i := range x.At(k) {
			x.At(k)[i] = math.NaN()
		}
	}
	d := Check(x, CheckOptions{})
	_, err = ParseRepair("auto", d)
	wants(t, err, "every channel is flat or not finite")
}
