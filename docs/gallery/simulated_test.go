package gallery_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/cluster"
	"rao/dataset"
	"rao/feature"
	"rao/gaussian"
	"rao/method"
	"rao/report"
	"rao/spd"
	"rao/synth"
)

func Example_metrics() {
	corners := spd.StackOf(4, 2, []float64{
		0.5, 0, 0, 0.05 /**/, 0.5, 0, 0, 1 /**/, 2.7, 0.7, 0.7, 0.2 /**/, 2.7, -0.7, -0.7, 0.2})
	var panels []*report.Figure
	for _, metric := range []spd.Metric{spd.Euclid, spd.LogEuclid, spd.Riemann} {
		cells := make([][]mat.Symmetric, 5)
		for k := range 25 {
			x, y := float64(k%5)/4, float64(k/5)/4
			weights := []float64{(1 - x) * (1 - y), (1 - x) * y, x * (1 - y), x * y}
			cells[k/5] = append(cells[k/5], found(spd.Mean(ctx, corners, weights, metric, spd.MeanOptions{})))
		}
		fmt.Printf("%-9s determinant of the middle %.4f\n", metric, mat.Det(cells[2][2]))
		panels = append(panels, report.Tensors("Metric "+string(metric), cells))
	}
	check(report.Panels("", 3, panels...).WriteFile("metrics.svg"))
	// Output:
	// euclid    determinant of the middle 0.5800
	// logeuclid determinant of the middle 0.0748
	// riemann   determinant of the middle 0.0748
}

func Example_means() {
	in := must(synth.RiemannGaussian(spd.StackOf(1, 2, []float64{0.2, 0, 0, 0.2}), []float64{0.5}, 16, 17))
	out := must(synth.RiemannGaussian(spd.StackOf(1, 2, []float64{4, 0, 0, 4}), []float64{0.5}, 6, 18))
	all := must(dataset.Concat([]*dataset.Data{in, out}, []string{"inlier", "outlier"}))
	check(dataset.WriteFile("means.npz", all))
	means := map[string]*mat.SymDense{
		"Euclidean mean":    found(spd.Mean(ctx, all.Stack, nil, spd.Euclid, spd.MeanOptions{})),
		"Euclidean median":  found(spd.Median(ctx, all.Stack, nil, spd.Euclid, spd.MeanOptions{})),
		"Riemannian mean":   found(spd.Mean(ctx, all.Stack, nil, spd.Riemann, spd.MeanOptions{})),
		"Riemannian median": found(spd.Median(ctx, all.Stack, nil, spd.Riemann, spd.MeanOptions{}))}
	plot := []report.Points{diagonals("inliers", in.Stack), diagonals("outliers", out.Stack)}
	for _, name := range []string{"Euclidean mean", "Euclidean median", "Riemannian mean", "Riemannian median"} {
		fmt.Printf("%-17s %.4f %.4f\n", name, means[name].At(0, 0), means[name].At(1, 1))
		p := diagonals(name, spd.StackFrom(means[name]))
		p.Large = true
		plot = append(plot, p)
	}
	check(report.Scatter("Means and medians of 2×2 matrices", plot, report.PlotOptions{
		X: report.Axis{Label: "first diagonal entry", Log: true},
		Y: report.Axis{Label: "second diagonal entry", Log: true}}).WriteFile("means.svg"))
	// Output:
	// Euclidean mean    1.4063 1.3606
	// Euclidean median  0.2705 0.2496
	// Riemannian mean   0.4919 0.4270
	// Riemannian median 0.2668 0.2431
}

