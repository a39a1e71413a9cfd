package sets

import (
	"fmt"
	"strconv"

	"rao/dataset"
	"rao/eeg"
	"rao/internal/optionvalues"
	"rao/internal/sets"
)

const kalungaURL = "https://zenodo.org/record/2392979/files/"

// kalungaRuns is the number of recordings of each subject.
var kalungaRuns = []int{2, 2, 2, 2, 2, 2, 3, 2, 2, 4, 2, 5}

// kalungaCodes maps the codes of the stimulus channel to MOABB's names of the classes.
var kalungaCodes = map[int]string{1: "rest", 2: "13", 3: "21", 4: "17"}

// kalunga returns the set of recordings of people who look at a light that flickers at 13, 17 or 21 Hz, or at no light.
// Each recording is a FIF file.
func kalunga() *known {
	s := &known{rate: 256, start: 2, stop: 4, classes: []string{"13", "17", "21", "rest"}, open: openKalunga,
		paradigm: ssvep(13, 17, 21)}
	s.Info = dataset.Set{Name: "kalunga2016", PartOptional: true, Kind: "download",
		Description: "EEG of lights that flicker at 13, 17 and 21 Hz (SSVEP), 12 subjects, 8 channels; " +
			"kalunga2016:1 to kalunga2016:12 pick a subject",
		License: "CC BY 4.0, Kalunga et al. 2016", Obtain: kalungaURL}
	s.Subjects = len(kalungaRuns)
	s.Files = kalungaFiles
	for run := 1; run <= 5; run++ {
		s.Runs = append(s.Runs, run)
	}
	s.name = func(runs []int) map[int]string {
		names := map[int]string{}
		for _, run := range runs {
			names[run] = strconv.Itoa(run - 1)
		}
		return names
	}
	return s
}

func kalungaFiles() (files []sets.File) {
	for subject, runs := range kalungaRuns {
		for run := 1; run <= runs; run++ {
			name := fmt.Sprintf("subject%02d_run%d_raw.fif", subject+1, run)
			files = append(files, sets.File{Name: name, URL: []string{kalungaURL + name}, Subject: subject + 1,
				Run: run})
		}
	}
	return files
}

// openKalunga opens a run and labels its events with MOABB's names.
func openKalunga(path string, f sets.File) ([]*eeg.Recording, error) {
	r, err := eeg.OpenRecording(path, eeg.RecordingOptions{Kinds: []string{optionvalues.AllKinds}})
	if err != nil {
		return nil, err
	}
	found := false
	for i := range r.Events {
		if name, ok := kalungaCodes[r.Events[i].Code]; ok {
			r.Events[i].Label, found = name, true
		}
	}
	if !found {
		r.Close()
		return nil, fmt.Errorf("%s: no event has a code of the set (1 to 4); download the file again", path)
	}
	r.Subject, r.Session = strconv.Itoa(f.Subject), "0"
	return []*eeg.Recording{r}, nil
}
