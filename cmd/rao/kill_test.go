//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rao/cmd/rao/internal/tooltest"
	"rao/gaussian"
	"rao/internal/filecheck"
	"rao/internal/testkit"
	"rao/model"
)

// A process that is killed at any moment leaves either the old file or the complete new one, and the next write removes
// its temporary files. RAO_KILLS sets the number of killed processes.
func TestKilledWritesLeaveWholeFiles(t *testing.T) {
	testkit.SkipShort(t, "some seconds")
	kills := 12
	if s := os.Getenv("RAO_KILLS"); s != "" {
		kills = testkit.Must(strconv.Atoi(s))(t)
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "out.npz")
	write := func() *exec.Cmd {
		return exec.Command("rao", "data", "make", "syn1", "--per-class", "3000", "--out", out)
	}
	testkit.Output(t, write())
	r := rand.New(rand.NewPCG(9, 9))
	left, killed := 0, 0
	for range kills {
		before, _ := filepath.Glob(filepath.Join(dir, ".rao-*"))
		cmd := write()
		testkit.NoError(t, cmd.Start())
		awaitWrite(dir, before)
		time.Sleep(time.Duration(r.Int64N(int64(8 * time.Millisecond))))
		if cmd.Process.Kill() == nil {
			killed++
		}
		_ = cmd.Wait()
		if v := filecheck.File(context.Background(), out); !v.OK || !strings.Contains(v.What, "12000 matrices") {
			t.Fatalf("after a kill: %+v", v)
		}
		list := testkit.Must(filepath.Glob(filepath.Join(dir, ".rao-*")))(t)
		left += len(list)
		if len(list) > 1 {
			t.Errorf("%d files were left: a write does not remove what the one before it left", len(list))
		}
	}
	testkit.Output(t, write())
	if list, _ := filepath.Glob(filepath.Join(dir, ".rao-*")); len(list) > 0 {
		t.Errorf("%q are still there after a whole write", list)
	}
	t.Logf("%d processes killed, %d of them in the midst of a write", killed, left)
}

// If the process of a release is killed, the ledger can still be read and contains every charge, and no file exists for
// a release that was not charged.
func TestKilledReleasesAreCharged(t *testing.T) {
	testkit.SkipShort(t, "some seconds")
	dir := t.TempDir()
	ledger := filepath.Join(dir, "l.json")
	release := func(out string) *exec.Cmd {
		return exec.Command("rao", "stats", "--data", "digits:train", "--private", "0.1,1e-6", "--range", "0,16",
			"--classes", "0-9", "--ledger", ledger, "--budget", "16,1e-6", "--out", filepath.Join(dir, out))
	}
	charged := func() int {
		var l struct{ Releases []any }
		b, err := os.ReadFile(ledger)
		if os.IsNotExist(err) {
			return 0
		}
		if err == nil {
			err = json.Unmarshal(b, &l)
		}
		testkit.NoError(t, err, "after a kill")
		return len(l.Releases)
	}
	begin := time.Now()
	testkit.Output(t, release("first.npz"))
	took := time.Since(begin)
	r, released, locked := rand.New(rand.NewPCG(3, 9)), 1, 0
	for i := range 12 {
		before, name := charged(), fmt.Sprint(i, ".npz")
		cmd := release(name)
		testkit.NoError(t, cmd.Start())
		time.Sleep(time.Duration(r.Int64N(int64(took))))
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			released++
		}
		if n := charged(); n < before || n < released {
			t.Errorf("kill %d: %d charges after %d, and %d files", i, n, before, released)
		}
		if os.Remove(ledger+".lock") == nil {
			locked++
		}
	}
	if b, err := release("last.npz").CombinedOutput(); err != nil || charged() < released+1 {
		t.Errorf("the ledger cannot be used any more: %v, %s", err, b)
	}
	t.Logf("%d files and %d charges after 12 kills; %d times the lock was left", released, charged(), locked)
}

// awaitWrite waits up to 10 s until a new temporary file contains some bytes.
func awaitWrite(dir string, before []string) {
	for begin := time.Now(); time.Since(begin) < 10*time.Second; time.Sleep(200 * time.Microsecond) {
		list, _ := filepath.Glob(filepath.Join(dir, ".rao-*"))
		for _, name := range list {
			if st, err := os.Stat(name); err == nil && st.Size() > 0 && !slices.Contains(before, name) {
				return
			}
		}
	}
}

// Every flipped bit of a model or statistics file is detected or changes nothing. RAO_FLIPS is the number of flips to
// try in each file.
func TestFlippedBitsAreNoticed(t *testing.T) {
	flips := 150
	if testing.Short() {
		flips = 40
	}
	if s := os.Getenv("RAO_FLIPS"); s != "" {
		flips = testkit.Must(strconv.Atoi(s))(t)
	}
	dir := t.TempDir()
	train := tooltest.Generated(t, dir, "toy1", 30, 1)
	r := rand.New(rand.NewPCG(3, 3))
	for _, line := range [][]string{{"fit", "lda", "--data", train, "--filters", "2", "--out",
		filepath.Join(dir, "m.rao")},
		{"stats", "--data", train, "--out", filepath.Join(dir, "s.npz")}} {
		path := line[len(line)-1]
		tooltest.Succeeds(t, line...)
		good := content(t, path)
		whole := testkit.Must(os.ReadFile(path))(t)
		noticed := 0
		for range flips {
			bad := bytes.Clone(whole)
			at := r.IntN(len(bad))
			bad[at] ^= 1 << r.IntN(8)
			testkit.NoError(t, os.WriteFile(path, bad, 0o644))
			if v := filecheck.File(context.Background(), path); !v.OK || strings.HasPrefix(v.Kind, "data") {
				noticed++
			} else if !bytes.Equal(content(t, path), good) {
				t.Errorf("a bit of byte %d changes what is read without a word", at)
			}
		}
		t.Logf("%s: %d flips, %d noticed; the others are in names and dates of the zip container that nobody reads",
			filepath.Base(path), flips, noticed)
	}
}

// content returns the content of a model or statistics file, encoded again.
func content(t *testing.T, path string) []byte {
	t.Helper()
	var b bytes.Buffer
	if m, err := model.Load(path); err == nil {
		testkit.NoError(t, m.Write(&b))
		return b.Bytes()
	}
	s := testkit.Must(gaussian.ReadFile(path))(t)
	fmt.Fprint(&b, *s)
	return b.Bytes()
}
