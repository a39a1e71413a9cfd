//go:build unix

// Command manyrows measures the memory of the verbs that read data in blocks. This memory should not grow with the
// number of rows. The program writes increasing numbers of rows, runs the tool on these rows, and prints the peak
// memory of each run.
//
//	go run ./internal/tools/manyrows -rows 1000000,10000000 -dir /some/large/disk
//
// The rows are samples of ten Gaussian classes: 64 columns of float32, in npz files of 100,000 rows. 10 million rows
// need 2.6 GB of disk space, 100 million 26 GB. The files are removed at the end.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"rao/dataset"
	"rao/internal/naming"
)

const (
	columns = 64
	classes = 10
	perFile = 100_000 // few, because the peak memory of a process includes that of its parent
)

func main() {
	rows := flag.String("rows", "1000000,10000000", "numbers of rows, separated by commas")
	dir := flag.String("dir", os.TempDir(), "folder for the rows")
	flag.Parse()
	if err := run(*rows, *dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(list, dir string) error {
	dir, err := os.MkdirTemp(dir, "manyrows-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	tool := filepath.Join(dir, "rao")
	if out, err := exec.Command("go", "build", "-o", tool, "./cmd/rao").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	data := filepath.Join(dir, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		return err
	}
	fmt.Printf("| rows | verb | seconds | rows per second | largest memory, MB |\n|---|---|---|---|---|\n")
	files := 0
	for _, s := range strings.Split(list, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n%perFile != 0 {
			return fmt.Errorf("%q: want a multiple of %d rows", s, perFile)
		}
		for ; files < n/perFile; files++ {
			if err := write(filepath.Join(data, fmt.Sprintf("part-%04d.npz", files)), uint64(files)); err != nil {
				return err
			}
		}
		if err := verbs(tool, dir, data, n); err != nil {
			return err
		}
	}
	return nil
}

func write(path string, seed uint64) error {
	rng := rand.New(rand.NewPCG(7, seed))
	x := make([]float32, perFile*columns)
	labels := make([]int, perFile)
	for i := range labels {
		labels[i] = rng.IntN(classes)
		for j := range columns {
			x[i*columns+j] = float32(rng.NormFloat64()) * float32(1+(labels[i]+j)%classes)
		}
	}
	return dataset.WriteFile(path, &dataset.Data{X: dataset.NewTable(perFile, columns, x), Labels: labels,
		Classes: naming.Classes(nil, classes)})
}

// verbs runs the tool on the rows and prints one line for each verb.
func verbs(tool, dir, data string, n int) error {
	stats, model := filepath.Join(dir, "s.npz"), filepath.Join(dir, "m.rao")
	for _, args := range [][]string{
		{"stats", "--data", data, "--out", stats},
		{"fit", "sqfa", "--stats", stats, "--filters", "8", "--noise", "0.1", "--out", model},
		{"evaluate", "--model", model, "--data", data, "--allow-overlap"},
		{"predict", "--model", model, "--data", data, "--out", filepath.Join(dir, "y.csv")},
		{"transform", "--model", model, "--data", data, "--force", "--out", filepath.Join(dir, "z.npy")},
	} {
		start := time.Now()
		cmd := exec.Command(tool, append(args, "--quiet")...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("rao %s: %w: %s", strings.Join(args, " "), err, out)
		}
		seconds := time.Since(start).Seconds()
		used := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss // KiB on Linux
		verb, _, _ := strings.Cut(strings.Join(args, " "), " --")
		fmt.Printf("| %d | %s | %.1f | %.3g | %d |\n", n, verb, seconds, float64(n)/seconds, used*1024/1e6)
	}
	return nil
}
