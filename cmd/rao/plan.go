package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"

	"rao/dataset"
	"rao/gaussian"
	"rao/method"
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
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
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

// need is an estimate of what a job takes at least, in bytes, and what makes it so.
type need struct {
	bytes  float64
	why    string
	remedy string
}

// statisticsNeed is what the statistics of classes take.
func statisticsNeed(classes, dim int) need {
	return need{8 * float64(classes) * float64(dim) * float64(dim),
		fmt.Sprintf("the covariances of %s in %d columns", plural(classes, "class", "classes"), dim),
		"take fewer columns (--drop, or rao transform by a model of fewer features), or fewer classes"}
}

// fitNeed is what the fit of a method takes at least, beyond the data.
func fitNeed(m *method.Method, d *dataset.Data, stats *gaussian.Statistics) need {
	switch {
	case stats != nil:
		return statisticsNeed(stats.NumClasses(), stats.Dim)
	case d.X != nil && !m.Covariances(d):
		return need{}
	case d.X != nil:
		_, dim := d.X.Dims()
		return statisticsNeed(len(d.Classes), dim)
	case d.Stack == nil:
		return need{}
	}
	n, count := float64(d.Stack.Dim), float64(d.Stack.Count)
	tangent := n * (n + 1) / 2
	n2 := need{bytes: 2 * 8 * count * n * n, why: fmt.Sprintf("%d matrices of order %d", d.Stack.Count, d.Stack.Dim),
		remedy: "take fewer channels, or --reduce (rao fit METHOD --help)"}
	if m.Name == "tslda" {
		n2.bytes += 8 * tangent * tangent
		n2.why = fmt.Sprintf("the covariance of %.0f tangent coordinates of matrices of order %d", tangent, d.Stack.Dim)
	}
	return n2
}

// refuse returns an error in one line if more is needed than there is.
func (n need) refuse(what string) error {
	free := memoryFree()
	if free == 0 || n.bytes <= free {
		return nil
	}
	return fmt.Errorf("%s would take at least %s for %s, and %s are free; %s", what, gibibytes(n.bytes), n.why, gibibytes(free), n.remedy)
}

func gibibytes(b float64) string {
	if b < 1<<30 {
		return fmt.Sprintf("%.0f MiB", b/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", b/(1<<30))
}
