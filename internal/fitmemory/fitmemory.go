// Package fitmemory plans the memory of fits: whether rows stay in their files, and how much a search over options
// needs.
package fitmemory

import (
	"context"
	"fmt"
	"os"
	"runtime"

	"rao/dataset"
	"rao/internal/memory"
	"rao/internal/optionvalues"
	"rao/method"
)

// diskGrowth is the largest ratio of the memory of data to the size of their files. A value of one byte can become
// one of eight bytes.
const diskGrowth = 16

// fileBytes returns the size of the files of a source in bytes. It is 0 for sets and folders, whose files may be much
// smaller than the values, and for missing files, which are reported when the data are opened.
func fileBytes(spec string) (sum float64) {
	files, err := dataset.Files(spec)
	if err != nil {
		return 0
	}
	if files == nil {
		files = []string{spec}
	}
	for _, file := range files {
		st, err := os.Stat(file)
		if err != nil || st.IsDir() {
			return 0
		}
		sum += float64(st.Size())
	}
	return sum
}

// LeaveOnDisk opens data for a fit of s that reads rows from their files on demand. It does so if asked is true, or if
// need, the memory in bytes for the data and the fit, exceeds the free memory. Otherwise, or if the method or the
// format does not support it, LeaveOnDisk returns nil and does not call opt.OnReading.
func LeaveOnDisk(ctx context.Context, s method.Spec, files string, asked bool,
	opt dataset.OpenOptions) (disk *dataset.OnDisk, need float64, err error) {
	free := memory.Free()
	large := free > 0 && diskGrowth*fileBytes(files) > free
	medians := opt.Table.Missing == optionvalues.MissingMedian // medians need all data in memory
	if s.OutOfCore() != nil || !asked && (!large || medians) {
		return nil, 0, nil
	}
	var readings []*dataset.Reading
	report := opt.OnReading
	opt.OnReading = func(r *dataset.Reading) { readings = append(readings, r) }
	if disk, err = dataset.OpenOnDisk(ctx, files, opt); disk == nil || err != nil {
		return nil, 0, err
	}
	need = disk.Bytes() + s.Memory(method.InMemory{Data: disk.Data}).Bytes
	if !asked && need <= free {
		return nil, need, nil
	}
	for _, r := range readings {
		if report != nil {
			report(r)
		}
	}
	return disk, need, nil
}

// Tuning estimates the memory of a search over settings of s: the training data of all folds with their statistics, and
// one fit per processor, but at most one per fold.
func Tuning(s method.Spec, d *dataset.Data, folds int) memory.Footprint {
	fit := memory.Footprint(s.Memory(method.InMemory{Data: d}))
	var f memory.Footprint
	for range min(runtime.GOMAXPROCS(0), folds) {
		f = f.Plus(fit)
	}
	f.Add(float64(folds)*valuesOf(d), fmt.Sprintf("the training parts of %d folds", folds), "use fewer folds "+
		"with {cv}, or fewer observations with {where}")
	if d.X != nil && s.Method.Covariances(d) {
		_, dim := d.X.Dims()
		n := float64(dim)
		f.Add(float64(folds)*float64(len(d.Classes))*n*n,
			fmt.Sprintf("the covariances of %d classes in %d columns for each of %d folds", len(d.Classes), dim, folds),
			"use fewer folds with {cv}, or fewer columns with {drop}")
	}
	return f
}

// valuesOf returns the number of float64 values in the data.
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
