package sets

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rao/dataset"
	"rao/eeg"
	"rao/internal/eeg/format/bci"
	"rao/internal/eeg/format/signal"
	"rao/internal/sets"
)

// The current and the former addresses of the BNCI Horizon 2020 database.
const (
	bnciURL   = "https://lampx.tugraz.at/~bci/database/"
	bnciOlder = "https://bnci-horizon-2020.eu/database/data-sets/"
)

// bnciSet describes a set of the database: MAT-files of runs with trials and labels.
type bnciSet struct {
	number, about, license string                   // number is, for example, 001-2014
	file                   string                   // file name, formatted with subject and letter of a session
	letters                func(subject int) string // letters of the files of a subject; nil: one file per subject
	channels               []string                 // names of all columns, EOG last; nil if the files have names
	eog                    int
	classes                []string // names of the labels 1, 2, ...
	subjects               int
	rate, start, stop      float64
	// name returns the names of the session and the run for the k-th run with trials. letter is the letter of the file.
	name     func(letter byte, k int) (session, run string)
	paradigm paradigm
	factor   float64 // factor by which the values in the files are too large; 0 means 1
}

// trainTest returns the letters of the two files of a subject, for training and evaluation.
func trainTest(int) string { return "TE" }

// bnciSets lists sets of imagined movements and of spellers.
func bnciSets() []bnciSet {
	return []bnciSet{
		{number: "001-2014", file: "A%02d%c.mat", letters: trainTest, license: "CC BY-ND 4.0, Tangermann et al. 2012",
			about: "EEG of four imagined movements, 9 subjects, 22 channels, two sessions (BCI competition IV 2a)",
			channels: strings.Fields("Fz FC3 FC1 FCz FC2 FC4 C5 C3 C1 Cz C2 C4 C6 CP3 CP1 CPz CP2 CP4 P1 Pz P2 POz " +
				"EOG1 EOG2 EOG3"), eog: 3,
			classes:  []string{"left_hand", "right_hand", "feet", "tongue"},
			subjects: 9, rate: 250, start: 2, stop: 6,
			name: func(letter byte, k int) (string, string) {
				return map[byte]string{'T': "0train", 'E': "1test"}[letter], strconv.Itoa(k)
			}},
		{number: "002-2014", file: "S%02d%c.mat", letters: trainTest, license: "CC BY-ND 4.0, Steyrl et al. 2016",
			about:    "EEG of two imagined movements, 14 subjects, 15 channels with unknown positions, eight runs",
			channels: numbered("EEG", 15), classes: []string{"right_hand", "feet"},
			subjects: 14, rate: 512, start: 3, stop: 8,
			name: func(letter byte, k int) (string, string) {
				if letter == 'E' { // numbered after the five training runs
					return "0", strconv.Itoa(k+5) + "test"
				}
				return "0", strconv.Itoa(k) + "train"
			}},
		{number: "004-2014", file: "B%02d%c.mat", letters: trainTest, license: "CC BY-ND 4.0, Leeb et al. 2007",
			about: "EEG of imagined movements of either hand, 9 subjects, 3 channels, five sessions " +
				"(BCI competition IV 2b)",
			channels: strings.Fields("C3 Cz C4 EOG1 EOG2 EOG3"), eog: 3, classes: []string{"left_hand", "right_hand"},
			subjects: 9, rate: 250, start: 3, stop: 7.5,
			name: func(letter byte, k int) (string, string) {
				if letter == 'E' { // numbered after the two training sessions
					return strconv.Itoa(k+2) + "test", "0"
				}
				return strconv.Itoa(k) + "train", "0"
			}},
		{number: "001-2015", file: "S%02d%c.mat", license: "CC BY-NC-ND 4.0, Faller et al. 2012",
			about:    "EEG of imagined right hand and feet, 12 subjects, 13 channels, two or three sessions",
			channels: strings.Fields("FC3 FCz FC4 C5 C3 C1 Cz C2 C4 C6 CP3 CPz CP4"),
			classes:  []string{"right_hand", "feet"},
			letters: func(subject int) string {
				if subject >= 8 && subject <= 11 {
					return "ABC"
				}
				return "AB"
			},
			subjects: 12, rate: 512, stop: 5,
			name: func(letter byte, k int) (string, string) {
				return string([]byte{'0' + letter - 'A', letter}), strconv.Itoa(k)
			}},
		{number: "008-2014", file: "A%02d.mat", license: "CC BY-NC-ND 4.0, Riccio et al. 2013",
			about:   "EEG of a speller (P300), 8 subjects with ALS, 8 channels",
			classes: []string{"NonTarget", "Target"}, subjects: 8, rate: 256, stop: 1, paradigm: p300,
			name: func(byte, int) (string, string) { return "0", "0" }},
		{number: "009-2014", file: "A%02dS.mat", license: "CC BY-NC-ND 4.0, Aricò et al. 2014",
			about:   "EEG of a speller (P300), 10 subjects, 16 channels, three sessions",
			classes: []string{"NonTarget", "Target"}, subjects: 10, rate: 256, stop: 0.8, paradigm: p300, factor: 10,
			name: func(_ byte, k int) (string, string) { return strconv.Itoa(k), "0" }},
	}
}

