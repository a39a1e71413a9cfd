package dataset

import (
	"bytes"
	"compress/gzip"
	_ "embed"

	"rao/internal/table"
)

//go:embed data/digits.csv.gz
var digitsFile []byte

// digits reads the embedded optical digits: all 1797 of them, or the third with
// index divisible by three ("test"), or the rest ("train").
func digits(source, part string) (*raw, error) {
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
	var x []float32
	var y []string
	for row := 0; ; row++ {
		fields, err := t.Next()
		if isEOF(err) {
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
		y = append(y, labelText(fields[pixels]))
	}
	return &raw{source: source, y: y, image: [3]int{8, 8, 1},
		x: &Array{Name: "X", Type: "u1", Shape: []int{len(y), pixels}, Float32: x}}, nil
}
