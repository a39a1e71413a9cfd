package learn

import (
	"context"

	"rao"
	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/internal/memory"
	"rao/method"
)

// growth is how many times the size of their files data may take in memory at most: a value
// of a byte becomes one of eight.
const growth = 16

// fromDisk returns the statistics of data that stay in their files, because that was asked
// for or since they do not fit into memory; the source is nil otherwise.
func fromDisk(ctx context.Context, a *app.App, data *app.DataFlags, spec method.Spec,
	asked bool) (src method.Source, err error) {
	if asked && data.Spec == "-" {
		return src,
			app.Usagef("--out-of-core reads the data several times, and standard input is read once: give a file")
	}
	possible := spec.OutOfCore()
	if asked && possible != nil {
		return src, &app.UsageError{Msg: "--out-of-core: " + possible.Error()}
	}
	if possible != nil || data.Spec == "" || data.Spec == "-" || !asked && !large(data.Spec) {
		return src, nil
	}
	disk, told, err := look(ctx, a, data)
	if disk == nil || err != nil {
		if asked && err == nil {
			err = app.Usagef("--out-of-core: %s cannot be read as it goes; write it as npy, csv or parquet first",
				data.Spec)
		}
		return src, err
	}
	need := disk.Bytes() + spec.Memory(method.InMemory{Data: disk.Data}).Bytes
	free := memory.Free()
	if !asked && need <= free {
		return src, nil
	}
	for _, r := range told {
		a.NoteReading(r)
	}
	if !asked {
		a.Note("held in memory, the data and the fit would take about %s, and %s are free: the data stay in their "+
			"files (as with --out-of-core), and what is learned comes from their statistics and from random batches",
			memory.Size(need), memory.Size(free))
	}
	if err := memory.Check("fit "+spec.Method.Name, spec.Memory(method.OnDisk{Data: disk})); err != nil {
		return src, err
	}
	show, done := a.Progress("rao fit " + spec.Method.Name)
	defer done()
	rows, _ := disk.Data.X.Dims()
	return spec.FromDisk(ctx, disk, func(n int) {
		show.Send(rao.Event{Stage: "statistics", Done: n, Total: rows})
	})
}

// large reports whether the files of data are so large that these may not fit into memory.
func large(spec string) bool {
	free := memory.Free()
	bytes, err := dataset.FileBytes(spec)
	return err == nil && free > 0 && growth*bytes > free // errors are for those who open the data
}

// look passes over the labels of the data, and returns what would be said of them.
func look(ctx context.Context, a *app.App, data *app.DataFlags) (*dataset.OnDisk, []*dataset.Reading, error) {
	opt, err := data.Options()
	if err != nil {
		return nil, nil, err
	}
	var told []*dataset.Reading
	opt.OnReading = func(r *dataset.Reading) { told = append(told, r) }
	if opt.Table.Missing.Fills() {
		return nil, nil, nil // typical values of columns are found in data that are held
	}
	disk, err := dataset.OpenOnDisk(ctx, data.Spec, opt)
	return disk, told, err
}
