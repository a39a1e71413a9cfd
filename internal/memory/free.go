// Package memory plans the memory of jobs: how much a job needs, how much is free, and whether the job fits.
package memory

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"rao"
)

// Free returns the number of bytes that this process may still allocate: the smallest limit that the machine, its
// control groups and GOMEMLIMIT report. RAO_MEMORY, in MiB, overrides it. A result of 0 means unknown.
func Free() float64 {
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

// meminfo returns the value, in KiB, of a line of /proc/meminfo.
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

// ownGroup returns the folder of this process's control group, or "" if there is none.
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
	return v, err == nil // "max" is not a number
}

// Check returns an error if the job needs more memory than is free. Otherwise, it sets the garbage collector to limit
// the process to the free memory. If the free memory is unknown, it does nothing.
func Check(job string, f Footprint) error {
	free := Free()
	if free == 0 {
		return nil
	}
	if f.Bytes > free {
		return rao.Optionf("", "%s would need about %s, most of it for %s, but only %s is free; "+f.Remedy,
			job, Size(f.Bytes), f.What, Size(free))
	}
	keepWithin(free)
	return nil
}

// keepWithin makes the collector run more often as the process approaches the free memory, so garbage alone never
// exceeds this limit. It does nothing if GOMEMLIMIT or RAO_MEMORY is set.
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

// Size formats a number of bytes for a reader.
func Size(bytes float64) string {
	if bytes < 1<<30 {
		return fmt.Sprintf("%.0f MiB", bytes/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", bytes/(1<<30))
}
