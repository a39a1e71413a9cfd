package rao_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rao/internal/testkit"
)

// withoutExample are types that a function of their package returns, but that need no example.
var withoutExample = []string{
	"dataset.Set",                        // an entry of the list of sets
	"model.Classifier", "model.Training", // parts of a model
	"model.Adaptation", "eeg.Sources", // need recordings
	"gaussian.CompactAccumulator", // used like an Accumulator
	"sqfa.NoiseAdvice",
}

// Every exported type that a function of its package returns must have an example with output, of the type or of one of
// these functions.
func TestMainTypesHaveExamples(t *testing.T) {
	api := testkit.Must(os.ReadFile("api.txt"))(t)
	returns := regexp.MustCompile(`^pkg ([^,]*), func (\w+)(?:\[[^\]]*\])?\(.*\) ` +
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
	for _, name := range withoutExample {
		if makers[name] == nil {
			t.Errorf("%s is excused, but no function of its package returns it", name)
		}
	}
	example := regexp.MustCompile(`(?ms)^func (Example\w*)\(\) \{.*?^\}`)
	for name, functions := range makers {
		folder, short := filepath.Split(strings.ReplaceAll(name, ".", "/"))
		files := testkit.Must(filepath.Glob(filepath.Join(folder, "*_test.go")))(t)
		if len(files) == 0 {
			continue // the package is in a wing that was deleted; a package with types has tests
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

// TestPackageDocsLinkToNames checks that every name in brackets in a doc.go is exported.
func TestPackageDocsLinkToNames(t *testing.T) {
	names := map[string]bool{}
	member := regexp.MustCompile(`^pkg ([^,]*), (?:func|const|var|type|method) (?:\(\*?(\w+)\) )?(\w+)` +
		`(?: (?:struct|interface), (\w+))?`)
	for line := range strings.Lines(testkit.Text(t, "api.txt")) {
		if m := member.FindStringSubmatch(line); m != nil {
			names[m[1]+"."+strings.Trim(strings.Join(m[2:], "."), ".")] = true
		}
	}
	link := regexp.MustCompile(`\[\*?([A-Z]\w+(?:\.\w+)?)\]`)
	checked := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "doc.go" || strings.Contains(path, "internal") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			checked++
			if !names[filepath.ToSlash(filepath.Dir(path))+"."+m[1]] {
				t.Errorf("%s: nothing is named %s", path, m[1])
			}
		}
		return err
	})
	if err != nil || checked < 50 {
		t.Error(checked, err)
	}
}