func Example_masked() {
	identity := spd.StackOf(1, 6, mat.DenseCopyOf(mat.NewDiagDense(6, []float64{1, 1, 1, 1, 1, 1})).RawMatrix().Data)
	complete := must(synth.RiemannGaussian(identity, []float64{0.4}, 60, 42))
	reference := found(spd.Mean(ctx, complete.Stack, nil, spd.Riemann, spd.MeanOptions{}))
	masked, deleted := report.Line{Name: "masked mean"}, report.Line{Name: "mean of complete matrices"}
	for most := range 5 {
		x, rng := spd.StackOf(60, 6, append([]float64(nil), complete.Stack.Data...)), rand.New(rand.NewPCG(1, 1))
		var kept []int
		for k := range x.Count {
			missing := rng.Perm(6)[:rng.IntN(most+1)]
			for _, c := range missing {
				for i := range 6 {
					x.At(k)[c*6+i], x.At(k)[i*6+c] = math.NaN(), math.NaN()
				}
			}
			if len(missing) == 0 {
				kept = append(kept, k)
			}
		}
		check(dataset.WriteFile(fmt.Sprintf("masked-%d.npz", most), &dataset.Data{Stack: x}))
		m := found(spd.MaskedMean(ctx, x, nil, nil, spd.MeanOptions{}))
		w := found(spd.Mean(ctx, x.Select(kept), nil, spd.Riemann, spd.MeanOptions{}))
		masked.Y = append(masked.Y, must(spd.Distance(spd.Riemann, reference, m)))
		deleted.Y = append(deleted.Y, must(spd.Distance(spd.Riemann, reference, w)))
		fmt.Printf("up to %d missing: %.4f masked, %.4f of %d complete\n", most, masked.Y[most], deleted.Y[most],
			len(kept))
	}
	check(report.Lines("A mean of matrices with missing channels", []report.Line{masked, deleted}, report.PlotOptions{
		X: report.Axis{Label: "channels that may be missing"}, Y: report.Axis{Label: "distance from the true mean"},
		Markers: true}).WriteFile("masked.svg"))
	// Output:
	// up to 0 missing: 0.0000 masked, 0.0000 of 60 complete
	// up to 1 missing: 0.1127 masked, 0.2128 of 30 complete
	// up to 2 missing: 0.1536 masked, 0.2980 of 24 complete
	// up to 3 missing: 0.2505 masked, 0.4693 of 12 complete
	// up to 4 missing: 0.2552 masked, 0.3497 of 14 complete
}

func Example_gaussian() {
	centers := spd.StackOf(3, 2, []float64{1, 0, 0, 1 /**/, 1, 0, 0, 1 /**/, 4, 0, 0, 4})
	data := must(synth.RiemannGaussian(centers, []float64{1, 0.5, 1}, 100, 42))
	data.Classes = []string{"ε = 1, σ = 1", "ε = 1, σ = 0.5", "ε = 4, σ = 1"}
	check(dataset.WriteFile("gaussian.npz", data))
	var at mat.Dense
	check(cluster.SpectralEmbedding(ctx, &at, data.Stack, cluster.EmbedOptions{}))
	plot := make([]report.Points, 3)
	for i, l := range data.Labels {
		plot[l].X, plot[l].Y = append(plot[l].X, at.At(i, 0)), append(plot[l].Y, at.At(i, 1))
	}
	for k := range plot {
		plot[k].Name = data.Classes[k]
		one := data.Stack.Slice(100*k, 100*k+100)
		mean := found(spd.Mean(ctx, one, nil, spd.Riemann, spd.MeanOptions{}))
		fmt.Printf("%s: mean squared distance %.4f\n", plot[k].Name, must(spd.Dispersion(one, mean)))
	}
	check(report.Scatter("Draws of Riemannian Gaussians", plot, report.PlotOptions{
		X: report.Axis{Label: "first coordinate"},
		Y: report.Axis{Label: "second coordinate"}}).WriteFile("gaussian.svg"))
	// Output:
	// ε = 1, σ = 1: mean squared distance 3.4111
	// ε = 1, σ = 0.5: mean squared distance 0.7501
	// ε = 4, σ = 1: mean squared distance 3.3864
}

