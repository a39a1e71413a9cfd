package gallery_test

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/cluster"
	"rao/dataset"
	"rao/report"
	"rao/spd"
	"rao/synth"
)

func Example_procrustes() {
	both := people(50)
	check(dataset.WriteFile("people.npz", both))
	groups := person(both)
	steps := []*spd.Stack{both.Stack, spd.NewStack(200, 2), spd.NewStack(200, 2)}
	align := spd.AlignOptions{Groups: groups, Labels: both.Labels, Classes: 2, Target: 1}
	must(spd.AlignGroups(ctx, steps[1], both.Stack, align))
	align.Rotate = true
	must(spd.AlignGroups(ctx, steps[2], both.Stack, align))
	var panels []*report.Figure
	for k, name := range []string{"as recorded", "centered", "and rotated"} {
		source, target := dataset.Data{Stack: steps[k].Slice(0, 100), Labels: both.Labels[:100], Classes: both.Classes},
			dataset.Data{Stack: steps[k].Slice(100, 200), Labels: both.Labels[100:], Classes: both.Classes}
		mdm := must(classify.FitMDM(ctx, source.Stack, source.Labels, both.Classes, classify.MDMOptions{}))
		fmt.Printf("%-11s accuracy on the target %.2f\n", name, accuracy(mdm, &target))
		var at mat.Dense
		check(cluster.SpectralEmbedding(ctx, &at, steps[k], cluster.EmbedOptions{}))
		plot := []report.Points{{Name: "source a"}, {Name: "source b"}, {Name: "target a"}, {Name: "target b"}}
		for i, l := range both.Labels {
			p := &plot[2*groups[i]+l]
			p.X, p.Y = append(p.X, at.At(i, 0)), append(p.Y, at.At(i, 1))
		}
		panels = append(panels, report.Scatter(name, plot, report.PlotOptions{X: report.Axis{Label: "first coordinate"},
			Y: report.Axis{Label: "second coordinate"}}))
	}
	check(report.Panels("", 3, panels...).WriteFile("procrustes.svg"))
	// Output:
	// as recorded accuracy on the target 0.57
	// centered    accuracy on the target 0.69
	// and rotated accuracy on the target 0.92
}

func Example_pipelines() {
	both := people(100)
	lines := []report.Line{{Name: "as recorded"}, {Name: "centered"}, {Name: "centered, rotated"},
		{Name: "weighted means (MDWM)"}, {Name: "labeled trials alone"}}
	for _, few := range []int{1, 2, 3, 5, 8, 12, 20} {
		align := spd.AlignOptions{Groups: person(both), Labels: append([]int(nil), both.Labels...), Classes: 2,
			Target: 1}
		var labeled, rest []int // of each class of the target, the first few are labeled
		for i := 200; i < 400; i++ {
			if i%100 < few {
				labeled = append(labeled, i)
			} else {
				align.Labels[i], rest = -1, append(rest, i)
			}
		}
		centered, rotated := spd.NewStack(400, 2), spd.NewStack(400, 2)
		must(spd.AlignGroups(ctx, centered, both.Stack, align))
		align.Rotate = true
		must(spd.AlignGroups(ctx, rotated, both.Stack, align))
		own, source := both.Subset(labeled), both.Labels[:200]
		for k, x := range []*spd.Stack{both.Stack, centered, rotated, centered, both.Stack} {
			mdm := must(classify.FitMDM(ctx, x.Slice(0, 200), source, both.Classes, classify.MDMOptions{}))
			switch lines[k].Name {
			case "weighted means (MDWM)":
				check(mdm.Approach(must(classify.FitMDM(ctx, x.Select(labeled), own.Labels, both.Classes,
					classify.MDMOptions{})), 0.5))
			case "labeled trials alone":
				mdm = must(classify.FitMDM(ctx, own.Stack, own.Labels, both.Classes, classify.MDMOptions{}))
			}
			test := both.Subset(rest)
			test.Stack = x.Select(rest)
			lines[k].X, lines[k].Y = append(lines[k].X, float64(few)), append(lines[k].Y, accuracy(mdm, test))
		}
	}
	for _, l := range lines {
		fmt.Printf("%-22s accuracy with 5 labels per class %.3f\n", l.Name, l.Y[3])
	}
	check(dataset.WriteFile("pipelines.npz", both))
	check(report.Lines("Ways to learn for a new person with few labels", lines, report.PlotOptions{
		X: report.Axis{Label: "labeled trials of each class", Log: true},
		Y: report.Axis{Label: "accuracy on the others", Percent: true}, Markers: true}).WriteFile("pipelines.svg"))
	// Output:
	// as recorded            accuracy with 5 labels per class 0.537
	// centered               accuracy with 5 labels per class 0.711
	// centered, rotated      accuracy with 5 labels per class 0.937
	// weighted means (MDWM)  accuracy with 5 labels per class 0.879
	// labeled trials alone   accuracy with 5 labels per class 0.953
}

// people draws perClass matrices of two classes from each of two people. Compared with the first person's, the
// second person's matrices are rotated by 45 degrees and stretched.
func people(perClass int) *dataset.Data {
	c, s := math.Cos(math.Pi/4), math.Sin(math.Pi/4)
	centers := spd.StackOf(2, 2, []float64{1, 0, 0, 1 /**/, 6, 0, 0, 0.8})
	source := must(synth.RiemannGaussian(centers, []float64{0.6}, perClass, 6))
	target := must(synth.RiemannGaussian(centers, []float64{0.6}, perClass, 7))
	turn := mat.NewDense(2, 2, []float64{5 * c, -2 * s, 5 * s, 2 * c})
	for k := range target.N() {
		var m mat.Dense
		m.Product(turn, target.Stack.View(k), turn.T())
		target.Stack.Set(k, mat.NewSymDense(2, []float64{m.At(0, 0), m.At(0, 1), m.At(0, 1), m.At(1, 1)}))
	}
	return must(dataset.Concat([]*dataset.Data{source, target}, []string{"source", "target"}))
}

// person returns 0 for the matrices of the source, which come first, and 1 for the matrices of the target.
func person(d *dataset.Data) []int {
	groups := make([]int, d.N())
	for i := d.N() / 2; i < d.N(); i++ {
		groups[i] = 1
	}
	return groups
}
