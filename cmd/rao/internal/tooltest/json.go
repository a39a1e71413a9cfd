package tooltest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// numberText matches a text that JSON could write as a number or as null.
var numberText = regexp.MustCompile(`(?i)^([+-]?(\d+\.?\d*(e[+-]?\d+)?|inf|infinity)|nan|null|<nil>)$`)

// asText matches the path of a value that is a text: the value of an option, in the language of the options, or a cell
// of a table of the papers, with the digits of the page.
var asText = regexp.MustCompile(`\.(best|options)\[\d+\]\.value$|\.options\.\w+$|\.tables\[\d+\]\.rows\[`)

// nameFields are the fields whose values are names, even if they look like numbers.
var nameFields = []string{"classes", "class", "session", "subject"}

// JSON runs command lines with --json and checks their output: numbers are numbers, missing values are null, and names
// are in snake case. A word that starts with @ is a file in dir.
func JSON(t testing.TB, dir string, lines []string) {
	t.Helper()
	for _, line := range lines {
		args := []string{}
		for _, word := range strings.Fields(line) {
			args = append(args, strings.ReplaceAll(word, "@", dir+string(filepath.Separator)))
		}
		status, out, said := Run(t, append(args, "--json")...)
		if status != 0 {
			t.Errorf("%s: exit status %d, %s", line, status, said)
			continue
		}
		values := 0
		for d := json.NewDecoder(strings.NewReader(out)); ; values++ {
			var v any
			if err := d.Decode(&v); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Errorf("%s: %v in %.200s", line, err, out)
				break
			}
			checkJSON(t, line, "", v)
		}
		if values == 0 {
			t.Errorf("%s: no output", line)
		}
	}
}

func checkJSON(t testing.TB, line, path string, v any) {
	switch v := v.(type) {
	case string:
		if numberText.MatchString(v) && !asText.MatchString(path) {
			t.Errorf("%s: %s is the text %q", line, path, v)
		}
	case []any:
		for i, x := range v {
			checkJSON(t, line, fmt.Sprintf("%s[%d]", path, i), x)
		}
	case map[string]any:
		for name, x := range v {
			if strings.ToLower(name) != name || strings.ContainsAny(name, " -") {
				t.Errorf("%s: %s.%s is not in snake case", line, path, name)
			}
			if !slices.Contains(nameFields, name) {
				checkJSON(t, line, path+"."+name, x)
			}
		}
	}
}
