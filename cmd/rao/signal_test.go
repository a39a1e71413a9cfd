//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/testkit"

	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/spd"
)

// slowData writes vectors, matrices and vectors as text that keep every command busy for at least a few seconds.
func slowData(t *testing.T, dir string) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	const n, cols, count, order, classes = 6000, 120, 4000, 14, 6
	values := make([]float64, n*cols)
	labels := make([]int, n)
	for i := range values {
		values[i] = r.NormFloat64()
	}
	names := make([]string, classes)
	for i := range names {
		names[i] = fmt.Sprint("c", i)
	}
	for i := range labels {
		labels[i] = i % classes
	}
	x := spd.NewStack(count, order)
	for k := range count {
		m := x.At(k)
		v := make([]float64, order)
		for i := range order {
			m[i*order+i] = 1 + r.Float64()
			v[i] = r.NormFloat64()
		}
		for i := range order {
			for j := range order {
				m[i*order+j] += v[i] * v[j]
			}
		}
	}
	for _, err := range []error{
		dataset.WriteFile(filepath.Join(dir, "v.npz"),
			&dataset.Data{X: dataset.NewTable(n, cols, values), Labels: labels, Classes: names}),
		dataset.WriteFile(filepath.Join(dir, "m.npz"), &dataset.Data{Stack: x, Labels: labels[:count], Classes: names}),
		writeText(filepath.Join(dir, "v.csv"), values, labels, cols),
	} {
		testkit.NoError(t, err)
	}
}

// writeText writes the values as text, many times over.
func writeText(path string, values []float64, labels []int, cols int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	b := bufio.NewWriter(f)
	var line []byte
	for range 40 {
		for i := range min(len(labels), 1000) {
			line = line[:0]
			for j := range cols {
				line = fmt.Appendf(line, "%d,", int(1e4*values[i*cols+j]))
			}
			if _, err := b.Write(fmt.Appendf(line, "c%d\n", labels[i])); err != nil {
				return err
			}
		}
	}
	return b.Flush()
}

// Every long command reacts to Ctrl-C and SIGTERM at once: the old file is unchanged, no temporary files remain, and
// the exit status is the signal's.
func TestSignalsEndEveryLoop(t *testing.T) {
	testkit.SkipShort(t, "some seconds")
	dir := t.TempDir()
	slowData(t, dir)
	old := []byte{}
	for i, c := range []struct {
		line string
		wait time.Duration // until it is in the midst of its work
	}{
		{"fit svm-spd --data m.npz --out out", 250 * time.Millisecond},
		{"tune knn-spd --data m.npz --cv 20 --out out", 250 * time.Millisecond},
		{"fit fa --em --data v.npz --filters 30 --max-iter 100000 --tol 1e-14 --out out", time.Second},
		{"fit wda --data v.npz --out out", 250 * time.Millisecond},
		{"fit lmnn --data v.npz --out out", 250 * time.Millisecond},
		{"fit nca --data v.npz --out out", 250 * time.Millisecond},
		{"fit plrsq --data m.npz --epochs 1000 --out out", 250 * time.Millisecond},
		{"tune svm-spd --data m.npz --out out", 250 * time.Millisecond},
		{"compare --data v.npz --test v.npz --methods wda,lmnn --html out", 250 * time.Millisecond},
		{"stats --data v.csv --out out", 200 * time.Millisecond},
		{"spd distance --data m.npz --metric riemann --out out", 250 * time.Millisecond},
	} {
		sig, want := syscall.SIGINT, 130
		if i%2 == 1 {
			sig, want = syscall.SIGTERM, 143
		}
		out := filepath.Join(dir, "out")
		var before os.FileInfo
		ready := func() error {
			err := os.WriteFile(out, old, 0o644)
			if err == nil {
				before, err = os.Stat(out)
			}
			return err
		}
		took, said, err := strike(t, dir, c.line, ready, c.wait, sig)
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != want {
			t.Errorf("%s: %v after %v, want exit status %d; it said %q", c.line, err, took, want, said)
			continue
		}
		t.Logf("%4d ms: %s", took.Milliseconds(), c.line)
		if took > 10*time.Second { // 0.3 s on a machine that does nothing else
			t.Errorf("%s: heard after %v", c.line, took)
		}
		testkit.Contains(t, said, "interrupted", c.line, "said")
		if after, err := os.Stat(out); err != nil || !os.SameFile(before, after) || after.Size() != int64(len(old)) {
			t.Errorf("%s: the old file was touched", c.line)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, ".rao-*")); len(left) > 0 {
			t.Errorf("%s: left %q", c.line, left)
		}
	}
}

// strike calls ready, runs the tool, and sends it the signal after wait. If the run ended before the signal, strike
// tries again with half the wait, and if the tool did not yet handle signals, with three times the wait.
func strike(t *testing.T, dir, line string, ready func() error, wait time.Duration,
	sig os.Signal) (time.Duration, string, error) {
	t.Helper()
	for left := 12; ; left-- {
		testkit.NoError(t, ready())
		cmd := exec.Command("rao", strings.Fields(line)...)
		cmd.Dir = dir
		var said bytes.Buffer
		cmd.Stderr = &said
		testkit.NoError(t, cmd.Start())
		time.Sleep(wait)
		sent := time.Now()
		cmd.Process.Signal(sig) // an error means that it has ended: Wait says how
		err := cmd.Wait()
		var exit *exec.ExitError
		switch deaf := errors.As(err, &exit) && !exit.Exited(); {
		case left > 0 && deaf:
			wait *= 3
		case left > 0 && err == nil:
			wait /= 2
		default:
			return time.Since(sent), said.String(), err
		}
	}
}

// On a busy machine, a signal may arrive before the command has started. It is not reported as a usage error.
func TestSignalBeforeTheVerb(t *testing.T) {
	for sig, want := range map[os.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(&app.Interruption{Signal: sig})
		var said bytes.Buffer
		a := &app.App{Err: &said}
		if status := a.Status(ctx, app.ErrAbandoned); status != want || said.String() != "rao: interrupted\n" {
			t.Errorf("exit status %d, %q", status, said.String())
		}
	}
}

// With --keep-partial the best model so far is written, and it can be loaded.
func TestKeepPartial(t *testing.T) {
	testkit.SkipShort(t, "some seconds")
	dir := t.TempDir()
	slowData(t, dir)
	for wait := time.Second; ; wait *= 2 {
		cmd := exec.Command("rao",
			strings.Fields("fit plrsq --data m.npz --epochs 20000 --out out --keep-partial --json")...)
		cmd.Dir = dir
		var printed, said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &printed, &said
		testkit.NoError(t, cmd.Start())
		time.Sleep(wait)
		testkit.NoError(t, cmd.Process.Signal(os.Interrupt))
		err := cmd.Wait()
		if err == nil && strings.Contains(printed.String(), `"status":"canceled"`) {
			break
		}
		if wait > 10*time.Second { // before, a slow machine had no model yet
			t.Fatalf("%v: %s%s", err, printed.String(), said.String())
		}
	}
	tooltest.Succeeds(t, "evaluate", "--model", filepath.Join(dir, "out"), "--data",
		filepath.Join(dir, "m.npz"))
}
