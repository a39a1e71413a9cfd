package experiment

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"rao/internal/testkit"
)

// The experiments on SVHN run on files of the same format. Here the files contain small images whose classes differ in
// the direction of a stripe.
func TestSVHNExperimentsRun(t *testing.T) {
	testkit.SkipShort(t, "long")
	cache := t.TempDir()
	t.Setenv("RAO_CACHE", cache)
	testkit.NoError(t, os.Mkdir(filepath.Join(cache, "svhn"), 0o755))
	for k, part := range []string{"train", "test"} {
		b := stripes(600-200*k, rand.New(rand.NewPCG(5, uint64(k))))
		testkit.NoError(t, os.WriteFile(filepath.Join(cache, "svhn", part+"_32x32.mat"), b, 0o644))
	}
	for _, id := range []string{"sqfa-fig3", "sqfa-fig7-svhn", "sqfa-fig8-svhn", "sqfa-fig9-svhn", "sqfa-fig12-svhn",
		"sqfa-fig13-svhn"} {
		res := runShort(t, id)
		if id != "sqfa-fig3" {
			continue
		}
		accuracy := (&Run{result: res}).table("accuracy")
		if len(res.Claims) == 0 || accuracy.number("SQFA", comparedAccuracy) < 25 || accuracy.cell("LMNN", 1) == "" {
			t.Errorf("the classes differ, but %v with claims %v", accuracy.Rows, res.Claims)
		}
	}
	// the same images with labels by chance cannot be decided, and a file without labels is an error
	write := func(part string, b []byte) {
		t.Helper()
		testkit.NoError(t, os.WriteFile(filepath.Join(cache, "svhn", part+"_32x32.mat"), b, 0o644))
	}
	noise := rand.New(rand.NewPCG(6, 6))
	for _, part := range []string{"train", "test"} {
		x, y := make([]byte, 8*8*3*600), make([]byte, 600)
		for i := range x {
			x[i] = byte(noise.Uint32())
		}
		for i := range y {
			y[i] = byte(i%10 + 1)
		}
		write(part, testkit.MatFile(testkit.MatVar{Name: "X", Shape: []int{8, 8, 3, 600}, Bytes: x},
			testkit.MatVar{Name: "y", Shape: []int{600, 1}, Bytes: y}))
	}
	res := runShort(t, "sqfa-fig3")
	if v := (&Run{result: res}).table("accuracy").number("SQFA", comparedAccuracy); v > 20 {
		t.Errorf("SQFA decides %.1f %% of noise", v)
	}
	write("test", testkit.MatFile(testkit.MatVar{Name: "X", Shape: []int{8, 8, 3, 10}, Bytes: make([]byte, 1920)}))
	e := testkit.Must(Lookup("sqfa-fig3"))(t)
	testkit.ErrorContains(t, testkit.ErrorOf(e.Run(context.Background(), Run{Short: true, Seed: 1})), "test_32x32.mat",
		"a file without labels")
}

// runShort runs an experiment in its short form.
func runShort(t *testing.T, id string) *Result {
	t.Helper()
	e := testkit.Must(Lookup(id))(t)
	return testkit.Must(e.Run(context.Background(), Run{Short: true, Seed: 1}))(t)
}

// stripes returns a file of n color images of 8×8 pixels in ten classes.
func stripes(n int, rng *rand.Rand) []byte {
	const side = 8
	x := make([]byte, 0, side*side*3*n)
	y := make([]byte, n)
	for k := range n {
		class := k % 10
		y[k] = byte(class + 1)
		contrast := 30 * rng.NormFloat64()
		for range 3 {
			for column := range side {
				for row := range side {
					v := 128 + 8*rng.NormFloat64()
					if (row*(class+1)+column*(10-class))%7 < 3 {
						v += contrast
					}
					x = append(x, byte(max(0, min(255, v))))
				}
			}
		}
	}
	return testkit.MatFile(testkit.MatVar{Name: "X", Shape: []int{side, side, 3, n}, Bytes: x},
		testkit.MatVar{Name: "y", Shape: []int{n, 1}, Bytes: y})
}
