package learn

import (
	"context"

	"rao"
	"rao/cmd/rao/internal/app"
	"rao/internal/fitmemory"
	"rao/internal/memory"
	"rao/method"
)

// fromDisk returns a source that leaves the data in their files if asked is true or if the data do not fit in memory.
// Otherwise it returns nil.
func fromDisk(ctx context.Context, a *app.App, data *app.DataFlags, spec method.Spec,
	asked bool) (method.TrainingData, error) {
	if asked && data.Spec == "-" {
		return nil,
			app.Usagef("--out-of-core reads the data several times, but standard input can be read only once: give " +
				"a file")
	}
	if err := spec.OutOfCore(); asked && err != nil {
		return nil, &app.UsageError{Msg: "--out-of-core: " + app.Message(err)}
	}
	if data.Spec == "" || data.Spec == "-" {
		return nil, nil
	}
	opt, err := data.Options()
	if err != nil {
		return nil, err
	}
	opt.OnReading = a.NoteReading
	disk, need, err := fitmemory.LeaveOnDisk(ctx, spec, data.Spec, asked, opt)
	switch {
	case err != nil:
		return nil, err
	case disk == nil && asked:
		return nil, app.Usagef("--out-of-core: %s cannot be streamed; convert it to npy, csv or parquet first",
			data.Spec)
	case disk == nil:
		return nil, nil
	case !asked:
		a.Note("in memory, the data and the fit would need about %s, but only %s is free: the data stay in their "+
			"files (as with --out-of-core), and the model learns from their statistics (--refine and ama also read "+
			"random batches of rows)",
			memory.Size(need), memory.Size(memory.Free()))
	}
	if err := checkMemory(spec, method.OnDisk{Data: disk}); err != nil {
		return nil, err
	}
	show, done := a.Progress("rao fit " + spec.Method.Name)
	defer done()
	rows, _ := disk.Data.X.Dims()
	return spec.FromDisk(ctx, disk, func(n int) {
		show.Send(rao.Event{Stage: "statistics", Done: n, Total: rows})
	})
}
