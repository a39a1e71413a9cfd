package testkit

import (
	"os"
	"strings"
	"testing"
)

// ShownLines are the lines of the shell that a page shows, each whole.
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

// ShellWords splits a line as a shell does, up to a comment, a pipe or a redirection.
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
		case quote == 0 && !open && strings.ContainsRune("#|>", c):
			return words
		default:
			word.WriteRune(c)
			open = true
		}
	}
	end()
	return words
}
