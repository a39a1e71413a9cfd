package eeg

import (
	"fmt"

	"rao/internal/format/matfile"
)

// OpenRuns reads all runs of a MAT-file of the BNCI database. The file has a cell array of structs, or a single struct,
// named data. Each struct has the signals X, the first samples of trials, their labels y, the rate fs and the classes.
// If there are no first samples, y has a label for every sample, 0 outside trials. OpenRuns returns one recording in
// memory per run, in the order of the file. If the file has no channel names, opt.Channels names all columns. It
// returns an error if the file is damaged or has another layout, or the options do not fit a run.
func OpenRuns(path string, opt RecordingOptions) ([]*Recording, error) {
	f, err := matfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := f.Lookup("data")
	if data == nil || data.Class != "cell" && data.Class != "struct" {
		return nil, fmt.Errorf("%s: the file has no cell array of runs, so it is not from the BNCI database; give a "+
			"file of this database", path)
	}
	cells, err := f.At("data")
	if err != nil {
		return nil, err
	}
	items := cells.Items
	if cells.Class == "struct" {
		items = []*matfile.Value{cells}
	}
	m := &matRecording{f: f, opt: opt}
	var runs []*Recording
	for k, cell := range items {
		name := fmt.Sprintf("data{%d}", k+1)
		r, err := m.cell(name, cell)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, name, err)
		}
		r.Source = path
		if err := r.open(opt); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		runs = append(runs, r)
	}
	return runs, nil
}

func (m *matRecording) cell(name string, v *matfile.Value) (*Recording, error) {
	if v == nil || v.Class != "struct" {
		return nil, fmt.Errorf("the run is not a struct of signals and trials; download the file again")
	}
	r, err := inStruct(name, v, "X")
	if err != nil {
		return nil, err
	}
	return m.recording(r)
}
