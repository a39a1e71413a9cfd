package gaussian

import (
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
)

// Statistics from a file in single precision are still marked after every operation and in files of double precision.
func TestSinglePrecisionIsNotForgotten(t *testing.T) {
	x, labels := sample(3, 400, 4, 3, 1)
	full := estimate(t, x, labels)
	full.Columns = []string{"a", "b", "c", "d"}
	src := stored(t, full, true)
	single := testkit.Must(src.Load(background))(t)
	path := filepath.Join(t.TempDir(), "double.npz")
	testkit.NoError(t, single.WriteFile(path))
	again := testkit.Must(ReadFile(path))(t)
	f := mat.NewDense(4, 2, []float64{1, 0, 0, 1, 1, 1, 0, 2})
	made := map[string]func() (*Statistics, error){
		"read":     func() (*Statistics, error) { return ReadFile(src.path) },
		"written":  func() (*Statistics, error) { return again, nil },
		"triangle": func() (*Statistics, error) { return stored(t, again, false).Load(background) },
		"source":   func() (*Statistics, error) { return single.Source().Load(background) },
		"copy":     func() (*Statistics, error) { return single.Clone(), nil },
		"shrunk": func() (*Statistics, error) {
			s, _, err := single.Shrink(ShrinkRule{Kind: "oas"})
			return s, err
		},
		"scaled":   func() (*Statistics, error) { return single.Affine(nil, []float64{2}), nil },
		"features": func() (*Statistics, error) { return single.Project(f), nil },
		"features of a source": func() (*Statistics, error) {
			return src.Affine(nil, []float64{2}).Project(background, f)
		},
		"reordered": func() (*Statistics, error) { return single.MatchColumns([]string{"d", "b", "c", "a"}) },
		"merged": func() (*Statistics, error) {
			return MergeInOrder(2, func(i int) (*Statistics, error) { return []*Statistics{full, single}[i], nil },
				"rows", "counts")
		},
		"subtracted": func() (*Statistics, error) { return Subtract(full, single) },
	}
	for name, do := range made {
		if s, err := do(); err != nil || !s.Single {
			t.Errorf("%s: not marked as single precision, error %v", name, err)
		}
	}
	if s, err := stored(t, full, false).Load(background); err != nil || s.Single || full.Single {
		t.Errorf("double precision is marked as single, error %v", err)
	}
}
