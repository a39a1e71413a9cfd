package testkit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// GalleryPages returns the pages of the gallery in docs, in the order in which their commands run.
func GalleryPages(docs string) []string {
	var list []string
	for _, name := range []string{"README", "artifacts", "evoked", "motor", "steady-state", "covariance", "images",
		"simulated", "statistics", "transfer"} {
		list = append(list, filepath.Join(docs, "gallery", name+".md"))
	}
	return list
}

// GalleryText returns the text of all pages of the gallery.
func GalleryText(t testing.TB, docs string) string {
	t.Helper()
	var text strings.Builder
	for _, page := range GalleryPages(docs) {
		b, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(b)
		text.WriteByte('\n')
	}
	return text.String()
}

// ShownLines returns the shell lines that a page shows, with continued lines joined.
func ShownLines(t testing.TB, page string) []string {
	t.Helper()
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	in := false
	for line := range strings.Lines(strings.ReplaceAll(string(b), "\\\n", " ")) {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "```"):
			in = line == "```sh"
		case in && line != "":
			lines = append(lines, line)
		}
	}
	return lines
}

// ShellWords splits a line as a shell does, up to a comment, a pipe, a redirection or an ampersand.
func ShellWords(line string) []string {
	var words []string
	var word strings.Builder
	quote, open := rune(0), false
	end := func() {
		if open {
			words = append(words, word.String())
		}
		word.Reset()
		open = false
	}
	for _, c := range line {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, open = c, true
		case quote == 0 && (c == ' ' || c == '\t'):
			end()
		case quote == 0 && !open && strings.ContainsRune("#|>&", c):
			return words
		default:
			word.WriteRune(c)
			open = true
		}
	}
	end()
	return words
}
