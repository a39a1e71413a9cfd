package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"rao/dataset"
	"rao/gaussian"
	"rao/method"
	"rao/model"
)

// memoryFree returns the bytes that this process may still take, as far as the system
// says: of the machine, of its control groups, and of GOMEMLIMIT. RAO_MEMORY, in MiB,
// replaces what the system says. 0 means that nothing is known.
func memoryFree() float64 {
	if mib, err := strconv.ParseFloat(os.Getenv("RAO_MEMORY"), 64); err == nil && mib > 0 {
		return mib * (1 << 20)
	}
	free := math.Inf(1)
	if kib, ok := meminfo("MemAvailable:"); ok {
		free = kib * 1024
	}
	for dir := ownGroup(); dir != ""; dir = parentGroup(dir) {
		most, ok1 := groupNumber(dir, "memory.max")
		used, ok2 := groupNumber(dir, "memory.current")
		if ok1 && ok2 {
			free = min(free, max(most-used, 1))
		}
	}
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 && os.Getenv("GOMEMLIMIT") != "" {
		free = min(free, float64(limit))
	}
	if math.IsInf(free, 1) {
		return 0
	}
	return free
}

// meminfo returns a line of /proc/meminfo in KiB.
func meminfo(name string) (float64, bool) {
	b, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == name {
			v, err := strconv.ParseFloat(f[1], 64)
			return v, err == nil
		}
	}
	return 0, false
}

const groupRoot = "/sys/fs/cgroup"

// ownGroup is the folder of the control group of this process, "" where there is none.
func ownGroup() string {
	b, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(b)) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			return filepath.Join(groupRoot, path)
		}
	}
	return ""
}

func parentGroup(dir string) string {
	if dir == groupRoot || !strings.HasPrefix(dir, groupRoot) {
		return ""
	}
	return filepath.Dir(dir)
}

func groupNumber(dir, name string) (float64, bool) {
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return 0, false
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(string(b)), 64)
	return v, err == nil // "max" is no number
}

// statisticsMemory is what rao stats takes: the sums of the classes, whose rows wait for
// full blocks.
func statisticsMemory(classes, dim int) method.Footprint {
	f := method.StatisticsMemory(classes, dim)
	f.Bytes += 4 * float64(min(1024*classes*dim, 1<<25))
	return f
}

// tuningMemory is what a search takes: the training parts of the folds with their
// statistics, and a fit on each processor.
func tuningMemory(m *method.Method, d *dataset.Data, set method.Settings, folds int) method.Footprint {
	fit := m.Memory(method.Source{Data: d}, set)
	var f method.Footprint
	for range min(runtime.GOMAXPROCS(0), folds) {
		f = f.Plus(fit)
	}
	f.Add(float64(folds)*valuesOf(d), fmt.Sprintf("the training parts of %d folds", folds), "take fewer folds "+
		"(--cv), or fewer observations (--where)")
	if d.X != nil && m.Covariances(d) {
		_, dim := d.X.Dims()
		n := float64(dim)
		f.Add(float64(folds)*float64(len(d.Classes))*n*n,
			fmt.Sprintf("the covariances of %d classes in %d columns for each of %d folds", len(d.Classes), dim, folds),
			"take fewer folds (--cv), or fewer columns (--drop)")
	}
	return f
}

// valuesOf is the size of the data in values of float64.
func valuesOf(d *dataset.Data) float64 {
	if d.Stack != nil {
		return float64(len(d.Stack.Data))
	}
	if d.X == nil {
		return 0
	}
	rows, cols := d.X.Dims()
	return float64(rows) * float64(cols)
}

// distanceMemory is what the distances of all pairs take, with the copies that a metric
// makes of the matrices.
func distanceMemory(count, order int) method.Footprint {
	var f method.Footprint
	n, k := float64(order), float64(count)
	f.Add(k*k, fmt.Sprintf("the distances of %d matrices", count), "take fewer (--where)")
	f.Add(3*k*n*n, fmt.Sprintf("%d matrices of order %d", count, order), "take fewer (--where)")
	return f
}