func numbered(prefix string, n int) []string {
	var names []string
	for i := range n {
		names = append(names, prefix+strconv.Itoa(i+1))
	}
	return names
}

func (b *bnciSet) known() *known {
	number, year, _ := strings.Cut(b.number, "-")
	code := year + "-" + number
	s := &known{rate: b.rate, start: b.start, stop: b.stop, classes: b.classes, open: b.open,
		paradigm: b.paradigm}
	if b.paradigm.bands == nil {
		s.paradigm = imagery
	}
	s.Subjects = b.subjects
	s.Info = dataset.Set{Name: "bnci" + code, PartOptional: true, Kind: "download",
		Description: fmt.Sprintf("%s; bnci%s:1 to bnci%s:%d pick a subject", b.about, code, code, b.subjects),
		License:     b.license, Obtain: bnciURL + b.number}
	s.Files = b.files
	return s
}

func (b *bnciSet) files() (files []sets.File) {
	for subject := 1; subject <= b.subjects; subject++ {
		var names []string
		if b.letters == nil {
			names = []string{fmt.Sprintf(b.file, subject)}
		} else {
			for _, letter := range b.letters(subject) {
				names = append(names, fmt.Sprintf(b.file, subject, letter))
			}
		}
		for _, name := range names {
			files = append(files, sets.File{Name: name, Subject: subject,
				URL: []string{bnciURL + b.number + "/" + name, bnciOlder + b.number + "/" + name}})
		}
	}
	return files
}

// open reads the runs with trials from a file. Their events have the codes 1, 2, ... in the order of the classes.
func (b *bnciSet) open(path string, f sets.File) ([]*eeg.Recording, error) {
	all, err := bci.Runs(path, bci.Options{Channels: b.channels, Rate: b.rate})
	if err != nil {
		return nil, err
	}
	letter := strings.TrimSuffix(f.Name, ".mat")
	var runs []*eeg.Recording
	for _, m := range all {
		if len(m.Events) == 0 {
			continue // a run of rest or eye movements
		}
		r, err := eeg.NewRecording(m.Channels, m.Rate, m.Data, m.Events)
		if err != nil {
			return nil, err
		}
		r.Source, r.Format = path, m.Format
		if err := r.Select(eeg.RecordingOptions{Channels: b.channels, Rate: b.rate, Unit: "uV"}); err != nil {
			return nil, err
		}
		if b.factor != 0 {
			if r, err = divided(r, b.factor); err != nil {
				return nil, err
			}
		}
		n := len(r.Channels) - b.eog
		r.Types = append(slices.Repeat([]string{"eeg"}, n), slices.Repeat([]string{"eog"}, b.eog)...)
		for i := range r.Events {
			e := &r.Events[i]
			if e.Code < 1 || e.Code > len(b.classes) {
				return nil, fmt.Errorf("%s: a trial has the label %d, but the labels of the set are 1 to %d; "+
					"download the file again", r.Source, e.Code, len(b.classes))
			}
			e.Label = b.classes[e.Code-1]
		}
		r.Subject = strconv.Itoa(f.Subject)
		r.Session, r.Run = b.name(letter[len(letter)-1], len(runs))
		runs = append(runs, r)
	}
	if len(runs) == 0 {
		return nil, fmt.Errorf("%s: the file has no run with trials; download it again", path)
	}
	return runs, nil
}

// divided returns a copy of a recording with its values divided by factor.
func divided(r *eeg.Recording, factor float64) (*eeg.Recording, error) {
	data, err := signal.Samples(r, len(r.Channels))
	if err != nil {
		return nil, err
	}
	for i := range data {
		data[i] /= factor
	}
	out, err := eeg.NewRecording(r.Channels, r.Rate, data, r.Events)
	if err != nil {
		return nil, err
	}
	out.Source, out.Format, out.Units = r.Source, r.Format, r.Units
	return out, nil
}
