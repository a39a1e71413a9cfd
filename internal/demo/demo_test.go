package demo

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"rao/internal/study"
	"rao/internal/testkit"
)

// The demo writes its page, figures and model, and prints three tables without failures.
func TestDemo(t *testing.T) {
	testkit.SkipShort(t, "some seconds")
	dir := t.TempDir()
	shown := 0
	r := testkit.Must(Run(context.Background(), Options{Folder: dir, Footer: "demo", Say: func(string) {},
		Show: func(r *study.Rows) {
			shown++
			for _, row := range r.Rows {
				if row.Error != "" || row.Accuracy < 0.5 && row.Method != "pixels, knn" {
					t.Errorf("%s: accuracy %v, %s", row.Method, row.Accuracy, row.Error)
				}
			}
		}}))(t)
	if shown != 3 || r.Report != filepath.Join(dir, "index.html") || r.Digits.Best().Accuracy < 0.95 {
		t.Errorf("%d tables, report %s, digits %v", shown, r.Report, r.Digits.Best())
	}
	testkit.Equal(t, len(testkit.Must(r.WriteResults(dir))(t)), 3)
	for _, n := range []string{"index.html", "matrices.rao", "textures.json", "digits.rao",
		"filters.svg", "filters.png", "accuracy.svg", "toy.png",
		"prototypes.svg", "confusion.png", "convergence.svg", "textures.svg"} {
		if st, err := os.Stat(filepath.Join(dir, n)); err != nil || st.Size() == 0 {
			t.Errorf("%s is missing or empty", n)
		}
	}
}

func TestDemoEndsWhenInterrupted(t *testing.T) {
	d := &run{Options: Options{Folder: t.TempDir(), Say: func(string) {}, Show: func(*study.Rows) {}}}
	for name, part := range map[string]func(context.Context) error{"digits": d.digits, "matrices": d.matrices,
		"textures": d.textures} {
		testkit.ErrorIs(t, part(testkit.Canceled()), context.Canceled, name)
	}
}
