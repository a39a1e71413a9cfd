package synth

import (
	"bufio"
	"context"
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"strings"

	"rao"
	"rao/internal/format/picturesize"
	"rao/internal/format/regular"
	"rao/internal/par"
	"rao/internal/text"
)

// photo is the brightness of a photograph, linear in light, from 0 to 1.
type photo struct {
	rows, cols int
	light      []float32
}

// strip averages over the rows of the aperture, which starts at row top, for the columns from left on.
func (p *photo) strip(dst []float64, top, left int) {
	clear(dst)
	for r := top; r < top+speedPerDegree; r++ {
		for x, v := range p.light[r*p.cols+left : r*p.cols+left+len(dst)] {
			dst[x] += float64(v)
		}
	}
	for x := range dst {
		dst[x] /= speedPerDegree
	}
}

// maxPhotos limits the number of photographs in memory. If the folder contains more, evenly spaced photographs are
// used.
const maxPhotos = 1000

// loadPhotos reads one part of a folder of photographs.
func loadPhotos(ctx context.Context, dir string, test bool) ([]photo, error) {
	if dir == "" {
		return nil, rao.Optionf("images",
			"the task needs photographs; name a folder of JPEG or PNG files with {images}")
	}
	paths, err := listPhotos(dir, test)
	if err != nil {
		return nil, err
	}
	if over := (len(paths) + maxPhotos - 1) / maxPhotos; over > 1 {
		var some []string
		for i := 0; i < len(paths); i += over {
			some = append(some, paths[i])
		}
		paths = some
	}
	all := make([]photo, len(paths))
	err = par.Try(len(paths), 1, func(_, i, _ int) (err error) {
		if err = ctx.Err(); err == nil {
			all[i], err = readPhoto(paths[i])
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var out []photo
	for _, p := range all {
		if p.light != nil {
			out = append(out, p)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: all %d photographs are too small; add photographs of at least %d×%d pixels",
			dir, len(paths), speedPerDegree, speedSpan)
	}
	return out, nil
}

// listPhotos returns the photographs of a part, in lexical order of their paths.
func listPhotos(dir string, test bool) ([]string, error) {
	sub := filepath.Join(dir, map[bool]string{false: "train", true: "test"}[test])
	if st, err := os.Stat(sub); err == nil && st.IsDir() {
		return walkPhotos(sub)
	}
	all, err := walkPhotos(dir)
	if err != nil {
		return nil, err
	}
	if len(all) < 4 {
		return nil, fmt.Errorf("%s: the folder has only %s, but the split into training and test needs at least 4; "+
			"add photographs", dir, text.Plural(len(all), "photograph", "photographs"))
	}
	var part []string
	for i, p := range all {
		if (i%4 == 3) == test {
			part = append(part, p)
		}
	}
	return part, nil
}

func walkPhotos(dir string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch strings.ToLower(filepath.Ext(path)) {
		case ".jpg", ".jpeg", ".png":
			if regular.Is(path, e) {
				out = append(out, path)
			}
		}
		return nil
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("%s contains no JPEG or PNG files; name another folder", dir)
	}
	return out, err
}

// readPhoto reads the brightness of a photograph. If the photograph is too small, the result is empty.
func readPhoto(path string) (photo, error) {
	shape, err := picturesize.Shape(path)
	if err != nil {
		return photo{}, err
	}
	if shape[0] < speedPerDegree || shape[1] < speedSpan {
		return photo{}, nil
	}
	f, err := regular.Open(path)
	if err != nil {
		return photo{}, err
	}
	defer f.Close()
	img, _, err := image.Decode(bufio.NewReader(f))
	if err != nil {
		return photo{}, fmt.Errorf("%s: %w; replace or remove the damaged image", path, err)
	}
	b := img.Bounds()
	p := photo{rows: b.Dy(), cols: b.Dx(), light: make([]float32, b.Dx()*b.Dy())}
	for y := range p.rows {
		for x := range p.cols {
			r, g, bl, _ := img.At(b.Min.X+x, b.Min.Y+y).RGBA()
			p.light[y*p.cols+x] = float32(0.2126*srgbLinear[r>>8] + 0.7152*srgbLinear[g>>8] + 0.0722*srgbLinear[bl>>8])
		}
	}
	return p, nil
}

// srgbLinear inverts the sRGB transfer curve (IEC 61966-2-1) for bytes.
var srgbLinear = func() (t [256]float64) {
	for i := range t {
		v := float64(i) / 255
		if v <= 0.04045 {
			t[i] = v / 12.92
		} else {
			t[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return t
}()
