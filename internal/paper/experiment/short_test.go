package experiment

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"rao/internal/linalg/cpu"
	"rao/internal/testkit"
)

var update = flag.Bool("update", false, "write the golden files of the short runs")

// golden is the result of a short run: its tables without times. On the kernel and platform of the recorded run, every
// cell must be equal. Other kernels round differently, so a fit may end in another optimum, and some of the few dozen
// test observations of a short run may be classified differently. There the comparison only detects large errors. A
// number may differ by goldenSlack of the larger number, and by at least goldenStep. p-values are left out.
type golden struct {
	Kernel   string   `json:"kernel"`
	Platform string   `json:"platform"`
	Tables   []*Table `json:"tables"`
}

const goldenSlack, goldenStep = 0.25, 0.02

// Every experiment with available data runs in its short form and writes its declared results. Experiments without
// external data have the numbers of their golden file.
func TestShort(t *testing.T) {
	if os.Getenv("RAO_CACHE") == "" {
		t.Setenv("RAO_CACHE", t.TempDir())
	}
	t.Setenv(photographsVariable, "")
	for _, e := range List() {
		if e.NotRun != "" {
			continue
		}
		t.Run(e.ID, func(t *testing.T) {
			if m := e.Missing(); len(m) > 0 && !e.standIn {
				t.Skipf("needs the data set %s", m[0])
			}
			if testing.Short() && e.ID != "sqfa-fig2" {
				t.Skip("long")
			}
			res := testkit.Must(e.Run(context.Background(), Run{Short: true, Seed: 1}))(t)
			checkFiles(t, res)
			if len(e.Needs) == 0 || e.standIn {
				res.checkGolden(t)
			}
		})
	}
}

func (r *Result) checkGolden(t *testing.T) {
	t.Helper()
	path := filepath.Join("testdata", "short", r.ID+".json")
	got := golden{r.Kernel, runtime.GOOS + "/" + runtime.GOARCH, r.Tables}
	if *update {
		for _, table := range got.Tables {
			for _, row := range table.Rows {
				for _, c := range table.Timed {
					row[c] = "time"
				}
			}
		}
		b := testkit.Must(json.MarshalIndent(got, "", " "))(t)
		testkit.NoError(t, os.WriteFile(path, append(b, '\n'), 0o644))
		return
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%s has no golden file: go test ./internal/paper/experiment -run Short/%s -update", r.ID, r.ID)
	}
	testkit.NoError(t, err)
	var want golden
	testkit.NoError(t, json.Unmarshal(b, &want))
	exact := got.Kernel == want.Kernel && got.Platform == want.Platform
	testkit.Equal(t, difference(got.Tables, want.Tables, exact), "", r.ID, "beside", path, "kernel", got.Kernel, "here",
		want.Kernel, "there")
}

// difference describes the first difference between tables, "" when there is none.
func difference(got, want []*Table, exact bool) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d tables, want %d", len(got), len(want))
	}
	for k, g := range got {
		w := want[k]
		if g.Name != w.Name || g.Caption != w.Caption || fmt.Sprint(g.Header) != fmt.Sprint(w.Header) ||
			len(g.Rows) != len(w.Rows) {
			return fmt.Sprintf("table %s has another caption, heading or number of rows", g.Name)
		}
		for i, row := range g.Rows {
			for _, c := range g.Timed {
				row[c] = w.Rows[i][c]
			}
			for j, cell := range row {
				if !exact && (g.Name == "p" || strings.HasPrefix(g.Header[j], "p ")) {
					continue // a decision that changes sides moves a p-value by much
				}
				if other := w.Rows[i][j]; cell != other && (exact || !near(cell, other)) {
					return fmt.Sprintf("table %s, row %q, %s: %s, want %s", g.Name, row[0], g.Header[j], cell, other)
				}
			}
		}
	}
	return ""
}

// near reports whether cells begin with numbers that are close.
func near(a, b string) bool {
	x, okx := leadingNumber(a)
	y, oky := leadingNumber(b)
	return okx && oky && math.Abs(x-y) <= math.Max(goldenStep, goldenSlack*math.Max(math.Abs(x), math.Abs(y)))
}

func TestDifference(t *testing.T) {
	table := func(cell string) []*Table {
		return []*Table{{Name: "a", Header: []string{"k", "v"}, Rows: [][]string{{"x", cell}}}}
	}
	for _, c := range []struct {
		got, want string
		exact, ok bool
	}{
		{"97.5", "97.5", true, true}, {"97.5", "97.4", true, false}, {"97.5", "97.4", false, true},
		{"97.5 ± 1", "60.1 ± 2", false, false}, {"first", "second", false, false},
	} {
		if d := difference(table(c.got), table(c.want), c.exact); (d == "") != c.ok {
			t.Errorf("%s beside %s, exact %v: %q", c.got, c.want, c.exact, d)
		}
	}
}

// checkFiles writes the result and looks for all its files.
func checkFiles(t *testing.T, res *Result) {
	t.Helper()
	dir := t.TempDir()
	testkit.NoError(t, res.Write(dir))
	names := []string{"index.html", res.ID + ".json"}
	for _, table := range res.Tables {
		names = append(names, table.Name+".csv")
	}
	for _, f := range res.figures {
		names = append(names, f.name+".svg", f.name+".pdf", f.name+".png")
	}
	for _, n := range names {
		if st, err := os.Stat(filepath.Join(dir, res.ID, n)); err != nil || st.Size() == 0 {
			t.Errorf("%s is missing or empty", n)
		}
	}
	path := filepath.Join(dir, res.ID, res.ID+".json")
	back := testkit.Must(decode(testkit.Must(os.ReadFile(path))(t), path))(t)
	var a, b bytes.Buffer
	testkit.NoError(t, res.writeJSON(&a))
	testkit.NoError(t, back.writeJSON(&b))
	testkit.Equal(t, a.String(), b.String(), "the result differs after it was read back")
}

// The kernel of a result is the one that ran.
func TestResultNamesItsKernel(t *testing.T) {
	e := List()[0]
	testkit.Equal(t, e.begin(Run{}, timeZero).Kernel, cpu.Use().String(), "kernel")
}