func Example_distinct() {
	right, distinct := report.Line{Name: "accuracy of nearest means"}, report.Line{Name: "class distinctiveness"}
	for k := range 7 {
		delta := 0.5 * float64(k) // distance of the centers
		a := math.Exp(delta / math.Sqrt2)
		data := must(synth.RiemannGaussian(spd.StackOf(2, 2, []float64{1, 0, 0, 1, a, 0, 0, a}), []float64{1}, 100, 42))
		check(dataset.WriteFile(fmt.Sprintf("distinct-%d.npz", k), data))
		train, test := halves(data)
		mdm := must(classify.FitMDM(ctx, train.Stack, train.Labels, data.Classes, classify.MDMOptions{}))
		right.X, right.Y = append(right.X, delta), append(right.Y, accuracy(mdm, test))
		distinct.X = right.X
		distinct.Y = append(distinct.Y, must(classify.Distinctiveness(ctx, train.Stack, train.Labels, spd.Riemann)))
		fmt.Printf("Δ/σ = %.1f: accuracy %.2f, distinctiveness %.4f\n", delta, right.Y[k], distinct.Y[k])
	}
	check(report.Lines("Accuracy and distinctiveness of two classes", []report.Line{right, distinct},
		report.PlotOptions{X: report.Axis{Label: "distance of the centers over the dispersion, Δ/σ"},
			Y: report.Axis{Label: "share, or ratio of distances"}, Markers: true}).WriteFile("distinct.svg"))
	// Output:
	// Δ/σ = 0.0: accuracy 0.50, distinctiveness 0.1043
	// Δ/σ = 0.5: accuracy 0.63, distinctiveness 0.3693
	// Δ/σ = 1.0: accuracy 0.71, distinctiveness 0.6648
	// Δ/σ = 1.5: accuracy 0.78, distinctiveness 0.9632
	// Δ/σ = 2.0: accuracy 0.85, distinctiveness 1.2624
	// Δ/σ = 2.5: accuracy 0.92, distinctiveness 1.5619
	// Δ/σ = 3.0: accuracy 0.97, distinctiveness 1.8616
}

func Example_classifiers() {
	centers := spd.StackOf(2, 2, []float64{1, 0, 0, 1 /**/, 2.5, 0.5, 0.5, 1.2})
	data := must(synth.RiemannGaussian(centers, []float64{0.5}, 100, 7))
	check(dataset.WriteFile("classifiers.npz", data))
	train, test := halves(data)
	var panels []*report.Figure
	for _, c := range []struct {
		name  string
		model decider
	}{
		{"MDM", fitted("mdm", train, nil)},
		{"3-NN", fitted("knn-spd", train, method.Settings{{Name: "neighbors", Value: "3"}})},
		{"SVM", fitted("svm-spd", train, nil)},
	} {
		fmt.Printf("%-4s accuracy %.2f\n", c.name, accuracy(c.model, test))
		x, y, plane := steps(0.2, 6, 30), steps(0.2, 4, 30), mat.NewDense(30, 30, nil)
		for k := range 900 {
			point := spd.StackOf(1, 2, []float64{x[k%30], 0.1, 0.1, y[k/30]})
			var log mat.Dense
			check(c.model.LogPosterior(ctx, &log, point))
			plane.Set(k/30, k%30, math.Exp(log.At(0, 1)))
		}
		panels = append(panels, report.Contours(c.name+", probability of the second class", x, y, plane,
			report.ContoursOptions{X: report.Axis{Label: "first diagonal entry"},
				Y: report.Axis{Label: "second diagonal entry"}, Levels: 1}))
	}
	check(report.Panels("", 3, panels...).WriteFile("classifiers.svg"))
	// Output:
	// MDM  accuracy 0.85
	// 3-NN accuracy 0.81
	// SVM  accuracy 0.85
}

func Example_clusterers() {
	centers := spd.StackOf(3, 2, []float64{1, 0, 0, 1 /**/, 6, 2, 2, 4 /**/, 20, -8, -8, 12})
	data := must(synth.RiemannGaussian(centers, []float64{0.4}, 50, 3))
	check(dataset.WriteFile("clusterers.npz", data))
	var panels []*report.Figure
	for _, metric := range []spd.Metric{spd.Riemann, spd.Euclid} {
		fit := must(cluster.FitKMeans(ctx, data.Stack, 3, cluster.KMeansOptions{Metric: metric, Seed: 1}))
		right, _ := cluster.Accuracy(fit.Assignments, data.Labels)
		fmt.Printf("%-7s inertia %.2f, %.1f %% matched\n", metric, fit.Inertia, 100*right)
		plot := make([]report.Points, 3)
		for i, g := range fit.Assignments {
			a := data.Stack.View(i)
			plot[g].X, plot[g].Y = append(plot[g].X, a.At(0, 0)), append(plot[g].Y, a.At(1, 1))
			plot[g].Name = fmt.Sprint("group ", g)
		}
		panels = append(panels, report.Scatter("3-means, metric "+string(metric), plot, report.PlotOptions{
			X: report.Axis{Label: "first diagonal entry", Log: true},
			Y: report.Axis{Label: "second diagonal entry", Log: true}}))
	}
	check(report.Panels("", 2, panels...).WriteFile("clusterers.svg"))
	// Output:
	// riemann inertia 72.88, 99.3 % matched
	// euclid  inertia 9093.79, 59.3 % matched
}

