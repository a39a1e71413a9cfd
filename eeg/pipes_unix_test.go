//go:build unix

package eeg

import (
	"os"
	"path/filepath"
	"testing"

	"rao/internal/testkit"
)

// A pipe in place of a recording, or of a file that belongs to a recording, is an error. Opening does not wait for a
// writer.
func TestPipesAreNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	refused := func(name string) {
		t.Helper()
		testkit.Within(t, func() {
			r, err := OpenRecording(filepath.Join(dir, name), RecordingOptions{})
			if err == nil {
				r.Close()
			}
			testkit.ErrorContains(t, err, "a pipe", name)
		})
	}
	for _, name := range []string{"x.edf", "x.bdf", "x.gdf", "x.fif", "x.fif.gz", "x.xdf", "x.set", "x.vhdr", "x.mat",
		"x.npy"} {
		testkit.Pipe(t, filepath.Join(dir, name))
		refused(name)
	}
	header := `Brain Vision Data Exchange Header File Version 1.0
[Common Infos]
DataFile=y.eeg
MarkerFile=y.vmrk
DataFormat=BINARY
DataOrientation=MULTIPLEXED
NumberOfChannels=1
SamplingInterval=4000
[Binary Infos]
BinaryFormat=INT_16
[Channel Infos]
Ch1=Cz,,0.1,µV
`
	testkit.NoError(t, os.WriteFile(filepath.Join(dir, "y.vhdr"), []byte(header), 0o600))
	testkit.Pipe(t, filepath.Join(dir, "y.eeg"))
	refused("y.vhdr")
	testkit.NoError(t, os.Remove(filepath.Join(dir, "y.eeg")))
	testkit.NoError(t, os.WriteFile(filepath.Join(dir, "y.eeg"), make([]byte, 200), 0o600))
	testkit.Pipe(t, filepath.Join(dir, "y.vmrk"))
	refused("y.vhdr")
}
