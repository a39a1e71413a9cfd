package eeg

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/eeg"
	"rao/internal/eeg/format"
	"rao/internal/eeg/stopping"
	"rao/internal/filecheck"
	"rao/internal/optionvalues"
	"rao/internal/text"
)

func init() {
	filecheck.Register(filecheck.Reader{Kind: "recording", Claims: format.Disguised, Read: readRecording})
	filecheck.Register(filecheck.Reader{Kind: stopping.RuleKind, Claims: isStopping, Read: describeStopping})
	app.RegisterReader(commandFor)
	app.RegisterCompanions(format.Others)
}

// commandFor describes a recording or a BIDS folder and names the command that computes covariances from it. It returns
// "" for other files.
func commandFor(path string) string {
	if _, err := os.Stat(filepath.Join(path, "dataset_description.json")); err == nil {
		return "it is a BIDS folder: rao eeg cov --bids computes covariances of its trials"
	}
	if subjects, _ := filepath.Glob(filepath.Join(path, "sub-*")); len(subjects) > 0 {
		return "it looks like a BIDS folder: rao eeg cov --bids computes covariances of its trials"
	}
	if _, err := os.Stat(path); err == nil && format.Named(path) {
		return "it is a recording: rao eeg cov computes covariances of its trials"
	}
	return ""
}

// isStopping reports whether a file begins like a stopping rule.
func isStopping(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 64)
	n, _ := io.ReadFull(f, head)
	head = head[:n]
	return bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) && bytes.Contains(head, []byte(stopping.RuleKind))
}

// describeStopping reads a stopping rule and returns a summary.
func describeStopping(path string) (string, error) {
	if !isStopping(path) {
		return "", dataset.ErrUnknownFormat
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	s, err := stopping.Parse(b)
	if err == nil {
		err = s.Check(s.Classes)
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s, threshold %.4g, at most %g s, learned from %s", strings.Join(s.Classes, ", "), s.Threshold,
		s.Longest, text.Plural(s.Trials, "trial", "trials")), nil
}

// readRecording reads a recording to its end and returns a summary.
func readRecording(path string) (string, error) {
	rec, err := eeg.OpenRecording(path, eeg.RecordingOptions{Kinds: []string{optionvalues.AllKinds}, AsStored: true})
	if err != nil {
		return "", err
	}
	defer rec.Close()
	const block = 4096
	buf := make([]float64, block*len(rec.Channels))
	for at := 0; at < rec.Samples(); at += block {
		n := min(block, rec.Samples()-at)
		if err := rec.Read(buf[:n*len(rec.Channels)], at, n); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%s of %d samples at %g Hz", text.Plural(len(rec.Channels), "channel", "channels"),
		rec.Samples(), rec.Rate), nil
}
