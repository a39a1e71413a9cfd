package demo

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"rao/eeg"
	"rao/internal/eeg/format/signal"
	"rao/internal/eeg/sets"
	"rao/internal/format/archive"
	"rao/internal/format/npy"
)

// Step is one command of the demo.
type Step struct {
	Text string   // description; "" if it belongs to the previous step
	Args []string // arguments, without the name of the program
	Into string   // file for the output; "" if it is printed
}

// WriteRecordings writes the embedded EEG of a person who looks at flickering lights to a folder and returns the
// recordings. Each recording is a file s1_raw.npy, s2_raw.npy, ... with its events in s1_events.csv, s2_events.csv, ...
func WriteRecordings(folder string) ([]*eeg.Recording, error) {
	recs, err := sets.SSVEP()
	if err != nil {
		return nil, err
	}
	for i, rec := range recs {
		name := filepath.Join(folder, fmt.Sprintf("s%d", i+1))
		signal := func(w io.Writer) error { return writeSignal(w, rec) }
		events := func(w io.Writer) error { return writeEvents(w, rec.Events) }
		if err := cmp.Or(archive.WriteFile(name+"_raw.npy", signal),
			archive.WriteFile(name+"_events.csv", events)); err != nil {
			return nil, err
		}
	}
	return recs, nil
}

func writeSignal(w io.Writer, rec *eeg.Recording) error {
	n, channels := rec.Samples(), len(rec.Channels)
	data, err := signal.Samples(rec, channels)
	if err != nil {
		return err
	}
	f, err := npy.NewFloats32(w, n, channels)
	if err != nil {
		return err
	}
	if err := f.Write(data); err != nil {
		return err
	}
	return f.Close()
}

func writeEvents(w io.Writer, events []eeg.Event) error {
	var b strings.Builder
	b.WriteString("sample,code\n")
	for _, e := range events {
		fmt.Fprintf(&b, "%d,%d\n", e.Sample, e.Code)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Steps returns the commands of the demo, from the recordings in a folder to decisions.
func Steps(folder string) []Step {
	path := func(name string) string { return filepath.Join(folder, name) }
	trials := func(out string, recs ...string) []string {
		args := []string{"eeg", "cov"}
		for _, r := range recs {
			args = append(args, path(r))
		}
		return append(args, "--rate", "128", "--classes", "rest=33024,13Hz=33025,21Hz=33026,17Hz=33027", "--anchor",
			"32779", "--start", "2", "--stop", "5", "--bands", "12.5-13.5,16.5-17.5,20.5-21.5", "--estimator", "oas",
			"--causal", "--out", path(out))
	}
	return []Step{
		{"The covariance of each trial in three bands. Two recordings to learn from:",
			trials("train.npz", "s1_raw.npy", "s2_raw.npy"), ""},
		{"The third recording, which is left out:", trials("test.npz", "s3_raw.npy"), ""},
		{"Are the matrices sound?", []string{"spd", "check", "--data", path("train.npz")}, ""},
		{"Four methods, scored on the left-out recording (chance is 25 %):", []string{"compare", "--data",
			path("train.npz"), "--test", path("test.npz"), "--methods", "mdm,tslda,enuc,plrsq", "--html",
			path("compare.html")}, ""},
		{"A model, and its pictures:", []string{"fit", "mdm", "--data", path("train.npz"), "--out",
			path("model.rao")}, ""},
		{"", []string{"plot", "--model", path("model.rao"), "--data", path("test.npz"), "--out", path("figs"),
			"--format", "svg"}, ""},
		{"Decisions on the left-out recording, replayed as a live signal, one per second:", []string{"eeg", "stream",
			path("s3_raw.npy"), "--model", path("model.rao"), "--step", "1"}, path("decisions.txt")},
	}
}
