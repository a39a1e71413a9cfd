package spd_test

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/dataset"
	"rao/internal/testkit"
)

// stripes writes small images of two classes, stripes along rows and along columns.
func stripes(t *testing.T, path string, n, size int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	d := &dataset.Data{Source: "stripes", Classes: []string{"rows", "columns"}, Image: [3]int{size, size, 1}}
	var x []float64
	for i := range n {
		d.Labels = append(d.Labels, i%2)
		phase := rng.IntN(4)
		for r := range size {
			for c := range size {
				along := r
				if i%2 == 1 {
					along = c
				}
				x = append(x, float64(100*((along+phase)/2%2)+rng.IntN(60)))
			}
		}
	}
	d.X = dataset.NewTable(n, size*size, x)
	testkit.NoError(t, dataset.WriteFile(path, d))
}

// The file and the model contain what was learned from the images. The model classifies new images and their
// descriptors, and rejects other descriptors.
func TestLearnedDescriptorsTravel(t *testing.T) {
	in := testkit.Folder(t)
	stripes(t, in("train.npz"), 60, 10)
	stripes(t, in("new.npz"), 21, 10)
	stripes(t, in("large.npz"), 21, 12)
	run := func(want int, args ...string) (said string) {
		t.Helper()
		for i, a := range args {
			if strings.Contains(a, ".") {
				args[i] = in(a)
			}
		}
		status, out, said := tooltest.Run(t, args...)
		if status != want {
			t.Fatalf("%v: exit status %d, %s%s", args, status, out, said)
		}
		return out + said
	}
	for _, form := range []struct {
		name, method string
		flags        []string
	}{
		{"vectors", "svm-raw", []string{"--features", "learned:4", "--regions", "whole,grid:2x1", "--descriptor",
			"gaussian", "--tangent"}},
		{"matrices", "mdm", []string{"--features", "learned:4"}},
		{"features", "mdm", []string{"--features", "I,|Ix|,|Iy|,angle", "--smooth", "1"}},
	} {
		t.Run(form.name, func(t *testing.T) {
			run(0, append([]string{"spd", "images", "--data", "train.npz", "--out", "z.npz", "--force"},
				form.flags...)...)
			run(0, "fit", form.method, "--data", "z.npz", "--out", "m.rao", "--force")
			testkit.Contains(t, run(0, "evaluate", "--model", "m.rao", "--data", "new.npz"),
				"accuracy           100.00 %", "stripes are not told")
			run(0, "predict", "--model", "m.rao", "--data", "new.npz", "--out", "a.csv", "--force")
			run(0, "spd", "images", "--data", "new.npz", "--like", "m.rao", "--out", "n.npz", "--force")
			run(0, "predict", "--model", "m.rao", "--data", "n.npz", "--out", "b.csv", "--force")
			run(0, "spd", "images", "--data", "new.npz", "--like", "z.npz", "--out", "n2.npz", "--force")
			testkit.Equal(t, testkit.Text(t, in("a.csv")), testkit.Text(t, in("b.csv")), "decisions")
			testkit.Equal(t, testkit.Text(t, in("n.npz")), testkit.Text(t, in("n2.npz")), "descriptors")
			if form.name != "features" {
				run(0, append([]string{"spd", "images", "--data", "train.npz", "--seed", "2", "--out", "o.npz",
					"--force"}, form.flags...)...)
				testkit.Contains(t, run(1, "predict", "--model", "m.rao", "--data", "o.npz", "--out", "c.csv"),
					"learned filters", "other filters")
			}
			testkit.Contains(t, run(1, "spd", "images", "--data", "large.npz", "--like", "m.rao", "--out", "l.npz"),
				"10×10×1, but these images are 12×12×1", "other images")
			testkit.Contains(t, run(2, "spd", "images", "--data", "new.npz", "--like", "m.rao", "--regions", "whole",
				"--out", "l.npz"), "leave --regions out", "--like beside other flags")
		})
	}
}

func TestCovImagesUsage(t *testing.T) {
	dir := t.TempDir()
	x := filepath.Join(dir, "x.npz")
	stripes(t, x, 8, 10)
	for want, flags := range map[string][]string{
		"give learned or learned:COUNT":    {"--features", "learned:many"},
		"--seed needs --features learned":  {"--seed", "3"},
		"choose from covariance, gaussian": {"--descriptor", "mean"},
		"unknown region":                   {"--regions", "half"},
	} {
		tooltest.Fails(t, want,
			append([]string{"spd", "images", "--data", x, "--out", filepath.Join(dir, "o.npz")}, flags...)...)
	}
}
