// Package picture reads the size of image files that may be hostile.
package picture

import (
	"bufio"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // the kinds of images that folders hold
	_ "image/png"

	"rao/internal/format/regular"
)

// maxSide bounds the number of rows and of columns of an image.
const maxSide = 1 << 14

// Shape reads the rows, columns and channels (1 when it is gray, else 3) of an image file. An
// image too large to read, or larger than its file can hold, is an error.
func Shape(path string) ([3]int, error) {
	f, err := regular.Open(path)
	if err != nil {
		return [3]int{}, err
	}
	defer f.Close()
	c, _, err := image.DecodeConfig(bufio.NewReader(f))
	if err != nil {
		return [3]int{}, fmt.Errorf("%s: %w; the image is damaged or of another kind, replace or remove it", path, err)
	}
	if c.Width < 1 || c.Height < 1 || c.Width > maxSide || c.Height > maxSide {
		return [3]int{}, fmt.Errorf("%s: an image of %d×%d pixels; up to %d a side can be read",
			path, c.Height, c.Width, maxSide)
	}
	// A compressed image has at most about a thousand pixels a bit of its file.
	if st, err := f.Stat(); err == nil && int64(c.Width)*int64(c.Height)/(1<<13) > st.Size()+(1<<11) {
		return [3]int{}, fmt.Errorf("%s: its header promises %d×%d pixels and the file has %d bytes; it is damaged, "+
			"replace or remove it", path, c.Height, c.Width, st.Size())
	}
	channels := 3
	if IsGray(c.ColorModel) {
		channels = 1
	}
	return [3]int{c.Height, c.Width, channels}, nil
}

// IsGray reports whether a color model has one channel.
func IsGray(m color.Model) bool { return m == color.GrayModel || m == color.Gray16Model }
