package sets

import (
	_ "embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rao/dataset"
	"rao/eeg"
	"rao/internal/sets"
)

const eegbciURL = "https://physionet.org/files/eegmmidb/1.0.0/"

// eegbciDigests are the SHA-256 digests of the recordings, 32 bytes each, sorted by subject and run. PhysioNet
// publishes them in SHA256SUMS.txt.
//
//go:embed data/eegbci.sha256
var eegbciDigests []byte

const (
	eegbciSubjects = 109
	eegbciRuns     = 14
)

// These are the runs with imagined and with executed movements, in MOABB's order: left and right hand, then both hands
// and both feet.
var (
	eegbciImagined = [2][]int{{4, 8, 12}, {6, 10, 14}}
	eegbciExecuted = [2][]int{{3, 7, 11}, {5, 9, 13}}
)

// eegbci returns the EEG Motor Movement/Imagery Dataset of PhysioNet: 64 channels, one EDF+ file per run. The
// annotation T0 is rest. T1 and T2 are left and right hand, or both hands and both feet, depending on the run.
func eegbci() *known {
	s := &known{rate: 160, stop: 3, classes: []string{"left_hand", "right_hand", "feet", "hands"}, open: openEEGBCI,
		name: nameEEGBCI, paradigm: imagery}
	s.Info = dataset.Set{Name: "eegbci", PartOptional: true, Kind: "download",
		Description: "EEG of movements and imagined movements, 109 subjects, 64 channels (PhysioNet EEGMMIDB, " +
			"MOABB's PhysionetMI); eegbci:1 to eegbci:109 pick a subject",
		License: "ODC-BY 1.0, Schalk et al. 2004", Obtain: eegbciURL}
	s.Subjects = eegbciSubjects
	s.Usual = slices.Sorted(slices.Values(slices.Concat(eegbciImagined[:]...)))
	for run := 1; run <= eegbciRuns; run++ {
		s.Runs = append(s.Runs, run)
	}
	s.Files = eegbciFiles
	return s
}

func eegbciFiles() (files []sets.File) {
	for subject := 1; subject <= eegbciSubjects; subject++ {
		for run := 1; run <= eegbciRuns; run++ {
			name := fmt.Sprintf("S%03d/S%03dR%02d.edf", subject, subject, run)
			at := 32 * ((subject-1)*eegbciRuns + run - 1)
			files = append(files, sets.File{Name: name, URL: []string{eegbciURL + name}, Subject: subject, Run: run,
				SHA256: hex.EncodeToString(eegbciDigests[at : at+32])})
		}
	}
	return files
}

// nameEEGBCI numbers runs from 0, as MOABB does: single hands first, and imagined before executed movements. A run of
// rest is named after its file.
func nameEEGBCI(runs []int) map[int]string {
	var order []int
	for k := range 2 {
		for _, kind := range [][2][]int{eegbciImagined, eegbciExecuted} {
			if slices.ContainsFunc(runs, func(r int) bool { return slices.Contains(slices.Concat(kind[:]...), r) }) {
				order = append(order, kind[k]...)
			}
		}
	}
	names := map[int]string{1: "R01", 2: "R02"}
	for i, run := range order {
		names[run] = strconv.Itoa(i)
	}
	return names
}

// openEEGBCI opens a run. Channels and classes have the same names as in MNE and MOABB.
func openEEGBCI(path string, f sets.File) ([]*eeg.Recording, error) {
	r, err := eeg.OpenRecording(path, eeg.RecordingOptions{})
	if err != nil {
		return nil, err
	}
	r.Types = slices.Repeat([]string{"eeg"}, len(r.Channels))
	for i, name := range r.Channels {
		r.Channels[i] = standardName(name)
	}
	words := map[string]string{"T0": "rest", "T1": "left_hand", "T2": "right_hand"}
	if f.Run%4 == 1 || f.Run%4 == 2 {
		words["T1"], words["T2"] = "hands", "feet"
	}
	for i := range r.Events {
		if word, ok := words[r.Events[i].Label]; ok {
			r.Events[i].Label = word
		}
	}
	r.Subject, r.Session = strconv.Itoa(f.Subject), "0"
	return []*eeg.Recording{r}, nil
}

// standardName returns the standard name of an electrode for spellings such as Fc5., FCZ. or fp1.
func standardName(name string) string {
	name = strings.ToUpper(strings.Trim(name, "."))
	if strings.HasSuffix(name, "Z") {
		name = name[:len(name)-1] + "z"
	}
	if strings.HasPrefix(name, "FP") {
		name = "Fp" + name[2:]
	}
	return name
}
