package rao_test

import (
	"go/ast"
	"go/parser"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rao/method"
)

// longest is the number of words that a sentence may have.
const longest = 30

// lost are words that a reader would stumble over.
var lost = regexp.MustCompile(`(?i)\btell(s|ing)? apart\b|\btold apart\b|\bbeside them stand|\bdo not do\b` +
	`|\bone a class\b|\bshall\b|\btaken for hostile\b`)

// pages are what a user reads first: README, concepts and guides.
func pages(t *testing.T) []string {
	t.Helper()
	guides, err := filepath.Glob("docs/guide-*.md")
	if err != nil || len(guides) == 0 {
		t.Fatal("no guides", err)
	}
	return append([]string{"README.md", "docs/README.md", "docs/concepts.md"}, guides...)
}

// Sentences are short, in the pages and in the documents of packages.
func TestSentencesAreShort(t *testing.T) {
	check := func(at, text string) {
		for _, s := range sentences(text) {
			if n := len(strings.Fields(s)); n > longest {
				t.Errorf("%s: a sentence of %d words: %q", at, n, s)
			}
		}
		if w := lost.FindString(text); w != "" {
			t.Errorf("%s: %q", at, w)
		}
	}
	for _, p := range pages(t) {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		check(p, prose(string(b)))
	}
	walkFiles(t, func(p string, f *ast.File) {
		if f.Doc != nil && !strings.HasSuffix(p, "_test.go") {
			check(p, prose(packageText(f.Doc.Text())))
		}
	}, parser.ParseComments|parser.PackageClauseOnly)
}

var (
	fenced = regexp.MustCompile("(?s)```.*?```")
	inline = regexp.MustCompile("`[^`]*`")
	linked = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	ended  = regexp.MustCompile(`[.?!]["')]*(\s+|$)|:\s*\n|\n\s*\n`)
)

// prose is the text without programs, tables and addresses; what is in code counts as one word.
func prose(md string) string {
	md = fenced.ReplaceAllString(md, "\n\n")
	var lines []string
	for line := range strings.Lines(md) {
		line = strings.TrimRight(line, "\n")
		switch trimmed := strings.TrimSpace(line); {
		case strings.HasPrefix(trimmed, "|"), strings.HasPrefix(trimmed, "<"), strings.HasPrefix(trimmed, "!["):
			lines = append(lines, "")
		case strings.HasPrefix(trimmed, "#"), strings.HasPrefix(trimmed, "- "):
			lines = append(lines, "", strings.TrimLeft(trimmed, "#- "))
		default:
			lines = append(lines, line)
		}
	}
	md = linked.ReplaceAllString(strings.Join(lines, "\n"), "$1")
	return inline.ReplaceAllString(md, "CODE")
}

// packageText is a package comment without its programs and formulas, which are indented.
func packageText(doc string) string {
	var lines []string
	for line := range strings.Lines(doc) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    ") {
			line = ""
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// sentences splits prose at full stops, empty lines, and colons that end a line.
func sentences(text string) []string { return ended.Split(text, -1) }

// The glossary has every method.
func TestGlossaryHasEveryMethod(t *testing.T) {
	b, err := os.ReadFile("docs/concepts.md")
	if err != nil {
		t.Fatal(err)
	}
	named := inline.FindAllString(string(b), -1)
	for _, m := range method.Names() {
		if strings.HasPrefix(m, "test-") { // from another test of this package
			continue
		}
		if !slices.Contains(named, "`"+m+"`") {
			t.Errorf("docs/concepts.md does not say what %s is", m)
		}
	}
}
