package sets

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"io"

	"rao/dataset"
	"rao/internal/format/table"
	"rao/internal/naming"
)

//go:embed data/digits.csv.gz
var digitsFile []byte

// findDigits returns a source of the embedded optical digits: all 1797 images, the images with an index divisible by
// three ("test"), or the rest ("train").
func findDigits(part string, opt dataset.OpenOptions) (*dataset.SetPart, error) {
	z, err := gzip.NewReader(bytes.NewReader(digitsFile))
	if err != nil {
		return nil, err
	}
	no := false
	t, err := table.NewReader(z, "digits", table.Options{Comma: ',', Header: &no})
	if err != nil {
		return nil, err
	}
	const pixels = 64
	d := &dataset.Data{Source: "digits", Image: [3]int{8, 8, 1}, Classes: naming.Classes(nil, 10)}
	var x []float32
	for row := 0; ; row++ {
		fields, err := t.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if part == "train" && row%3 == 0 || part == "test" && row%3 != 0 {
			continue
		}
		for _, f := range fields[:pixels] {
			v, _ := table.ParseFloat(f)
			x = append(x, float32(v))
		}
		label, _ := table.ParseFloat(fields[pixels])
		d.Labels = append(d.Labels, int(label))
	}
	d.X = dataset.NewTable(len(d.Labels), pixels, x)
	return &dataset.SetPart{Make: func(context.Context) (*dataset.Data, error) { return d, nil }, Options: opt}, nil
}
