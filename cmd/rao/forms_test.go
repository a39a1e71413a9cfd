package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"rao/cmd/rao/internal/app"
)

// formsDiffer lists the options whose value has another form in some commands, with the reason.
var formsDiffer = map[string]string{
	"classes":    "stats also accepts ranges such as 0-9 and files, for hundreds of classes; recordings mark events",
	"classifier": "one method has a classifier of its own, parzen, besides those of the others",
	"method":     "spd commands have a few methods of their own; the options of these methods are flags",
	"model":      "serve has several models",
	"shrinkage":  "csp and fbcsp shrink means of matrices, which have no samples for oas or ledoit_wolf to use",
}

var (
	words = regexp.MustCompile(`^[a-z][a-z_-]*$`)
	place = regexp.MustCompile(`^[A-Z]+`)
)

// shapeOf returns the shape of an option's form: alternatives without auto and none, and one name for all texts without
// a syntax of their own, such as choices and names of files, and for all lists of these.
func shapeOf(form string) string {
	var list []string
	for part := range strings.SplitSeq(form, "|") {
		switch {
		case part == "auto" || part == "none":
			continue
		case part != "count" && part != "number" && words.MatchString(part) || place.FindString(part) == part:
			part = "word"
		case strings.HasSuffix(part, ",...") && place.FindString(part)+",..." == part:
			part = "word,..."
		}
		if !slices.Contains(list, part) {
			list = append(list, part)
		}
	}
	return strings.Join(list, "|")
}

// An option takes a value of the same form in every command.
func TestOneOptionHasOneForm(t *testing.T) {
	shapes := make(map[string]map[string][]string)
	for _, cmd := range allVerbs(t) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			_, form, _ := strings.Cut(app.FlagName(f), "--"+f.Name+" ")
			if shapes[f.Name] == nil {
				shapes[f.Name] = make(map[string][]string)
			}
			shapes[f.Name][shapeOf(form)] = append(shapes[f.Name][shapeOf(form)], cmd.CommandPath()+" "+form)
		})
	}
	for name, by := range shapes {
		if _, known := formsDiffer[name]; known != (len(by) > 1) {
			t.Errorf("--%s has %d forms: %v", name, len(by), by)
		}
	}
}