func Example_scene() {
	const side, window = 40, 7
	looks := spd.StackOf(4, 2, []float64{0.1, 0, 0, 0.1 /**/, 0.4, 0.2, 0.2, 0.4 /**/, 3, -2, -2, 3 /**/, 9, 5, 5, 6})
	check(spd.Sqrt(looks, looks))
	rng, pixels := rand.New(rand.NewPCG(1, 2)), mat.NewDense(side*side, 2, nil)
	for p := range side * side { // four fields that differ only in covariance
		a, u, v := looks.At(fieldOf(p, side)), rng.NormFloat64(), rng.NormFloat64()
		pixels.SetRow(p, []float64{a[0]*u + a[1]*v, a[2]*u + a[3]*v})
	}
	x, truth := windows(pixels, side, window)
	check(dataset.WriteFile("scene.npz", &dataset.Data{Stack: x, Labels: truth, Classes: []string{"0", "1", "2", "3"}}))
	images := [][]int{truth}
	for _, metric := range []spd.Metric{spd.Euclid, spd.Riemann} {
		fit := must(cluster.FitKMeans(ctx, x, 4, cluster.KMeansOptions{Metric: metric, Seed: 1}))
		right, field := cluster.Accuracy(fit.Assignments, truth)
		fmt.Printf("%-7s inertia %.1f, %.1f %% of the pixels\n", metric, fit.Inertia, 100*right)
		for k, g := range fit.Assignments {
			fit.Assignments[k] = field[g]
		}
		images = append(images, fit.Assignments)
	}
	check(report.Segments("Fields of a simulated radar image", images, side-window+1, side-window+1,
		[]string{"the fields", "4-means, euclid", "4-means, riemann"}).WriteFile("scene.svg"))
	// Output:
	// euclid  inertia 2056.9, 63.8 % of the pixels
	// riemann inertia 436.9, 89.4 % of the pixels
}

func Example_hyperspectral() {
	const side, window, bands = 40, 7, 30
	rng, pixels := rand.New(rand.NewPCG(4, 2)), mat.NewDense(side*side, bands, nil)
	for p := range side * side { // two materials vary together in two fields, against each other in the others
		field, u, v := fieldOf(p, side), rng.NormFloat64(), rng.NormFloat64()
		strong, sign := 0.3+0.9*float64(field/2), float64(1-field%2*2)
		for b := range bands {
			t := math.Pi * float64(b) / bands
			pixels.Set(p, b, strong*(u*math.Sin(t)+(0.8*sign*u+0.6*v)*math.Sin(2*t))+0.1*rng.NormFloat64())
		}
	}
	stats := must(gaussian.Estimate(pixels, make([]int, side*side), []string{"pixel"}))
	pca := must(feature.FitPCA(stats, feature.PCAOptions{Filters: 2}))
	var components mat.Dense
	pca.Transform(&components, pixels)
	x, truth := windows(&components, side, window)
	check(dataset.WriteFile("hyperspectral.npz", &dataset.Data{Stack: x, Labels: truth,
		Classes: []string{"0", "1", "2", "3"}}))
	images := [][]int{truth}
	for _, metric := range []spd.Metric{spd.Euclid, spd.Riemann} {
		fit := must(cluster.FitKMeans(ctx, x, 4, cluster.KMeansOptions{Metric: metric, Seed: 1}))
		right, field := cluster.Accuracy(fit.Assignments, truth)
		fmt.Printf("%-7s %.1f %% of the pixels\n", metric, 100*right)
		for k, g := range fit.Assignments {
			fit.Assignments[k] = field[g]
		}
		images = append(images, fit.Assignments)
	}
	check(report.Segments("Fields of a simulated image of 30 bands", images, side-window+1, side-window+1,
		[]string{"the fields", "4-means, euclid", "4-means, riemann"}).WriteFile("hyperspectral.svg"))
	// Output:
	// euclid  63.2 % of the pixels
	// riemann 92.1 % of the pixels
}
