package dataset

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"rao/internal/format/archive"
	"rao/internal/format/npy"
	"rao/internal/indices"
	"rao/internal/provenance"
	"rao/spd"
)

// WriteFile writes d, atomically, to an npz file that numpy can load and [Open] can read. The file contains X (N×n, or
// N×d×d for matrices, N×rows×columns×channels for images) and, if there are labels, y with the class names as text, or
// as integers if all of them are integers. It also contains the other variables of d, its recipe as JSON, and a
// provenance.File. WriteFile returns an error if d has no observations or the file cannot be written.
func WriteFile(path string, d *Data) error {
	arrays, err := arraysOf(d)
	if err != nil {
		return err
	}
	return archive.WriteFile(path, func(w io.Writer) error {
		z := zip.NewWriter(w)
		if err := z.SetComment(npy.FileComment); err != nil {
			return err
		}
		e := entries{z, map[string]string{}}
		for i := range arrays {
			if err := e.write(&arrays[i]); err != nil {
				return err
			}
		}
		if err := e.finish(d.From); err != nil {
			return err
		}
		return z.Close()
	})
}

func arraysOf(d *Data) ([]Array, error) {
	var x Array
	switch {
	case d.Stack != nil:
		x = stackArray(d.Stack)
	case d.X != nil:
		x = Array{Shape: []int{d.X.rows, d.X.cols}, Float64: d.X.f64, Float32: d.X.singles()}
		// Written with channels, so it is not read as a stack of matrices.
		if s := d.Image; s[0] > 0 && s[0]*s[1]*s[2] == d.X.cols {
			x.Shape = []int{d.X.rows, s[0], s[1], s[2]}
		}
	default:
		return nil, fmt.Errorf("%s: the data have no observations to write", d.Source)
	}
	x.Name = "X"
	arrays := []Array{x}
	for _, name := range slices.Sorted(maps.Keys(d.Vars)) {
		v := *d.Vars[name]
		if v.Name = name; name != "X" && name != "y" && name != recipeVar && name != provenance.Variable {
			arrays = append(arrays, v)
		}
	}
	if d.Recipe != nil {
		text, err := json.Marshal(d.Recipe)
		if err != nil {
			return nil, err
		}
		arrays = append(arrays, Array{Name: recipeVar, Shape: []int{1}, Strings: []string{string(text)}})
	}
	if d.Labels == nil {
		return arrays, nil
	}
	y := Array{Name: "y", Shape: []int{len(d.Labels)}}
	if numbers, ok := wholeNumbers(d.Classes); ok {
		y.Int64 = indices.Pick(numbers, d.Labels)
	} else {
		y.Strings = indices.Pick(d.Classes, d.Labels)
	}
	return append(arrays, y), nil
}

func stackArray(s *spd.Stack) Array {
	return Array{Shape: []int{s.Count, s.Dim, s.Dim}, Float64: s.Contiguous()}
}

// wholeNumbers returns the names as numbers if each is an integer in its usual form.
func wholeNumbers(names []string) ([]int64, bool) {
	out := make([]int64, len(names))
	for i, s := range names {
		if n, err := fmt.Sscan(s, &out[i]); n != 1 || err != nil || fmt.Sprint(out[i]) != s {
			return nil, false
		}
	}
	return out, true
}
