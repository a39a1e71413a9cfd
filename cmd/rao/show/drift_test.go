package show_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/dataset"
	"rao/internal/testkit"
	"rao/model"
	"rao/spd"
)

// drifting writes a table of n rows in two classes. Column b is shifted by move, and share is the share of class p.
func drifting(t *testing.T, n int, move, share float64, seed uint64) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	var s strings.Builder
	s.WriteString("a,b,label\n")
	for i := range n {
		k := 1.0
		if float64(i) < share*float64(n) {
			k = -1
		}
		fmt.Fprintf(&s, "%g,%g,%c\n", 5+k*3+rng.NormFloat64(), move+rng.NormFloat64(), 'q'-rune(k+1)/2)
	}
	return testkit.TempFile(t, "d.csv", s.String())
}

// Data like the training data are within the limits. A shifted column, outliers and another balance of the classes are
// found, and the exit status is then 3.
func TestDriftOfVectors(t *testing.T) {
	m := filepath.Join(t.TempDir(), "m.rao")
	tooltest.Succeeds(t, "fit", "qda-raw", "--data", drifting(t, 400, 0, 0.5, 1), "--out",
		m)
	for _, c := range []struct {
		move, share float64
		limit       string
		status      int
		said        string
	}{
		{0, 0.5, "shift=0.2", 0, ""},
		{1, 0.5, "shift=0.5", 3, "b is shifted by"},
		{1, 0.5, "shift=1.5", 0, ""},
		{0, 0.9, "shift=5", 3, "the balance of the classes differs by 0.4"},
		{60, 0.5, "shift=100", 3, "are outliers"},
		{0, 0.5, "shift", 2, "is not NAME=NUMBER"},
		{0, 0.5, "shfit=1", 2, "did you mean shift"},
		{0, 0.5, "shift=-1", 2, "of at least 0"},
	} {
		path := drifting(t, 300, c.move, c.share, 2)
		status, out, said := tooltest.Run(t, "drift", "--model", m, "--data", path, "--limit", c.limit, "--json")
		if status != c.status || !strings.Contains(said, c.said) {
			t.Errorf("%+v: exit status %d, %s%q", c, status, out, said)
		}
		var r struct {
			*model.Drift
			Beyond []string
		}
		if status != 2 {
			if err := json.Unmarshal([]byte(out), &r); err != nil || r.N != 300 || len(r.Values) != 2 ||
				(status == 3) != (len(r.Beyond) > 0) {
				t.Errorf("%v: %s", err, out)
			}
		}
	}
	status, out, _ := tooltest.Run(t, "drift", "--model", m, "--data", drifting(t, 300, 2, 0.5, 2))
	if status != 3 || !strings.Contains(out, "column  shift") || !strings.Contains(out, "class  training  decided") {
		t.Errorf("exit status %d, %s", status, out)
	}
	tooltest.Exits(t, 2, "--model", "drift", "--data", "syn1")
}

// If the power of a channel has grown, the report names the channel.
func TestDriftOfMatrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	write := func(gain float64) string {
		x := spd.NewStack(60, 3)
		d := &dataset.Data{Stack: x, Labels: make([]int, 60), Classes: []string{"l", "r"},
			Vars: map[string]*dataset.Array{"channels": {Shape: []int{3}, Strings: []string{"C3", "Cz", "C4"}}}}
		for k := range x.Count {
			d.Labels[k] = k % 2
			for i := range 3 {
				x.At(k)[4*i] = (1 + float64(k%2)*float64(i)) * (1 + 0.2*rng.Float64())
			}
			x.At(k)[8] *= gain
		}
		path := filepath.Join(t.TempDir(), "x.npz")
		testkit.NoError(t, dataset.WriteFile(path, d))
		return path
	}
	m := filepath.Join(t.TempDir(), "m.rao")
	tooltest.Succeeds(t, "fit", "mdm", "--data", write(1), "--out", m)
	tooltest.Succeeds(t, "drift", "--model", m, "--data", write(1))
	if status, out, said := tooltest.Run(t, "drift", "--model", m, "--data", write(9)); status != 3 ||
		!strings.Contains(said, "C4 is shifted by") || !strings.Contains(out, "channel  shift") {
		t.Errorf("exit status %d, %s%q", status, out, said)
	}
}

// Shares of missing values are compared with the shares in the training data, and unseen texts are counted, for each
// column.
func TestDriftOfTables(t *testing.T) {
	table := func(seed uint64, missing, unseen float64) string {
		rng := rand.New(rand.NewPCG(seed, 2))
		var s strings.Builder
		s.WriteString("size,color,label\n")
		for i := range 500 {
			size, color := fmt.Sprintf("%.3f", rng.NormFloat64()+float64(i%2)), []string{"red", "blue"}[rng.IntN(2)]
			if rng.Float64() < missing {
				size = ""
			}
			switch p := rng.Float64(); {
			case p < unseen:
				color = "mauve"
			case p < unseen+missing:
				color = ""
			}
			fmt.Fprintf(&s, "%s,%s,%c\n", size, color, 'p'+i%2)
		}
		return testkit.TempFile(t, "t.csv", s.String())
	}
	m := filepath.Join(t.TempDir(), "m.rao")
	tooltest.Succeeds(t, "fit", "lda-raw", "--data", table(1, 0.1, 0), "--y", "label", "--categories",
		"auto", "--missing", "mean", "--out", m)
	loaded := testkit.Must(model.Load(m))(t)
	for _, c := range loaded.Input.Table.Columns {
		if c.Missing < 0.06 || c.Missing > 0.14 {
			t.Errorf("column %s: %v of the training are missing", c.Name, c.Missing)
		}
	}
	for _, c := range []struct {
		missing, unseen float64
		status          int
		said            []string
	}{
		{0.1, 0, 0, nil},
		{0.5, 0, 3, []string{"size has no value in", "color has no value in"}},
		{0.1, 0.3, 3, []string{"color has texts that are not in the training data in"}},
	} {
		status, out, said := tooltest.Run(t, "drift", "--model", m, "--data", table(3, c.missing, c.unseen),
			"--y", "none", "--drop", "label", "--json")
		for _, want := range c.said {
			testkit.Contains(t, said, want, c)
		}
		var r struct{ Columns []model.ColumnShare }
		if err := json.Unmarshal([]byte(out), &r); err != nil || len(r.Columns) != 2 || status != c.status {
			t.Fatalf("exit status %d, %v: %s%s", status, err, out, said)
		}
		if got := r.Columns[1].Unseen; got < c.unseen-0.06 || got > c.unseen+0.06 {
			t.Errorf("%v of the texts are unseen, want %v", got, c.unseen)
		}
	}
}
