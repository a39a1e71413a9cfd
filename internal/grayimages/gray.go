// Package grayimages converts color images to gray, and deskews gray images.
package grayimages

import (
	"fmt"

	"rao/dataset"
)

// Convert converts images to gray, using the mean of the channels of each pixel. The channels of a pixel must be
// adjacent. It returns gray images unchanged, and an error for data that are not images.
func Convert(d *dataset.Data) (*dataset.Data, error) {
	if d.X == nil || d.Image[0] == 0 {
		return nil, fmt.Errorf("%s: the data are not images, so they cannot be converted to gray; give images",
			d.Source)
	}
	channels := d.Image[2]
	if channels == 1 {
		return d, nil
	}
	n, cols := d.X.Dims()
	pixels := cols / channels
	row := make([]float64, cols)
	gray := make([]float32, n*pixels)
	for i := range n {
		d.X.Row(row, i)
		for p := range pixels {
			sum := 0.0
			for _, v := range row[p*channels : (p+1)*channels] {
				sum += v
			}
			gray[i*pixels+p] = float32(sum / float64(channels))
		}
	}
	out := *d
	out.X = dataset.NewTable(n, pixels, gray)
	out.Image[2] = 1
	return &out, nil
}
