//go:build unix

package synth

import (
	"path/filepath"
	"testing"

	"rao/internal/testkit"
)

// A pipe among photographs is skipped.
func TestPipesAreNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	testkit.Pipe(t, filepath.Join(dir, "x.png"))
	testkit.Within(t, func() {
		if files, err := listPhotos(dir, false); err == nil {
			t.Errorf("%q", files)
		}
		testkit.Fails(t, testkit.ErrorOf(readPhoto(filepath.Join(dir, "x.png"))), "a pipe is a photograph")
	})
}
