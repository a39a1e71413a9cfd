package gaussian

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"rao/internal/statsarrays"
	"rao/internal/testkit/fileform"
)

// keptStatistics are the numbers of a kept file.
type keptStatistics struct {
	Classes, Columns []string
	Counts           []int
	Means            []float64
	Covariances      [][]float64
	Inputs           *Inputs
}

func keptOf(t *testing.T, s *Source) keptStatistics {
	t.Helper()
	k := keptStatistics{Classes: s.Classes, Columns: s.Columns, Counts: s.Counts, Means: s.Means, Inputs: s.Inputs}
	err := s.walk(context.Background(), func(_ int, cov []float64) error {
		k.Covariances = append(k.Covariances, slices.Clone(cov))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// Statistics of format 1 hold what they held when they were written. The files of testdata/kept are never
// written again: a change that breaks them breaks the files of users.
func TestKeptStatisticsAreReadTheSame(t *testing.T) {
	const dir = "testdata/kept"
	b, err := os.ReadFile(filepath.Join(dir, "values.json"))
	if err != nil {
		t.Fatal(err)
	}
	var kept map[string]keptStatistics
	if err := json.Unmarshal(b, &kept); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(dir + "/*.npz")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		name := filepath.Base(path)
		src, err := OpenSource(path)
		if err != nil {
			t.Fatal(err)
		}
		got := keptOf(t, src)
		if err := src.Close(); err != nil {
			t.Fatal(err)
		}
		fileform.ValidateFile(t, statsarrays.FileKind, path)
		want, ok := kept[name]
		if !ok || !slices.Equal(got.Classes, want.Classes) || !slices.Equal(got.Columns, want.Columns) ||
			!slices.Equal(got.Counts, want.Counts) || !near(got.Means, want.Means) ||
			!slices.EqualFunc(got.Covariances, want.Covariances, near) || !reflect.DeepEqual(got.Inputs, want.Inputs) {
			t.Errorf("%s holds %+v, held %+v", name, got, want)
		}
	}
	if len(files) != len(kept) {
		t.Errorf("%d files, want %d", len(files), len(kept))
	}
}

// near reports whether numbers are equal to rounding.
func near(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= 1e-12*max(1, math.Abs(y)) })
}