// meanMemory is what a mean of matrices takes. A median holds their logarithms, other kinds
// their powers, seen parts or diagonalized forms.
func meanMemory(count, order int, kind string) method.Footprint {
	var f method.Footprint
	n, k := float64(order), float64(count)
	switch kind {
	case "median":
		f.Add(2*k*n*n, fmt.Sprintf("the logarithms of %d matrices of order %d", count, order), "take fewer (--where)")
	case "power", "masked":
		f.Add(k*n*n, fmt.Sprintf("%d matrices of order %d", count, order), "take fewer (--where)")
	case "joint":
		f.Add(4*k*n*n, fmt.Sprintf("%d matrices of order %d", count, order), "take fewer (--where)")
	}
	f.Add(16*n*n, fmt.Sprintf("matrices of order %d", order), "take fewer channels")
	return f
}

// clusterMemory is what sorting matrices into groups takes.
func clusterMemory(count, order, groups int, kernel bool) method.Footprint {
	var f method.Footprint
	n, k, g := float64(order), float64(count), float64(groups)
	const remedy = "take fewer (--where)"
	if kernel {
		f.Add(k*k, fmt.Sprintf("the kernel of %d matrices", count), remedy+", or --algorithm kmeans")
		f.Add(2*k*n*n, fmt.Sprintf("%d matrices of order %d", count, order), remedy)
	} else {
		f.Add(k*n*n, fmt.Sprintf("%d matrices of order %d", count, order), remedy)
	}
	f.Add(2*k*g, fmt.Sprintf("the distances of %d matrices to %d groups", count, groups), "take fewer groups")
	return f
}

// decisionMemory is what predictions, scores and features of data take beyond them.
func decisionMemory(m *model.Model, d *dataset.Data) method.Footprint {
	var f method.Footprint
	n, values := float64(d.N()), valuesOf(d)
	const remedy = "take fewer observations at a time (--where)"
	if d.Stack != nil && model.StageOf[*model.Adaptation](m) != nil {
		f.Add(2*values, fmt.Sprintf("%d matrices as adapted", d.N()), remedy)
	}
	f.Add(n*float64(len(m.Classes)), fmt.Sprintf("the probabilities of %d classes", len(m.Classes)), remedy)
	if out, err := m.Output(); err == nil && d.Stack != nil {
		f.Add(n*float64(out.Dim)*float64(out.Dim), fmt.Sprintf("what becomes of %d matrices", d.N()), remedy)
	}
	return f
}

// planned checks what a model takes for each part of data before fn has it.
func planned(what string, m *model.Model, fn func(d *dataset.Data, total int) error) func(*dataset.Data, int) error {
	return func(d *dataset.Data, total int) error {
		if err := fits(what, decisionMemory(m, d)); err != nil {
			return err
		}
		return fn(d, total)
	}
}

// classDistanceMemory is the same for the classes of statistics: matrices for each pair.
func classDistanceMemory(classes, dim int) method.Footprint {
	f := method.StatisticsMemory(classes, dim)
	n := float64(dim)
	f.Add(3*n*n*float64(gaussian.NumPairs(classes)), fmt.Sprintf("the pairs of %d classes in %d columns", classes, dim),
		"take fewer columns (rao transform by a model of fewer features)")
	return f
}

// fits returns an error in one line if a job would take more than there is. From then on
// the collector of garbage keeps the program within what there is.
func fits(what string, f method.Footprint) error {
	free := memoryFree()
	if free == 0 {
		return nil
	}
	if f.Bytes > free {
		return fmt.Errorf("%s would take about %s, most of it for %s, and %s are free; %s",
			what, gibibytes(f.Bytes), f.What, gibibytes(free), f.Remedy)
	}
	keepWithin(free)
	return nil
}

// keepWithin makes the collector work harder as the program comes near to what is free, so
// that garbage alone is never too much. GOMEMLIMIT overrides it.
func keepWithin(free float64) {
	if os.Getenv("GOMEMLIMIT") != "" || os.Getenv("RAO_MEMORY") != "" {
		return
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if limit := float64(m.Sys-m.HeapReleased) + 0.9*free; limit < math.MaxInt64 {
		debug.SetMemoryLimit(int64(limit))
	}
}

func gibibytes(b float64) string {
	if b < 1<<30 {
		return fmt.Sprintf("%.0f MiB", b/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", b/(1<<30))
}
