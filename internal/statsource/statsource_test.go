package statsource

import (
	"path/filepath"
	"testing"

	"rao/gaussian"
	"rao/internal/testkit"
	"rao/method"
)

func TestOpen(t *testing.T) {
	m := testkit.Must(method.Lookup("sqfa"))(t)
	path := filepath.Join(t.TempDir(), "stats.npz")
	s := gaussian.New([]string{"a", "b"}, 2)
	copy(s.Counts, []int{5, 5})
	copy(s.Covariances, []float64{1, 0, 0, 1, 1, 0, 0, 1})
	testkit.NoError(t, s.WriteFile(path))
	src, guarantee, err := Open(m, path)
	stored, ok := src.(method.Stored)
	if err != nil || guarantee != nil || !ok || stored.Source.Dim != 2 {
		t.Fatalf("%T %v %v", src, guarantee, err)
	}
	stored.Source.Close()
	if _, _, err := Open(m, path+"x"); err == nil {
		t.Error("a file that is not there was opened")
	}
}
