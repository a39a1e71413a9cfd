package synth

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"rao/internal/testkit"
)

// writePhotos writes n gray photographs of random texture. level gives the rows.
func writePhotos(t *testing.T, dir string, n, rows, cols int, level func(photo, x int) float64) {
	t.Helper()
	testkit.NoError(t, os.MkdirAll(dir, 0o755))
	for k := range n {
		img := image.NewGray(image.Rect(0, 0, cols, rows))
		for y := range rows {
			for x := range cols {
				img.SetGray(x, y, color.Gray{Y: uint8(math.Round(255 * level(k, x)))})
			}
		}
		f := testkit.Must(os.Create(filepath.Join(dir, fmt.Sprintf("%02d.png", k))))(t)
		testkit.NoError(t, png.Encode(f, img))
		testkit.NoError(t, f.Close())
	}
}

func texture(k, x int) float64 {
	return 0.5 + 0.2*math.Sin(float64(x)*(0.2+0.03*float64(k))) + 0.2*math.Sin(float64(x*x%97)+float64(k))
}

func TestSpeedVideosMove(t *testing.T) {
	dir := t.TempDir()
	// Gratings of a period of 40 pixels: 20 samples. One degree is a period and a half.
	writePhotos(t, dir, 4, 70, 260, func(_, x int) float64 { return 0.5 + 0.3*math.Sin(2*math.Pi*float64(x)/40) })
	d := testkit.Must(Speed(context.Background(), SpeedOptions{Dir: dir, PerClass: 3, Noise: -1}))(t)
	if n, dim := d.X.Dims(); n != 41*3 || dim != 450 || len(d.Classes) != 41 || d.Classes[0] != "-6.0" ||
		d.Classes[20] != "0.0" || d.Classes[40] != "6.0" || d.Image != [3]int{15, 30, 1} {
		t.Fatalf("%d×%d, classes %v, image %v", n, dim, d.Classes, d.Image)
	}
	x := make([]float64, 450)
	for row, class := range d.Labels {
		d.X.Row(x, row)
		// The phase of the grating in each frame falls by speed·60·frame/40 turns.
		want := speedOf(class) * 60 / 60 / 40
		for f := 1; f < 15; f++ {
			turn := (phase(x[(f-1)*30:f*30]) - phase(x[f*30:(f+1)*30])) / (2 * math.Pi)
			if e := turn - want; math.Abs(e-math.Round(e)) > 0.02 {
				t.Fatalf("speed %s, frame %d: the pattern moved %.3f turns, want %.3f", d.Classes[class], f, turn, want)
			}
		}
	}
}

// phase returns the phase of the first 20 samples at a period of 20 samples.
func phase(frame []float64) float64 {
	var re, im float64
	for x, v := range frame[:20] {
		s, c := math.Sincos(2 * math.Pi * float64(x) / 20)
		re, im = re+v*c, im+v*s
	}
	return math.Atan2(re, im)
}

func TestSpeedVideosAreNormalizedContrast(t *testing.T) {
	dir := t.TempDir()
	writePhotos(t, dir, 8, 64, 200, texture)
	d := testkit.Must(Speed(context.Background(), SpeedOptions{Dir: dir, PerClass: 4, Test: true, Noise: -1}))(t)
	x := make([]float64, 450)
	for row := range d.Labels {
		d.X.Row(x, row)
		sum, energy := 0.0, 0.0
		for _, v := range x {
			sum, energy = sum+v, energy+v*v
		}
		if math.Abs(sum) > 1e-4 || !(energy > 0 && energy < 1) {
			t.Fatalf("video %d: sum %g, energy %g; want 0 and within 0 to 1", row, sum, energy)
		}
	}
}

