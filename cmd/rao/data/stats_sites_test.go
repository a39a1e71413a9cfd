package data_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/cmd/rao/internal/tooltest"
	"rao/dataset"
	"rao/gaussian"
	"rao/internal/testkit"
	"rao/model"
)

// Sites with shared rows are rejected by name, with the share. Without the shared rows, the merge gives the model of
// all rows. With a confirmation, shared rows count twice.
func TestSitesWithCommonRows(t *testing.T) {
	for _, name := range []string{"digits", "toy1"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			all := name
			if name != "digits" { // which rao has
				all = tooltest.Generated(t, dir, name, 300, 1)
			}
			d := testkit.Must(dataset.Open(context.Background(), all, dataset.OpenOptions{}))(t)
			at := func(name string) string { return filepath.Join(dir, name) }
			n := d.N()
			// b is unlike a: its rows come backward. shared has a third of a's rows.
			for site, rows := range map[string][2]int{"a": {0, n / 2}, "b": {n - 1, n/2 - 1}, "shared": {n / 3, n}} {
				testkit.NoError(t, dataset.WriteFile(at(site+"-rows.npz"), d.Subset(between(rows[0], rows[1]))))
				tooltest.Succeeds(t, "stats", "--data", at(site+"-rows.npz"), "--out", at(site+".npz"))
			}
			merge := []string{"stats", "merge", at("a.npz"), at("shared.npz"), "--out", at("twice.npz")}
			for _, want := range []string{"a.npz and ", "shared.npz have about ", "which would count twice"} {
				tooltest.Exits(t, 1, want, merge...)
			}

			tooltest.Succeeds(t, "stats", "merge", at("a.npz"), at("b.npz"), "--out", at("merged.npz"))
			sameStatistics(t, statisticsOf(t, at("merged.npz")), directly(t, d, between(0, n)))
			fit := []string{"fit", "sqfa", "--filters", "2", "--noise", "0.5"}
			tooltest.Succeeds(t, append(fit, "--stats", at("merged.npz"), "--out", at("merged.rao"))...)
			tooltest.Succeeds(t, append(fit, "--data", all, "--out", at("direct.rao"))...)
			sameFilters(t, at("merged.rao"), at("direct.rao"))

			tooltest.Succeeds(t, append(merge, "--allow-overlap")...)
			both := append(between(0, n/2), between(n/3, n)...)
			sameStatistics(t, statisticsOf(t, at("twice.npz")), directly(t, d, both))
		})
	}
}

// A warning names the columns whose units seem to differ between sites, and a file of each unit. Columns are matched by
// name. Moderate differences and constant columns are not named.
func TestUnitsOfSites(t *testing.T) {
	at := testkit.Folder(t)
	site := func(name, header string, scale ...float64) {
		var b strings.Builder
		b.WriteString(header + ",class\n")
		for i := range 40 {
			for j, s := range scale {
				fmt.Fprintf(&b, "%g,", s*math.Sin(float64(len(name)*100+7*i+j)))
			}
			fmt.Fprintf(&b, "%c\n", 'x'+rune(i%2))
		}
		testkit.NoError(t, os.WriteFile(at(name+".csv"), []byte(b.String()), 0o644))
		for _, kind := range []string{"full", "pooled", "diagonal"} {
			tooltest.Succeeds(t, "stats", "--data", at(name+".csv"), "--kind", kind, "--out", at(name+kind+".npz"))
		}
	}
	site("a", "mass,length,flat", 1, 10, 0)
	site("bb", "length,flat,mass", 10, 1, 2000)
	site("ccc", "mass,length,flat", 900, 9000, 5)
	merge := func(kind string, names ...string) string {
		line := []string{"stats", "merge", "--out", at("m.npz")}
		for _, name := range names {
			line = append(line, at(name+kind+".npz"))
		}
		return tooltest.Succeeds(t, line...)
	}
	for _, kind := range []string{"full", "pooled", "diagonal"} {
		said := merge(kind, "a", "bb", "ccc")
		testkit.Contains(t, said, "the standard deviations of column mass differ by more than a factor of 1000: "+
			"mass has 0.7", kind)
		testkit.Contains(t, said, " in "+at("a"+kind+".npz")+" and 1.")
		testkit.Contains(t, said, " in "+at("bb"+kind+".npz")+"; check whether the files use the same units")
		if said := merge(kind, "a", "ccc"); strings.Contains(said, "units") {
			t.Errorf("%s, a factor of 900: %s", kind, said)
		}
	}
}

// between returns the integers from lo on, before hi, downward where hi is less.
func between(lo, hi int) (list []int) {
	for ; lo < hi; lo++ {
		list = append(list, lo)
	}
	for ; lo > hi; lo-- {
		list = append(list, lo)
	}
	return list
}

// directly returns the statistics of rows, in one pass.
func directly(t *testing.T, d *dataset.Data, rows []int) *gaussian.Statistics {
	t.Helper()
	d = d.Subset(rows)
	return testkit.Must(gaussian.Estimate(d.X, d.Labels, d.Classes))(t)
}

func statisticsOf(t *testing.T, path string) *gaussian.Statistics {
	t.Helper()
	return testkit.Must(gaussian.ReadFile(path))(t)
}

// sameStatistics compares counts, and means and covariances to rounding.
func sameStatistics(t *testing.T, got, want *gaussian.Statistics) {
	t.Helper()
	if !slices.Equal(got.Classes, want.Classes) || !slices.Equal(got.Counts, want.Counts) {
		t.Fatalf("classes %q of %v rows, want %q of %v", got.Classes, got.Counts, want.Classes, want.Counts)
	}
	for what, pair := range map[string][2][]float64{"means": {got.Means, want.Means},
		"covariances": {got.Covariances, want.Covariances}} {
		largest := slices.Max(pair[1])
		for i, v := range pair[1] {
			testkit.Near(t, pair[0][i], v, 1e-12*largest, what, "differ: value", i)
		}
	}
}

// sameFilters compares the filters of two models, and the objectives they reached.
func sameFilters(t *testing.T, got, want string) {
	t.Helper()
	var m [2]*model.Model
	for i, path := range []string{got, want} {
		m[i] = testkit.Must(model.Load(path))(t)
	}
	if a, b := m[0].Report.Objective, m[1].Report.Objective; math.Abs(a-b) > 1e-9*math.Abs(b) {
		t.Errorf("objective %v, want %v", a, b)
	}
	if !mat.EqualApprox(m[0].Filters(), m[1].Filters(), 1e-5) {
		t.Errorf("filters\n%v\nwant\n%v", mat.Formatted(m[0].Filters()), mat.Formatted(m[1].Filters()))
	}
}
