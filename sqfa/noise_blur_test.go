package sqfa_test

import (
	"image"
	_ "image/jpeg"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/testkit"
	"rao/sqfa"
)

// grayPixels returns the luma of an image, rows of pixels.
func grayPixels(t *testing.T, path string) [][]float64 {
	f := testkit.Must(os.Open(path))(t)
	defer f.Close()
	img, _ := testkit.Must2(image.Decode(f))(t)
	gray := make([][]float64, img.Bounds().Dy())
	for y := range gray {
		gray[y] = make([]float64, img.Bounds().Dx())
		for x := range gray[y] {
			r, g, b, _ := img.At(x, y).RGBA()
			gray[y][x] = (0.299*float64(r) + 0.587*float64(g) + 0.114*float64(b)) / 65535
		}
	}
	return gray
}

// blurredColumns returns the transpose of an image with its columns smoothed by a Gaussian. Applied twice, it smooths
// the image in both directions.
func blurredColumns(img [][]float64, sigma float64) [][]float64 {
	reach := int(math.Ceil(3 * sigma))
	out := make([][]float64, len(img[0]))
	for x := range out {
		out[x] = make([]float64, len(img))
		for y := range img {
			var sum, weights float64
			for d := -reach; d <= reach; d++ {
				w := 1.0
				if d != 0 {
					w = math.Exp(-float64(d*d) / (2 * sigma * sigma))
				}
				sum += w * img[min(max(y+d, 0), len(img)-1)][x]
				weights += w
			}
			out[x][y] = sum / weights
		}
	}
	return out
}

// For five levels of blur in patches of natural images (16 × 16 pixels minus their mean), the automatic noise is within
// one point of the best fixed noise if it is chosen from rows. It is within two points if it is chosen from statistics,
// because the fits of the search then end far from the optimum.
func TestAutomaticNoiseOnBlurredPatches(t *testing.T) {
	testkit.Slow(t, "a minute")
	const side, perClass = 16, 2000
	draw := func(part string, seed uint64) (*mat.Dense, []int) {
		files, err := filepath.Glob(filepath.Join(testkit.External(t, "data", "bsds500", part), "*.jpg"))
		if err != nil || len(files) == 0 {
			t.Fatal("no images", err)
		}
		rng := rand.New(rand.NewPCG(seed, 26))
		var data []float64
		var labels []int
		for _, file := range files {
			img := grayPixels(t, file)
			for class := range 5 {
				sigma := float64(class) / 2
				blurred := blurredColumns(blurredColumns(img, sigma), sigma)
				for range perClass / len(files) {
					y, x := rng.IntN(len(img)-side), rng.IntN(len(img[0])-side)
					patch, mean := make([]float64, 0, side*side), 0.0
					for r := range side {
						patch = append(patch, blurred[y+r][x:x+side]...)
					}
					for _, v := range patch {
						mean += v / (side * side)
					}
					for _, v := range patch {
						data = append(data, v-mean)
					}
					labels = append(labels, class)
				}
			}
		}
		return mat.NewDense(len(labels), side*side, data), labels
	}
	x, labels := draw("train", 1)
	d := drawn{Rows: sqfa.Rows{X: x, Labels: labels}, stats: testkit.Must(gaussian.Estimate(x, labels, nil))(t)}
	d.tests, d.truth = draw("test", 2)
	for _, filters := range []int{2, 4} {
		fixed, byRows, byStatistics := d.compareNoises(t, filters, 0)
		t.Logf("%d filters: noise 1e-6 to 10 %.3f, by rows %.3f, by statistics %.3f", filters, fixed, byRows,
			byStatistics)
		checkLoss(t, slices.Max(fixed[:]), byRows, byStatistics)
	}
}