func TestSpeedPartsAndSeeds(t *testing.T) {
	dir := t.TempDir()
	writePhotos(t, dir, 8, 64, 200, texture)
	get := func(o SpeedOptions) []float32 {
		o.Dir, o.PerClass = dir, 2
		d := testkit.Must(Speed(context.Background(), o))(t)
		_, data, _, _ := d.X.RawRows()
		return data
	}
	base := get(SpeedOptions{})
	for _, procs := range []int{1, 2, 8} {
		old := runtime.GOMAXPROCS(procs)
		again := get(SpeedOptions{})
		runtime.GOMAXPROCS(old)
		testkit.EqualSlices(t, base, again, "other bits at GOMAXPROCS", procs)
	}
	if slices.Equal(base, get(SpeedOptions{Seed: 1})) || slices.Equal(base, get(SpeedOptions{Test: true})) {
		t.Error("another seed, or the other part, gives the same videos")
	}
	train, err := listPhotos(dir, false)
	testkit.NoError(t, err)
	test := testkit.Must(listPhotos(dir, true))(t)
	if len(train) != 6 || len(test) != 2 {
		t.Errorf("%d photographs to train on and %d to test on, want 6 and 2", len(train), len(test))
	}
	for _, p := range test {
		if slices.Contains(train, p) {
			t.Errorf("%s is in both parts", p)
		}
	}
	writePhotos(t, filepath.Join(dir, "train"), 1, 64, 200, texture)
	if train, err = listPhotos(dir, false); err != nil || len(train) != 1 {
		t.Errorf("with a folder train: %v, %v", train, err)
	}
}

// The mirror image of a photograph moves the other way.
func TestSpeedOfMirroredPhotographs(t *testing.T) {
	v, w := newVideo(2.4, photoreceptor()), newVideo(-2.4, photoreceptor())
	for x := range v.strip {
		v.strip[x] = texture(1, x)
		w.strip[len(w.strip)-1-x] = v.strip[x]
	}
	a, b := make([]float32, 450), make([]float32, 450)
	for _, p := range []struct {
		v   *video
		dst []float32
	}{{v, a}, {w, b}} {
		p.v.optics()
		if !p.v.frames(p.dst, nil) {
			t.Fatal("a black place")
		}
	}
	for f := range 15 {
		for x := range 30 {
			if d := math.Abs(float64(a[f*30+x] - b[f*30+29-x])); d > 1e-6 {
				t.Fatalf("frame %d, sample %d differ by %g", f, x, d)
			}
		}
	}
}

func TestSpeedRefuses(t *testing.T) {
	dir := t.TempDir()
	small := filepath.Join(dir, "small")
	writePhotos(t, small, 5, 64, 100, texture)
	few := filepath.Join(dir, "few")
	writePhotos(t, few, 2, 64, 200, texture)
	broken := filepath.Join(dir, "broken")
	writePhotos(t, broken, 4, 64, 200, texture)
	testkit.NoError(t, os.WriteFile(filepath.Join(broken, "00.png"), []byte("\x89PNG no"), 0o600))
	empty := filepath.Join(dir, "empty")
	testkit.NoError(t, os.Mkdir(empty, 0o755))
	for _, c := range []struct {
		opt  SpeedOptions
		want string
	}{
		{SpeedOptions{}, "name a folder of JPEG or PNG files"},
		{SpeedOptions{Dir: filepath.Join(dir, "none")}, "none"},
		{SpeedOptions{Dir: empty}, "no JPEG or PNG files"},
		{SpeedOptions{Dir: few}, "needs at least 4"},
		{SpeedOptions{Dir: small}, "at least 60×188 pixels"},
		{SpeedOptions{Dir: broken}, "00.png"},
		{SpeedOptions{Dir: few, PerClass: -1}, "videos per class is -1"},
		{SpeedOptions{Dir: few, Noise: math.Inf(1)}, "noise is +Inf"},
	} {
		testkit.ErrorContains(t, testkit.ErrorOf(Speed(context.Background(), c.opt)), c.want, c.opt)
	}
	testkit.Fails(t, testkit.ErrorOf(Speed(testkit.Canceled(), SpeedOptions{Dir: broken})), "a canceled run gives data")
}

func TestSpeedFromPhotographs(t *testing.T) {
	dir := testkit.External(t, "data", "bsds500")
	d := testkit.Must(Speed(context.Background(), SpeedOptions{Dir: dir, Test: true, PerClass: 20}))(t)
	testkit.NoError(t, d.Check())
	testkit.Equal(t, d.N(), 41*20, "videos, want 820")
}
