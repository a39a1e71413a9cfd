package bench

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"rao/dataset"
	"rao/internal/usage"
	"rao/method"
	"rao/model"
)

// onDisk returns fits on one, ten and 100 million rows that stay in their file. The memory should not grow with the
// number of rows.
func onDisk(ctx context.Context, dir string) []*spec {
	var all []*spec
	for _, rows := range []int{1_000_000, 10_000_000, 100_000_000} {
		for _, c := range []diskCase{
			{"AMA", rows, method.Settings{{Name: "refine", Value: "true"}}},
			{"a mixture", rows, method.Settings{{Name: "refine", Value: "true"}, {Name: "classifier", Value: "mixture"},
				{Name: "subclasses", Value: "4"}}},
		} {
			all = append(all, c.spec(ctx, dir))
		}
	}
	return all
}

// diskCase is a fit that is refined on batches of the rows of a file. rows is the number of rows in the file.
type diskCase struct {
	what string
	rows int
	set  method.Settings
}

// The files have rows of bytes in diskColumns columns. The rows are in diskClasses classes, which differ in their means
// and variances.
const diskColumns, diskClasses = 64, 10

func (c diskCase) spec(ctx context.Context, dir string) *spec {
	name := fmt.Sprintf("SQFA refined out of core by %s: %d million rows, %d columns", c.what, c.rows/1_000_000,
		diskColumns)
	return &spec{name: name, threads: 2, long: true, once: func() (run func() error, remarks func() ([]string, error)) {
		path, labels := filepath.Join(dir, "rows.npy"), filepath.Join(dir, "labels.npy")
		must(writeRows(path, labels, c.rows))
		var m *model.Model
		var seconds [2]float64
		var peak float64
		run = func() error {
			usage.ResetPeak()
			began := usage.Processor()
			disk, err := dataset.OpenOnDisk(ctx, path, dataset.OpenOptions{Labels: labels})
			if err != nil {
				return err
			}
			sqfa, err := method.Lookup("sqfa")
			if err != nil {
				return err
			}
			set := append(method.Settings{{Name: "filters", Value: "6"}, {Name: "noise", Value: "0.5"}}, c.set...)
			spec, err := sqfa.With(set)
			if err != nil {
				return err
			}
			src, err := spec.FromDisk(ctx, disk, nil)
			if err != nil {
				return err
			}
			seconds[0] = usage.Processor() - began
			m, err = spec.Fit(ctx, src, nil)
			seconds[1], peak = usage.Processor()-began-seconds[0], usage.Peak()
			return err
		}
		remarks = func() ([]string, error) {
			return []string{fmt.Sprintf("%.1f processor seconds for the statistics, %.1f for the fit in %d passes "+
				"and %d steps, %.2f GB of memory at most", seconds[0], seconds[1], m.Report.Passes, m.Report.Iterations,
				peak/1e9)}, nil
		}
		return run, remarks
	}}
}

// writeRows writes rows of bytes and their labels as arrays.
func writeRows(path, labels string, rows int) error {
	rng := rand.New(rand.NewPCG(1, 64))
	var low, mask [diskClasses][diskColumns]byte
	for k := range low {
		for j := range low[k] {
			low[k][j], mask[k][j] = byte(rng.IntN(64)), byte(15|rng.IntN(8)<<4)
		}
	}
	y, err := newBytes(labels, strconv.Itoa(rows)+",")
	if err != nil {
		return err
	}
	x, err := newBytes(path, fmt.Sprintf("%d, %d", rows, diskColumns))
	if err != nil {
		return errors.Join(err, y.close())
	}
	var row [diskColumns]byte
	for range rows {
		k := rng.IntN(diskClasses)
		for j := 0; j < diskColumns; j += 8 {
			binary.LittleEndian.PutUint64(row[j:], rng.Uint64())
		}
		for j, v := range row {
			row[j] = low[k][j] + v&mask[k][j]
		}
		x.Write(row[:])
		y.WriteByte(byte(k))
	}
	return errors.Join(x.close(), y.close())
}

// bytesFile is an npy file of bytes that is being written.
type bytesFile struct {
	*bufio.Writer
	f *os.File
}

// newBytes creates an npy file of bytes. shape is in the syntax of npy headers.
func newBytes(path, shape string) (*bytesFile, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	b := &bytesFile{bufio.NewWriterSize(f, 1<<20), f}
	fmt.Fprintf(b, "\x93NUMPY\x01\x00\x76\x00%-117s\n",
		"{'descr': '|u1', 'fortran_order': False, 'shape': ("+shape+"), }")
	return b, nil
}

func (b *bytesFile) close() error { return errors.Join(b.Flush(), b.f.Close()) }
