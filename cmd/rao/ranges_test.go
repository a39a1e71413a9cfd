package main

import (
	"slices"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"

	"github.com/spf13/pflag"

	"rao/cmd/rao/internal/app"
)

// Every numeric option has a range, which its help shows and which is checked before any work.
func TestNumbersHaveRanges(t *testing.T) {
	counts := 0
	for _, cmd := range allVerbs(t) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			switch f.Value.Type() {
			case "int", "int64", "uint", "float64", "float32", "duration":
				t.Errorf("%s --%s is a bare %s: register it with countFlag or numberFlag",
					cmd.CommandPath(), f.Name, f.Value.Type())
			case "count":
				counts++
				if _, ok := f.Value.(*app.FlagValue); ok && !strings.HasSuffix(f.Usage, " or more)") &&
					!strings.Contains(f.Usage, " to ") {
					t.Errorf("%s --%s: the help does not tell the range", cmd.CommandPath(), f.Name)
				}
				for _, bad := range []string{"99999999999999", "-99999999999999", "1e400", "many", ""} {
					if f.Name == "seed" {
						break // any number is one
					}
					if f.Value.Set(bad) == nil {
						t.Errorf("%s --%s takes %q", cmd.CommandPath(), f.Name, bad)
					}
				}
			case "number":
				for _, bad := range []string{"nan", "inf", "-inf", "1e400", "many", ""} {
					if f.Value.Set(bad) == nil {
						t.Errorf("%s --%s takes %q", cmd.CommandPath(), f.Name, bad)
					}
				}
			}
		})
	}
	if counts < 10 {
		t.Errorf("only %d counts found", counts)
	}
	for _, line := range []string{
		"tune mdm --data syn1 --cv 99999999999999", "tune mdm --data syn1 --cv 100000", "tune mdm --data syn1 --cv 1",
		"fit plrsq --data syn1 --calibration 99999999999999 --out x",
	} {
		status, _, said := tooltest.Run(t, strings.Fields(line)...)
		if status != 2 && status != 1 ||
			!slices.ContainsFunc([]string{"from", "between", "out of range", " to "}, func(s string) bool {
				return strings.Contains(said, s)
			}) {
			t.Errorf("%s: exit status %d, %q", line, status, said)
		}
	}
}
