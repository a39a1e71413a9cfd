// Package picturesize reads the sizes of image files from untrusted sources.
package picturesize

import (
	"bufio"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // the image formats in folders of images
	_ "image/png"

	"rao/internal/format/regular"
)

// maxSide limits the number of rows and of columns of an image.
const maxSide = 1 << 14

// Shape reads the number of rows, columns and channels (1 for gray images, otherwise 3) of an image file. It returns an
// error if the image is too large, or if its claimed size is larger than the file can contain.
func Shape(path string) ([3]int, error) {
	f, err := regular.Open(path)
	if err != nil {
		return [3]int{}, err
	}
	defer f.Close()
	c, _, err := image.DecodeConfig(bufio.NewReader(f))
	if err != nil {
		return [3]int{}, fmt.Errorf("%s: %w; the image is damaged or of another kind, so replace or remove it",
			path, err)
	}
	if c.Width < 1 || c.Height < 1 || c.Width > maxSide || c.Height > maxSide {
		return [3]int{}, fmt.Errorf("%s: the image has %d×%d pixels, but the limit is %d pixels per side; reduce its "+
			"size", path, c.Height, c.Width, maxSide)
	}
	// A compressed image has at most about a thousand pixels per bit of its file.
	if st, err := f.Stat(); err == nil && int64(c.Width)*int64(c.Height)/(1<<13) > st.Size()+(1<<11) {
		return [3]int{}, fmt.Errorf("%s: its header declares %d×%d pixels, but the file has %d bytes; it is "+
			"damaged, so replace or remove it", path, c.Height, c.Width, st.Size())
	}
	channels := 3
	if IsGray(c.ColorModel) {
		channels = 1
	}
	return [3]int{c.Height, c.Width, channels}, nil
}

// IsGray reports whether a color model has one channel.
func IsGray(m color.Model) bool { return m == color.GrayModel || m == color.Gray16Model }
