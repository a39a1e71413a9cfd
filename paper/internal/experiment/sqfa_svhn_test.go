package experiment

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"rao/internal/testkit"
)

// The experiments on SVHN run on files of its form: here small images whose classes
// differ in the direction of a stripe.
func TestSVHNExperimentsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	cache := t.TempDir()
	t.Setenv("RAO_CACHE", cache)
	if err := os.Mkdir(filepath.Join(cache, "svhn"), 0o755); err != nil {
		t.Fatal(err)
	}
	for k, part := range []string{"train", "test"} {
		b := stripes(600-200*k, rand.New(rand.NewPCG(5, uint64(k))))
		if err := os.WriteFile(filepath.Join(cache, "svhn", part+"_32x32.mat"), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{"sqfa-fig3", "sqfa-fig7-svhn", "sqfa-fig8-svhn", "sqfa-fig9-svhn", "sqfa-fig12-svhn",
		"sqfa-fig13-svhn"} {
		e, err := Lookup(id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Run(context.Background(), Run{Short: true, Seed: 1}); err != nil {
			t.Error(err)
		}
	}
}

// stripes is a file of n color images of 8×8 pixels in ten classes.
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
