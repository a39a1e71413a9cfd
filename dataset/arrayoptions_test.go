package dataset

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"rao/internal/testkit"
)

// Options that describe a table are errors for arrays and images, in memory and as a stream, instead of being ignored.
func TestOptionsOfTablesAreRefusedForArrays(t *testing.T) {
	yes := true
	options := map[string]OpenOptions{
		"x":            {X: "foo"},
		"y":            {Y: "foo"},
		"drop":         {Table: TableOptions{Drop: []string{"0"}}},
		"header":       {Header: &yes},
		"csv":          {Table: TableOptions{Delimiter: ';'}},
		"csv decimal":  {Table: TableOptions{DecimalComma: true}},
		"csv encoding": {Table: TableOptions{Latin1: true}},
		"csv comments": {Table: TableOptions{NoComments: true}},
	}
	z := Array{Name: "z", Shape: []int{4}, Int64: []int64{1, 0, 0, 1}}
	images := writeFile(t, filepath.Join(t.TempDir(), "i-idx3"),
		append([]byte{0, 0, 8, 3, 0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0, 2}, make([]byte, 36)...))
	for kind, spec := range map[string]string{
		"npz":    npz(t, xArray, yArray, z),
		"npy":    npyFile(t, xArray),
		"stack":  npz(t, stackOf(4, 2), yArray),
		"MAT":    filepath.Join("..", "internal", "format", "matfile", "testdata", "octave.mat"),
		"IDX":    images,
		"digits": "digits:train",
	} {
		for name, opt := range options {
			if named := kind == "npz" || kind == "stack" || kind == "MAT"; named && (name == "x" || name == "y") {
				continue
			}
			if kind == "MAT" {
				opt.X = "P"
			}
			option, _, _ := strings.Cut(name, " ")
			want := "option " + option + "|" + spec + ": "
			refused(t, kind+" with "+name, spec, opt, want)
			err := Blocks(context.Background(), spec, opt, 0, func(*Data, int) error { return nil })
			for part := range strings.SplitSeq(want, "|") {
				testkit.ErrorContains(t, err, part, kind, "with", name, "as a stream")
			}
		}
	}
}

// An array without names has no variable of labels, so the remedy is a file of labels.
func TestLabelsOfAnArrayAloneAreInAFile(t *testing.T) {
	path := npyFile(t, xArray)
	for _, opt := range []OpenOptions{{RequireLabels: true}, {Y: "kind", RequireLabels: true}} {
		_, err := Open(t.Context(), path, opt)
		testkit.ErrorContains(t, err, "labels", opt)
		if strings.Contains(err.Error(), "their variable") {
			t.Errorf("%v: %v", opt, err)
		}
	}
}

// Y of none leaves out the labels of arrays too.
func TestNoLabelColumnMeansNoLabels(t *testing.T) {
	images := writeFile(t, filepath.Join(t.TempDir(), "t-images-idx3"),
		append([]byte{0, 0, 8, 3, 0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0, 2}, make([]byte, 36)...))
	writeFile(t, filepath.Join(filepath.Dir(images), "t-labels-idx1"),
		append([]byte{0, 0, 8, 1, 0, 0, 0, 9}, make([]byte, 9)...))
	for _, spec := range []string{npz(t, xArray, yArray), npz(t, stackOf(4, 2), yArray), images, "digits:train"} {
		if d := open(t, spec, OpenOptions{}); d.Labels == nil {
			t.Errorf("%s has no labels by default", spec)
		}
		if d := open(t, spec, OpenOptions{Y: "none"}); d.Labels != nil || d.Classes != nil {
			t.Errorf("%s: the labels are read", spec)
		}
		err := Blocks(context.Background(), spec, OpenOptions{Y: "none"}, 0, func(d *Data, _ int) error {
			if d.Labels != nil {
				t.Errorf("%s: the labels are read as a stream", spec)
			}
			return io.EOF
		})
		testkit.Equal(t, err, io.EOF, spec)
	}
}
