package rao_test

import (
	"regexp"
	"strings"
	"testing"

	"rao/internal/testkit"
)

// Every promise of docs/reliability.md names a test, and every named test exists.
func TestPromisesHaveTheirTests(t *testing.T) {
	there := map[string]bool{}
	declaredTests(t, `(?m)^(?:func|def) ((?:Test|Fuzz|test_)\w+)\(`, func(_, name string) { there[name] = true })
	named, promises := regexp.MustCompile("`((?:Test|Fuzz|test_)\\w+)`"), 0
	wingless := testkit.WithoutWing(t, ".")
	for line := range strings.Lines(testkit.Text(t, "docs/reliability.md")) {
		tests := named.FindAllStringSubmatch(line, -1)
		for _, m := range tests {
			if !there[m[1]] && !wingless {
				t.Errorf("%s is named and not there", m[1])
			}
		}
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| promise") ||
			strings.HasPrefix(line, "| package") {
			continue
		}
		if promises++; len(tests) == 0 {
			t.Errorf("no test is named for: %s", line)
		}
	}
	if promises < 20 {
		t.Errorf("%d promises", promises)
	}
}
