package rao_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// withoutExample are types that a function of their package returns, but that need no example.
var withoutExample = []string{
	"dataset.Set",  // an entry of the list of sets
	"dataset.Span", // part of a file, for clusters
	"dataset.Format", "eeg.EventKind", "eeg.TrialStart",
	"model.Classifier", "model.Training", // parts of a model
	"model.Adaptation", "eeg.BIDSRecording", "eeg.Sources", "stream.EventDecoder", // need recordings
	"gaussian.CompactAccumulator", // used like an Accumulator
	"paper.Experiment",            // runs for minutes
	"sqfa.Folds", "sqfa.NoiseAdvice",
	"spd.Estimator", // text
}

// TestMainTypesHaveExamples requires an example with output of every exported type that a function of its package
// returns: of the type, or of one of these functions.
func TestMainTypesHaveExamples(t *testing.T) {
	api, err := os.ReadFile("api.txt")
	if err != nil {
		t.Fatal(err)
	}
	returns := regexp.MustCompile(`^pkg rao/([^,]*), func (\w+)(?:\[[^\]]*\])?\(.*\) ` +
		`\(?(?:\w+ )?(?:\[\])?\*?([A-Z]\w+)[,)]?`)
	makers := map[string][]string{} // the functions that return each type
	for line := range strings.Lines(string(api)) {
		if m := returns.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			makers[m[1]+"."+m[3]] = append(makers[m[1]+"."+m[3]], m[2])
		}
	}
	if len(makers) < 40 {
		t.Fatalf("found only %d types in api.txt", len(makers))
	}
	example := regexp.MustCompile(`(?ms)^func (Example\w*)\(\) \{.*?^\}`)
	for name, functions := range makers {
		folder, short := filepath.Split(strings.ReplaceAll(name, ".", "/"))
		files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		of := strings.Join(append(functions, short), "|")
		shown := regexp.MustCompile(`func Example(` + of + `)(_|\b)|\b` + filepath.Base(folder) + `\.(` + of + `)\b`)
		found := slices.ContainsFunc(files, func(file string) bool {
			text, err := os.ReadFile(file)
			bodies := example.FindAllString(string(text), -1)
			if len(bodies) > 0 && strings.Contains(filepath.Base(file), "example") {
				bodies = []string{string(text)} // with the functions that the examples call
			}
			return err == nil && slices.ContainsFunc(bodies, func(body string) bool {
				return strings.Contains(body, "utput:") && shown.MatchString(body)
			})
		})
		if excused := slices.Contains(withoutExample, name); found == excused {
			t.Errorf("%s: has an example: %v, excused: %v", name, found, excused)
		}
	}
}
