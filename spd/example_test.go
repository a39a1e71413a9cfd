package spd_test

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/spd"
)

func ExampleMean() {
	// For diagonal matrices, the Riemannian mean is the geometric mean of the entries.
	x := spd.StackOf(2, 2, []float64{
		1, 0, 0, 4,
		9, 0, 0, 1,
	})
	mean, report, err := spd.Mean(context.Background(), x, nil, spd.Riemann, spd.MeanOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f %v\n", mat.Formatted(mean), report.Status)
	// Output:
	// ⎡3.000  0.000⎤
	// ⎣0.000  2.000⎦ converged
}

func ExampleDistances() {
	x := spd.StackOf(2, 2, []float64{
		1, 0, 0, 1,
		2, 1, 1, 2,
	})
	var d mat.Dense
	if err := spd.Distances(context.Background(), &d, spd.Riemann, x, nil); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f\n", mat.Formatted(&d))
	// Output:
	// ⎡0.0000  1.0986⎤
	// ⎣1.0986  0.0000⎦
}

func ExampleCheck() {
	// The three channels are referenced to their average.
	x := spd.StackOf(1, 3, []float64{
		2, -1, -1,
		-1, 2, -1,
		-1, -1, 2,
	})
	diagnosis := spd.Check(x, spd.CheckOptions{})
	fmt.Println(diagnosis)
	repair, _ := spd.ParseRepair("auto", diagnosis)
	fmt.Println("repair:", repair)
	// Output:
	// one matrix of order 3:
	// the channels sum to zero in every matrix, as with an average reference, which reduces the rank by one
	// it is singular; the smallest rank is 2 of 3
	// repair: project:2
}

func ExampleCovariances() {
	trials := []mat.Matrix{ // samples × channels
		mat.NewDense(3, 2, []float64{1, 0, 2, 2, 3, 1}),
		mat.NewDense(3, 2, []float64{0, 1, 4, 5, 2, 0}),
	}
	x, err := spd.Covariances(context.Background(), trials, spd.CovarianceOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(x.Count, x.At(0), x.At(1))
	// Output: 2 [1 0.5 0.5 1] [4 4 4 7]
}

// This example aligns two recordings from amplifiers with different gains. Each recording is centered by its own mean.
func ExampleAlignGroups() {
	x := spd.StackOf(4, 2, []float64{
		1, 0, 0, 1,
		4, 0, 0, 1,
		100, 0, 0, 100, // the second amplifier has ten times the gain
		400, 0, 0, 100,
	})
	aligned := spd.NewStack(4, 2)
	if _, err := spd.AlignGroups(context.Background(), aligned, x,
		spd.AlignOptions{Groups: []int{0, 0, 1, 1}, Labels: []int{-1, -1, -1, -1}}); err != nil {
		fmt.Println(err)
		return
	}
	d, err := spd.Distance(spd.Riemann, aligned.Sym(1), aligned.Sym(3))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("distance after alignment %.3f\n", d)
	// Output: distance after alignment 0.000
}

// The midpoint of a geodesic is the geometric mean of two matrices.
func ExampleGeodesic() {
	a, b := mat.NewSymDense(2, []float64{1, 0, 0, 1}), mat.NewSymDense(2, []float64{16, 0, 0, 4})
	var middle mat.SymDense
	if err := spd.Geodesic(&middle, spd.Riemann, a, b, 0.5); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.0f\n", mat.Formatted(&middle))
	// Output:
	// ⎡4  0⎤
	// ⎣0  2⎦
}

// A live decoder knows only the trials so far. Its mean starts at the
// mean of the training data and moves towards each trial.
func ExampleCausalCentering() {
	c, err := spd.NewCausalCentering(mat.NewSymDense(2, []float64{4, 0, 0, 4}), 0, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, out := spd.StackOf(1, 2, []float64{8, 0, 0, 2}), spd.NewStack(1, 2)
	if err := c.Adapt(context.Background(), out, x); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f %.2f after %d trial\n", out.At(0)[0], out.At(0)[3], c.Count)
	// Output: 1.88 0.53 after 1 trial
}

// Names in options and files become metrics by ParseMetric. It knows registered metrics, too.
func ExampleParseMetric() {
	metric, err := spd.ParseMetric("logeuclid")
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := spd.Distance(metric, mat.NewSymDense(1, []float64{1}), mat.NewSymDense(1, []float64{math.E}))
	fmt.Println(d, err)
	_, err = spd.ParseMetric("logeuclidean")
	fmt.Println(err)
	// Output:
	// 1 <nil>
	// unknown metric "logeuclidean"; did you mean logeuclid?
}

// The distance of the square roots of two matrices is a metric (Dryden, Koloydenko and Zhou 2009). Programs register
// metrics in an init function.
func ExampleRegisterMetric() {
	square := func(dst, x *mat.SymDense) error {
		var product mat.Dense
		product.Mul(x, x)
		for i := range x.SymmetricDim() {
			for j := range i + 1 {
				dst.SetSym(i, j, product.At(i, j))
			}
		}
		return nil
	}
	root := func(dst, x *mat.SymDense) error {
		to := spd.NewStack(1, x.SymmetricDim())
		err := spd.Sqrt(to, spd.StackFrom(x))
		dst.CopySym(to.Sym(0))
		return err
	}
	spd.RegisterMetric(spd.Geometry{Name: "example-root", Scaled: true, Embed: root, Restore: square})

	x := spd.StackFrom(mat.NewDiagDense(2, []float64{1, 4}), mat.NewDiagDense(2, []float64{9, 4}))
	distance, err := spd.Distance("example-root", x.Sym(0), x.Sym(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	mean, _, err := spd.Mean(context.Background(), x, nil, "example-root", spd.MeanOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n%.3f\n", distance, mat.Formatted(mean))
	// Output:
	// 2.000
	// ⎡4.000  0.000⎤
	// ⎣0.000  4.000⎦
}
