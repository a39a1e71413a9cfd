package gaussian

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rao/internal/format/archive"
	"rao/internal/statsarrays"
	"rao/internal/testkit"
)

func TestFileRoundTrip(t *testing.T) {
	x, labels := sample(41, 120, 4, 3, 1)
	want := estimate(t, x, labels)
	want.Classes = []string{"left", "right", "µ"}
	for _, higher := range []bool{true, false} {
		if !higher {
			want.Cubic, want.Quartic = nil, nil
		}
		path := filepath.Join(t.TempDir(), "s.npz")
		testkit.NoError(t, want.WriteFile(path))
		got := testkit.Must(ReadFile(path))(t)
		if digest(got) != digest(want) || !slices.Equal(got.Classes, want.Classes) || got.Dim != 4 {
			t.Errorf("what came back differs: %+v", got)
		}
	}
}

// The two files were written by numpy 1.24 with savez and savez_compressed.
func TestReadsWhatNumpyWrites(t *testing.T) {
	for file, names := range map[string][]string{"plain.npz": {"0", "1"}, "named.npz": {"left", "right"}} {
		s := testkit.Must(ReadFile(filepath.Join("testdata", file)))(t)
		testkit.Close(t, file+" means", s.Means, []float64{1, 2, 3, 4.5}, 0)
		testkit.Close(t, file+" covariances", s.Covariances, []float64{2, .5, .5, 1, 1, 0, 0, 3}, 0)
		if !slices.Equal(s.Counts, []int{5, 7}) || !slices.Equal(s.Classes, names) || s.Quartic != nil {
			t.Errorf("%s: %+v", file, s)
		}
	}
}

func TestFileErrorsNameTheArray(t *testing.T) {
	dir := t.TempDir()
	good := func() map[string]archive.Array {
		return map[string]archive.Array{
			"means":       {Shape: []int{2, 1}, Float64: []float64{1, 2}},
			"covariances": {Shape: []int{2, 1, 1}, Float64: []float64{1, 2}},
			"counts":      {Shape: []int{2}, Int64: []int64{3, 4}},
		}
	}
	cases := map[string]struct {
		name  string
		array archive.Array
		want  string
	}{
		"no means":   {"means", archive.Array{}, `"means" is missing`},
		"flat means": {"means", archive.Array{Shape: []int{2}, Float64: []float64{1, 2}}, "is of shape 2,"},
		"covariances": {"covariances", archive.Array{Shape: []int{2}, Float64: []float64{1, 2}},
			`"covariances" is of shape 2, but must have the shape 2×1×1`},
		"triangles": {"covariances", archive.Array{Shape: []int{2, 2}, Float64: []float64{1, 2, 3, 4}},
			`"covariances" is of shape 2×2, but must have the shape 2×1`},
		"text": {"counts", archive.Array{Shape: []int{2}, Strings: []string{"3", "4"}}, `array "counts" is not ` +
			"numeric"},
		"fraction": {"counts", archive.Array{Shape: []int{2}, Float64: []float64{3, 4.5}}, "count 1 is 4.5; it " +
			"must be a whole number"},
		"names": {"names", archive.Array{Shape: []int{1}, Strings: []string{"a"}},
			"has shape 1; it must have 2 names"},
		"quartic": {"quartic", archive.Array{Shape: []int{2}, Float64: []float64{1, 2}}, `array "cubic" is missing`},
		"variance": {"covariances", archive.Array{Shape: []int{2, 1, 1}, Float64: []float64{1, -2}},
			"class 1: the variance of column 0 is -2"},
	}
	for what, c := range cases {
		arrays := good()
		arrays[c.name] = c.array
		var list []archive.Array
		for _, name := range statsarrays.Names {
			if a, ok := arrays[name]; ok && a.Shape != nil {
				a.Name = name
				list = append(list, a)
			}
		}
		path := filepath.Join(dir, strings.ReplaceAll(what, " ", "")+".npz")
		testkit.NoError(t, archive.Write(path, fileMeta{Kind: statsarrays.FileKind, Classes: 2, Dimension: 1}, list))
		if _, err := ReadFile(path); err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: error %v, want %q", what, err, c.want)
		}
	}
	model := filepath.Join(dir, "model.rao")
	testkit.NoError(t, archive.Write(model, fileMeta{Kind: "model"}, nil))
	var kind *FileKindError
	if _, err := ReadFile(model); !errors.As(err, &kind) || kind.Got != "model" {
		t.Errorf("model: %v", err)
	}
	testkit.Fails(t, testkit.ErrorOf(ReadFile(filepath.Join(dir, "absent"))), "absent file was read")
	bad := New([]string{"a"}, 1)
	bad.Means[0] = 0 / zero
	path := filepath.Join(dir, "bad.npz")
	testkit.ErrorContains(t, bad.WriteFile(path), "mean of column 0 is NaN", "bad statistics")
	bad = New([]string{"a"}, 2)
	bad.Columns = make([]string, 2)
	testkit.ErrorContains(t, bad.WriteFile(path), `columns 0 and 1 (counted from 0) are both named ""; rename one`)
	testkit.Fails(t, testkit.ErrorOf(os.Stat(path)), "a file was left behind")
}

var zero float64

func FuzzReadFile(f *testing.F) {
	for _, file := range []string{"plain.npz", "named.npz"} {
		b := testkit.Must(os.ReadFile(filepath.Join("testdata", file)))(f)
		f.Add(testkit.Reseal(b))
		f.Add(b[:len(b)/2])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		b = testkit.Reseal(b) // or every mutation would end at a digest
		path := testkit.TempFile(t, "f.npz", b)
		if s, err := ReadFile(path); err == nil && s.check() != nil {
			t.Errorf("statistics that do not pass their own check: %v", s.check())
		}
	})
}
