package method

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"rao/dataset"
	"rao/gaussian"
	"rao/internal/testkit"
)

// movingWaves returns videos of 15 frames of 20 pixels: waves of random phase, weaker the finer, that move at the speed
// of their class.
func movingWaves(classes, each int, seed uint64) *dataset.Data {
	const frames, pixels, waves = 15, 20, 6
	rng := rand.New(rand.NewPCG(seed, 41))
	d := &dataset.Data{Source: "waves"}
	var x []float64
	for c := range classes {
		d.Classes = append(d.Classes, fmt.Sprint(c))
		speed := 12 * (float64(c)/float64(classes-1) - 0.5) / frames
		for range each {
			d.Labels = append(d.Labels, c)
			row := make([]float64, frames*pixels)
			for f := 1; f <= waves; f++ {
				a, phase := rng.NormFloat64()/float64(f), 2*math.Pi*rng.Float64()
				for i := range row {
					t, p := float64(i/pixels), float64(i%pixels)
					row[i] += a * math.Cos(2*math.Pi*float64(f)*(p-speed*t)/40+phase)
				}
			}
			for i := range row {
				row[i] += 0.1 * rng.NormFloat64()
			}
			x = append(x, row...)
		}
	}
	d.X = dataset.NewTable(len(d.Labels), frames*pixels, x)
	return d
}

// The noise of many classes is about as good as the best fixed one, from rows and from statistics.
func TestAutomaticNoiseOfManyClasses(t *testing.T) {
	train, test := movingWaves(36, 150, 1), movingWaves(36, 30, 2)
	stats := testkit.Must(gaussian.Estimate(train.X.Matrix(), train.Labels, train.Classes))(t)
	accuracy := func(src TrainingData, noise string) float64 {
		return accuracyOf(t, usable(t, "sqfa", src, "filters=4 noise="+noise), test)
	}
	testkit.SkipShort(t, "eight fits of 36 classes")
	best := 0.0
	for _, noise := range []string{"1e-5", "1e-4", "1e-3", "0.01", "0.1", "1"} {
		a := accuracy(InMemory{Data: train}, noise)
		t.Logf("noise %s: %.3f", noise, a)
		best = max(best, a)
	}
	rows, alone := accuracy(InMemory{Data: train}, "auto"), accuracy(Statistics{Stats: stats}, "auto")
	t.Logf("auto: %.3f from rows, %.3f from statistics", rows, alone)
	if rows < best-0.03 || alone < best-0.03 { // 1080 test rows: two standard errors
		t.Errorf("auto: %.3f from rows, %.3f from statistics, %.3f with the best fixed noise", rows, alone, best)
	}
}

// A fit to rows of many classes warns if the held-out rows are decided by chance.
func TestManyClassesAtChanceWarn(t *testing.T) {
	const classes, columns, rows = 36, 10, 1440
	for _, apart := range []float64{0, 0.5} {
		rng := rand.New(rand.NewPCG(1, 36))
		var centers, x []float64
		for range classes * columns {
			centers = append(centers, apart*rng.NormFloat64())
		}
		d := &dataset.Data{Source: "random rows"}
		for i := range rows {
			d.Labels = append(d.Labels, i%classes)
			for j := range columns {
				x = append(x, rng.NormFloat64()+centers[i%classes*columns+j])
			}
		}
		for c := range classes {
			d.Classes = append(d.Classes, fmt.Sprint(c))
		}
		d.X = dataset.NewTable(rows, columns, x)
		m := usable(t, "sqfa", InMemory{Data: d}, "filters=4")
		warned := strings.Contains(strings.Join(m.Warnings, "; "), "not clearly above chance")
		testkit.Equal(t, warned, apart == 0, fmt.Sprintf("means %g apart: warnings %q", apart, m.Warnings))
	}
}
