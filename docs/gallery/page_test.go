package gallery_test

import (
	"bytes"
	"encoding/csv"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rao/internal/testkit"
)

var (
	folder = flag.String("gallery", "", "folder for the matrices and pictures; by default they are deleted")
	update = flag.Bool("update", false, "write the programs into the pages, and the pictures into docs/images/gallery")
)

var docs string // the folder docs

// TestMain runs the programs in a separate folder, and compares their pictures with the committed pictures.
func TestMain(m *testing.M) {
	flag.Parse()
	docs = filepath.Dir(must(os.Getwd()))
	dir := *folder
	if dir == "" {
		dir = must(os.MkdirTemp("", "gallery"))
	}
	check(os.MkdirAll(dir, 0o755))
	check(os.Chdir(dir))
	status := m.Run()
	if err := pictures(); err != nil && status == 0 {
		fmt.Println(err)
		status = 1
	}
	check(os.Chdir(docs))
	if *folder == "" {
		check(os.RemoveAll(dir))
	}
	os.Exit(status)
}

// pictures compares the pictures of the programs with the committed pictures.
func pictures() error {
	for _, name := range must(filepath.Glob("*.svg")) {
		got := must(os.ReadFile(name))
		committed := filepath.Join(docs, "images", "gallery", name)
		if *update {
			check(os.WriteFile(committed, got, 0o644))
		}
		want, err := os.ReadFile(committed)
		if err != nil {
			return err
		}
		if err := testkit.SamePicture(got, want); err != nil {
			return fmt.Errorf("docs/images/gallery/%s is not what the program draws: %w; go test ./docs/gallery "+
				"-update draws it again", name, err)
		}
	}
	return nil
}

// programs returns the bodies of the examples by name, without indentation.
func programs(t *testing.T) map[string]string {
	out := map[string]string{}
	files := testkit.Must(filepath.Glob(filepath.Join(docs, "gallery", "*_test.go")))(t)
	for _, path := range files {
		text := testkit.Must(os.ReadFile(path))(t)
		set := token.NewFileSet()
		f := testkit.Must(parser.ParseFile(set, path, text, 0))(t)
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(fn.Name.Name, "Example_") {
				continue
			}
			body := string(text[set.Position(fn.Body.Lbrace).Offset+2 : set.Position(fn.Body.Rbrace).Offset])
			var lines []string
			for line := range strings.Lines(body) {
				lines = append(lines, strings.TrimPrefix(line, "\t"))
			}
			out[strings.TrimPrefix(fn.Name.Name, "Example_")] = strings.Join(lines, "")
		}
	}
	return out
}

// shown matches a program on a page, after a comment with the name of the example.
var shown = regexp.MustCompile("(?s)<!-- Example_([a-z]+) -->\n\n```go\n(.*?)```\n")

// TestPageShowsThePrograms tests that the pages show each example once, with the same code.
func TestPageShowsThePrograms(t *testing.T) {
	run := programs(t)
	wingless := testkit.WithoutWing(t, filepath.Dir(docs)) // the pages have the programs of all wings
	for _, path := range testkit.GalleryPages(docs) {
		page := testkit.Must(os.ReadFile(path))(t)
		if *update {
			page = shown.ReplaceAllFunc(page, func(b []byte) []byte {
				name := string(shown.FindSubmatch(b)[1])
				return []byte("<!-- Example_" + name + " -->\n\n```go\n" + run[name] + "```\n")
			})
			testkit.NoError(t, os.WriteFile(path, page, 0o644))
		}
		programs := shown.FindAllSubmatch(page, -1)
		for _, m := range programs {
			name, text := string(m[1]), string(m[2])
			if body, ok := run[name]; text != body && (ok || !wingless) {
				t.Errorf("%s: program %s differs from the test; go test ./docs/gallery -update shows the test's", path,
					name)
			}
			delete(run, name)
		}
		testkit.Equal(t, bytes.Count(page, []byte("```go\n")), len(programs), path, "programs")
	}
	for name := range run {
		t.Errorf("no page of the gallery shows the program %s", name)
	}
}

// TestPageShowsThePictures tests that the pages show every picture in the folder, and that no picture is missing or
// large.
func TestPageShowsThePictures(t *testing.T) {
	named := map[string]bool{}
	for _, m := range regexp.MustCompile(`images/gallery/([a-z0-9-]+\.svg)`).FindAllStringSubmatch(
		testkit.GalleryText(t, docs), -1) {
		named[m[1]] = true
	}
	files := testkit.Must(filepath.Glob(filepath.Join(docs, "images", "gallery", "*")))(t)
	for _, path := range files {
		name := filepath.Base(path)
		if !named[name] {
			t.Errorf("no page of the gallery shows %s", name)
		}
		delete(named, name)
		if info, err := os.Stat(path); err != nil || info.Size() > 60000 {
			t.Errorf("%s: %d bytes, %v", name, info.Size(), err)
		}
	}
	for name := range named {
		t.Errorf("the gallery shows %s, which does not exist", name)
	}
}

// TestNumbersSideBySide tests the tables that compare both libraries. The numbers of pyRiemann must be in
// testdata/pyriemann.csv, and the program or command of the section must print the numbers of rao.
func TestNumbersSideBySide(t *testing.T) {
	text := testkit.Must(os.ReadFile(filepath.Join(docs, "gallery", "testdata", "pyriemann.csv")))(t)
	r := csv.NewReader(bytes.NewReader(text))
	r.Comment = '#'
	peer := testkit.Must(r.ReadAll())(t)
	seen := 0
	for _, section := range strings.Split(testkit.GalleryText(t, docs), "\n## ")[1:] {
		title, _, _ := strings.Cut(section, "\n")
		_, table, ok := strings.Cut(section, "| quantity | pyRiemann 0.12 | rao |\n|---|---:|---:|\n")
		if !ok {
			continue
		}
		printed := strings.Join(regexp.MustCompile("(?s)```.*?```").FindAllString(section, -1), "\n")
		for row := range strings.Lines(table) {
			cells := strings.Split(row, "|")
			if len(cells) != 5 {
				break
			}
			what, theirs, ours := strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2]), strings.TrimSpace(cells[3])
			seen++
			if !slices.ContainsFunc(peer, func(p []string) bool { return p[0] == what && p[1] == theirs }) {
				t.Errorf("%s: %q: %q is not in testdata/pyriemann.csv", title, what, theirs)
			}
			for _, v := range regexp.MustCompile(`[-0-9.]+`).FindAllString(ours, -1) {
				testkit.Contains(t, printed, v, title, what, "nothing that the section shows prints")
			}
		}
	}
	if seen < 20 || seen != len(peer) {
		t.Errorf("the pages compare %d numbers, and testdata/pyriemann.csv has %d", seen, len(peer))
	}
}
