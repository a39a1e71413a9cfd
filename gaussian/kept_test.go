package gaussian

import (
	"context"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"rao/internal/statsarrays"
	"rao/internal/testkit"
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
	testkit.NoError(t, s.walk(context.Background(), func(_ int, cov []float64) error {
		k.Covariances = append(k.Covariances, slices.Clone(cov))
		return nil
	}))
	return k
}

// Statistics files of format 1 are read with the same values as when they were written. The files of testdata/kept are
// never rewritten: a change that breaks them breaks users' files.
func TestKeptStatisticsAreReadTheSame(t *testing.T) {
	const dir = "testdata/kept"
	var kept map[string]keptStatistics
	testkit.ReadJSON(t, filepath.Join(dir, "values.json"), &kept)
	files := testkit.Must(filepath.Glob(dir + "/*.npz"))(t)
	for _, path := range files {
		name := filepath.Base(path)
		src := testkit.Must(OpenSource(path))(t)
		got := keptOf(t, src)
		testkit.NoError(t, src.Close())
		fileform.ValidateFile(t, statsarrays.FileKind, path)
		want, ok := kept[name]
		if !ok || !slices.Equal(got.Classes, want.Classes) || !slices.Equal(got.Columns, want.Columns) ||
			!slices.Equal(got.Counts, want.Counts) || !near(got.Means, want.Means) ||
			!slices.EqualFunc(got.Covariances, want.Covariances, near) || !reflect.DeepEqual(got.Inputs, want.Inputs) {
			t.Errorf("%s holds %+v, held %+v", name, got, want)
		}
	}
	testkit.Equal(t, len(files), len(kept), "files, want")
}

// near reports whether numbers are equal to rounding.
func near(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= 1e-12*max(1, math.Abs(y)) })
}
