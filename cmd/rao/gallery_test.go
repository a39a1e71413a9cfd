package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/testkit"
)

var (
	galleryFolder = flag.String("gallery", "", "folder in which to keep the files that the gallery's commands make")
	galleryUpdate = flag.Bool("update-gallery", false, "write their output and pictures into the pages")
)

// galleryBlock is a block of commands and the output that the page shows for it.
var galleryBlock = regexp.MustCompile("(?s)```sh\n(.*?)```\n(?:\n```text\n(.*?)```\n)?")

// galleryTimes matches text that differs between runs: times, memory, and the spaces and dashes of the columns, whose
// width depends on them.
var galleryTimes = regexp.MustCompile(`[0-9.]+ (µs|ms|s|MiB)\b|-{2,}| +`)

// The commands of the gallery print and draw what its pages show, except for times. The tests of docs/gallery run its
// programs.
func TestGallery(t *testing.T) {
	testkit.SkipShort(t, "takes some seconds")
	docs := testkit.Must(filepath.Abs("../../docs"))(t)
	dir := *galleryFolder
	if dir == "" {
		dir = t.TempDir()
	}
	for _, path := range testkit.GalleryPages(docs) {
		if usesDeletedWing(t, testkit.ShownLines(t, path)) {
			t.Skip("the pages use each other's files, and a page makes some with a wing that was deleted")
		}
	}
	t.Chdir(dir)
	for _, path := range testkit.GalleryPages(docs) {
		page := testkit.Must(os.ReadFile(path))(t)
		shown := galleryBlock.ReplaceAllStringFunc(string(page), func(block string) string {
			m := galleryBlock.FindStringSubmatch(block)
			printed := runBlock(t, m[1])
			if !strings.Contains(block, "```text") || alike(printed) == alike(m[2]) {
				return block
			}
			if !*galleryUpdate {
				t.Errorf("%s shows\n%s\nbut its commands print this (go test ./cmd/rao -run TestGallery "+
					"-update-gallery writes it into the page):\n%s", path, m[2], printed)
			}
			return "```sh\n" + m[1] + "```\n\n```text\n" + printed + "```\n"
		})
		if *galleryUpdate && shown != string(page) {
			testkit.NoError(t, os.WriteFile(path, []byte(shown), 0o644))
		}
	}
	drawn := 0
	for _, m := range regexp.MustCompile(`images/gallery/([a-z0-9-]+)\.svg`).FindAllStringSubmatch(
		testkit.GalleryText(t, docs), -1) {
		drawn += comparePicture(t, dir, filepath.Join(docs, "images", "gallery"), m[1])
	}
	if drawn < 10 {
		t.Errorf("the commands drew %d pictures of the page", drawn)
	}
}

// runBlock runs lines of the shell and returns what they print.
func runBlock(t *testing.T, lines string) string {
	t.Helper()
	var out strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(lines, "\\\n", " ")) {
		line = strings.TrimSpace(line)
		args := testkit.ShellWords(line)
		if len(args) == 0 || args[0] != "rao" {
			continue
		}
		printed := tooltest.Output(t, args[1:]...)
		for row := range strings.Lines(printed) {
			out.WriteString(strings.TrimRight(row, " \n") + "\n")
		}
	}
	return out.String()
}

// alike removes the times from a text.
func alike(s string) string { return galleryTimes.ReplaceAllString(s, " ") }

// comparePicture compares a picture of the page with the picture that a command drew. This is the file with its name
// or, if the name contains a dash, a file in the folder named before the dash. It returns 0 if no command drew the
// picture.
func comparePicture(t *testing.T, dir, committed, name string) int {
	t.Helper()
	folder, rest, _ := strings.Cut(name, "-")
	got, err := os.ReadFile(filepath.Join(dir, name+".svg"))
	if errors.Is(err, fs.ErrNotExist) {
		got, err = os.ReadFile(filepath.Join(dir, folder, rest+".svg"))
	}
	if err != nil {
		return 0 // drawn by a program
	}
	path := filepath.Join(committed, name+".svg")
	if *galleryUpdate {
		testkit.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want := testkit.Must(os.ReadFile(path))(t)
	testkit.NoError(t, testkit.SamePicture(got, want),
		fmt.Sprintf("docs/images/gallery/%s.svg is not what the command draws", name))
	return 1
}
