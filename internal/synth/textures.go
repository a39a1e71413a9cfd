package synth

import (
	"math"
	"math/rand/v2"

	"rao/dataset"
)

// Textures returns gray images of size×size pixels, perClass of each of four classes in turn: waves along rows, waves
// along columns, checks, and grain. Position, wavelength and contrast are random for each image, so no single pixel
// determines the class. Values are between 0 and 255. The same seed gives the same images.
func Textures(perClass, size int, seed uint64) *dataset.Data {
	rng := rand.New(rand.NewPCG(seed, 113))
	d := &dataset.Data{Source: "textures", Classes: []string{"rows", "columns", "checks", "grain"},
		Image: [3]int{size, size, 1}}
	n := 4 * perClass
	x := make([]float64, 0, n*size*size)
	grain := make([]float64, (size/3+1)*(size/3+1))
	for i := range n {
		d.Labels = append(d.Labels, i%4)
		wave := 2 * math.Pi / (5 + 2*rng.Float64())
		down, across := 2*math.Pi*rng.Float64(), 2*math.Pi*rng.Float64()
		contrast := 30 + 40*rng.Float64()
		for k := range grain {
			grain[k] = rng.NormFloat64()
		}
		for r := range size {
			for c := range size {
				along, over := math.Sin(wave*float64(r)+down), math.Sin(wave*float64(c)+across)
				v := [4]float64{along, over, math.Sqrt2 * along * over, math.Sqrt(0.5) * grain[r/3*(size/3+1)+c/3]}[i%4]
				x = append(x, min(255, max(0, 128+contrast*v+15*rng.NormFloat64())))
			}
		}
	}
	d.X = dataset.NewTable(n, size*size, x)
	return d
}
