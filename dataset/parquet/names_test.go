package parquet

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rao/dataset"
	"rao/internal/testkit"
)

// For a misspelled name the error suggests the right one, as for tables.
func TestMisspelledColumnsAreSuggested(t *testing.T) {
	type row struct {
		Age, Height float64
		Kind        string
	}
	path := filepath.Join(t.TempDir(), "t.parquet")
	testkit.NoError(t, os.WriteFile(path, written(t, []row{{1, 2, "a"}, {3, 4, "b"}}), 0o666))
	for _, opt := range []dataset.OpenOptions{
		{LabelColumn: "Kimd"},
		{Table: dataset.TableOptions{Drop: []string{"Kimd"}}},
		{Where: []string{"Kimd=a"}},
	} {
		_, err := dataset.Open(context.Background(), path, opt)
		if want := `no column "Kimd"; did you mean Kind?`; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
