package dataset_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"rao/dataset"
	"rao/internal/testkit"
)

// This adds a format in one file, as in docs/extending.md. A file starts with "PAIRS", and each row is a label and two
// bytes.
func init() {
	dataset.RegisterFormat(dataset.Format{Name: "pairs",
		Magic: func(head []byte) bool { return bytes.HasPrefix(head, []byte("PAIRS")) },
		Load: func(_ context.Context, path string, _ dataset.OpenOptions) (*dataset.Data, error) {
			b, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			if b = b[len("PAIRS"):]; len(b)%3 != 0 {
				return nil, fmt.Errorf("%s: %d bytes left after row %d; the file is truncated, copy it again",
					path, len(b)%3, len(b)/3)
			}
			d := &dataset.Data{Classes: []string{"even", "odd"}}
			var x []float64
			for ; len(b) > 0; b = b[3:] {
				d.Labels = append(d.Labels, int(b[0]&1))
				x = append(x, float64(b[1]), float64(b[2]))
			}
			d.X = dataset.NewTable(len(d.Labels), 2, x)
			return d, nil
		}})
}

func TestAFormatIsOneFile(t *testing.T) {
	path := testkit.TempFile(t, "data.unknown", "PAIRS\x00ab\x01cd\x01ef")
	if kind, err := dataset.FormatOf(path); kind != "pairs" {
		t.Errorf("kind %q, %v", kind, err)
	}
	d := testkit.Must(dataset.Open(context.Background(), path, dataset.OpenOptions{RequireLabels: true}))(t)
	if d.N() != 3 || !slices.Equal(d.Labels, []int{0, 1, 1}) || d.X.At(2, 1) != 'f' || d.Source != path {
		t.Errorf("%+v", d)
	}
	rows := 0
	err := dataset.Stream(context.Background(), path, dataset.OpenOptions{}, 2,
		func(x *dataset.Table, labels []int, classes []string) error {
			rows += len(labels)
			return nil
		})
	if rows != 3 || err != nil {
		t.Errorf("%d rows streamed, %v", rows, err)
	}
}
