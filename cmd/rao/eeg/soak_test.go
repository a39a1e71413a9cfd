//go:build linux

package eeg

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"rao/cmd/rao/internal/tooltest"
	"rao/dataset"
	"rao/internal/covstream"
	"rao/internal/eeg/live"
	"rao/internal/testkit"
	"rao/recipe"
	"rao/spd"
)

// These constants describe the signal of the soak test.
const (
	soakChannels = 64
	soakRate     = 1000
)

// soakModel writes a model of two classes of 64 channels and returns its path.
func soakModel(t *testing.T, dir string, r *rand.Rand) string {
	t.Helper()
	stream := testkit.Must(covstream.New(soakChannels, soakRate,
		covstream.Options{Window: 1, Step: 0.1,
			SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: 8, High: 30}}}}))(t)
	const n = 40
	d := &dataset.Data{Stack: spd.NewStack(n, soakChannels), Labels: make([]int, n), Classes: []string{"left", "right"}}
	got := 0
	signal := testkit.Normals(r, soakChannels*soakRate*(n/10+2))
	err := stream.Push(signal, func(cov *mat.SymDense, _ int64) error {
		if got < n {
			d.Stack.Set(got, cov)
			d.Labels[got] = got % 2
			got++
		}
		return nil
	})
	if err != nil || got < n {
		t.Fatal(got, err)
	}
	data, path := filepath.Join(dir, "d.npz"), filepath.Join(dir, "m.rao")
	testkit.NoError(t, dataset.WriteFile(data, d))
	tooltest.Succeeds(t, "fit", "mdm", "--data", data, "--out", path)
	return path
}

// feed writes samples in blocks of 20 ms at the rate of the signal.
func feed(w io.WriteCloser, r *rand.Rand, length time.Duration) error {
	defer w.Close()
	const block = soakRate / 50
	buf := make([]byte, 4*block*soakChannels)
	begin := time.Now()
	for at := time.Duration(0); at < length; at += 20 * time.Millisecond {
		for i := 0; i < len(buf); i += 4 {
			binary.LittleEndian.PutUint32(buf[i:], math.Float32bits(float32(r.NormFloat64())))
		}
		time.Sleep(time.Until(begin.Add(at)))
		if _, err := w.Write(buf); err != nil {
			return err
		}
	}
	return nil
}

// resident returns the memory of a process in bytes.
func resident(t *testing.T, pid int) int64 {
	fields := strings.Fields(testkit.Text(t, fmt.Sprintf("/proc/%d/statm", pid)))
	pages := testkit.Must(strconv.ParseInt(fields[1], 10, 64))(t)
	return pages * int64(os.Getpagesize())
}

// soaked collects the latencies of decisions, and the memory of a process after a quarter of them and at the end.
type soaked struct {
	live.Latencies
	total, early, late int64
}

func (s *soaked) add(t *testing.T, latency time.Duration, pid int) {
	s.Add(latency)
	switch s.N {
	case max(1, s.total/4):
		s.early = resident(t, pid)
	case max(2, s.total-1):
		s.late = resident(t, pid)
	}
}

// check reports errors of the test unless all decisions were made in constant memory and, with RAO_SOAK, 99 % of them
// within limit milliseconds.
func (s *soaked) check(t *testing.T, limit float64) {
	t.Helper()
	t.Logf("%d decisions: median %.3f ms, 99 %% %.3f ms, largest %.3f ms; memory after a quarter %.1f MiB, at the end "+
		"%.1f MiB", s.N, s.Quantile(0.5), s.Quantile(0.99), float64(s.Max)/1e6, float64(s.early)/(1<<20),
		float64(s.late)/(1<<20))
	testkit.Equal(t, s.N, s.total, "decisions")
	if s.late > s.early+s.early/2 {
		t.Errorf("memory grew from %d to %d bytes", s.early, s.late)
	}
	if os.Getenv("RAO_SOAK") != "" && s.Quantile(0.99) > limit {
		t.Errorf("p99 %.3f ms, want at most %g", s.Quantile(0.99), limit)
	}
}

// soakLength returns the duration of a soak test from RAO_SOAK, such as 10m.
func soakLength(t *testing.T) time.Duration {
	t.Helper()
	testkit.SkipShort(t, "some seconds")
	s := os.Getenv("RAO_SOAK")
	if s == "" {
		return 3 * time.Second
	}
	return testkit.Must(time.ParseDuration(s))(t)
}

// A decoder runs in constant memory, sample by sample, and misses no decision. The limit of 2 ms for p99 is checked
// only with RAO_SOAK, on an otherwise idle machine.
func TestSoakOfStream(t *testing.T) {
	length := soakLength(t)
	r := rand.New(rand.NewPCG(64, 1000))
	path := soakModel(t, t.TempDir(), r)
	cmd := exec.Command("rao", "eeg", "stream", "--model", path, "--samples", "--input-format", "f32", "--rate",
		strconv.Itoa(soakRate), "--window", "1", "--step", "0.1", "--bands", "8-30", "--json")
	in := testkit.Must(cmd.StdinPipe())(t)
	out := testkit.Must(cmd.StdoutPipe())(t)
	var said bytes.Buffer
	cmd.Stderr = &said
	testkit.NoError(t, cmd.Start())
	fed := make(chan error, 1)
	go func() { fed <- feed(in, r, length) }()
	d := soaked{total: int64(length/(100*time.Millisecond)) - 9} // windows of 1 s, every 0.1 s
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var line streamLine
		testkit.NoError(t, json.Unmarshal(lines.Bytes(), &line), lines.Text())
		d.add(t, time.Duration(line.LatencyMs*1e6), cmd.Process.Pid)
	}
	testkit.NoError(t, cmd.Wait(), said.String())
	testkit.NoError(t, <-fed)
	d.check(t, 2)
}
