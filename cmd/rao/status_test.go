package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"rao/cmd/rao/internal/app"
	"rao/cmd/rao/internal/tooltest"
)

// absentInput contains a correct command line of every command except that a file does not exist. The line of commands
// without a file is empty.
var absentInput = map[string]string{
	"rao demo": "", "rao demo eeg": "", "rao methods": "", "rao version": "", "rao data list": "", "rao data get": "",
	"rao paper list": "", "rao paper page": "", "rao paper bench": "", "rao paper run": "", "rao eeg lsl list": "",
	"rao data recording": "", "rao worker": "",
	"rao fit lda":       "--data absent.csv --out out.rao",
	"rao tune lda":      "--data absent.csv",
	"rao compare":       "--data absent.csv --test absent.csv --methods lda",
	"rao study":         "--set a=absent.npz --methods mdm --out out",
	"rao update":        "--model absent.rao --data absent.csv --out out.rao",
	"rao evaluate":      "--model absent.rao --data absent.csv",
	"rao export onnx":   "--model absent.rao --out out.onnx",
	"rao predict":       "--model absent.rao --data absent.csv --out out.csv",
	"rao transform":     "--model absent.rao --data absent.csv --out out.npy",
	"rao serve":         "--model absent.rao",
	"rao drift":         "--model absent.rao --data absent.csv",
	"rao plot":          "--model absent.rao --out out",
	"rao show":          "absent.rao",
	"rao verify":        "absent.rao",
	"rao data deskew":   "--data absent.csv --out out.npz",
	"rao data make":     "speed --images absent --out out.npz",
	"rao stats":         "--data absent.csv --out out.npz",
	"rao stats basis":   "--data absent.csv --out out.npz",
	"rao stats merge":   "absent.npz other.npz --out out.npz",
	"rao stats sign":    "absent.npz --key absent.key",
	"rao spd artifacts": "--data absent.npz",
	"rao spd check":     "--data absent.npz",
	"rao spd cluster":   "--data absent.npz --clusters 2 --out out.csv",
	"rao spd distance":  "--data absent.npz",
	"rao spd embed":     "--data absent.npz --out out.npy",
	"rao spd images":    "--data absent --out out.npz",
	"rao spd manova":    "--data absent.npz",
	"rao spd mean":      "--data absent.npz --out out.npy",
	"rao spd regress":   "--data absent.npz --y y",
	"rao eeg calibrate": "absent.fif --classes a,b --stop 1 --out out.rao",
	"rao eeg clean":     "absent.fif",
	"rao eeg convert":   "absent.fif --out out.npz",
	"rao eeg cov":       "absent.fif --classes a,b --stop 1 --out out.npz",
	"rao eeg epochs":    "--data absent.npz --out out.npz",
	"rao eeg play":      "absent.fif --publish x",
	"rao eeg report":    "absent.fif --classes a,b --stop 1 --out out.html",
	"rao eeg score":     "absent.fif --model absent.rao --classes a,b --stop 1",
	"rao eeg stopping":  "absent.fif --model absent.rao --classes a,b --stop 1 --out out.json",
	"rao eeg stream":    "absent.fif --model absent.rao",
}

// For every verb, the exit status is 2 if the command line alone shows the error, and 1 if a file is missing. The
// message about a flag names it.
func TestExitStatus(t *testing.T) {
	dir := t.TempDir()
	tried := 0
	for _, cmd := range allVerbs(t) {
		path := cmd.CommandPath()
		rest, listed := absentInput[path]
		if !cmd.HasParent() || !cmd.IsAvailableCommand() {
			continue
		}
		switch words := strings.Fields(path); words[1] {
		case "help", "completion":
			continue
		case "fit", "tune":
			if words[len(words)-1] != "lda" {
				continue // one line for all methods
			}
		}
		if !listed {
			t.Errorf("%s has no line in absentInput", path)
			continue
		}
		verb := strings.Fields(path)[1:]
		line := slices.Clone(verb)
		for _, word := range strings.Fields(rest) {
			if strings.HasPrefix(word, "out") || strings.HasPrefix(word, "absent") {
				word = filepath.Join(dir, word)
			}
			line = append(line, word)
		}
		if rest != "" {
			tried++
			tooltest.Exits(t, 1, "", line...)
			for i := 1; i < len(line); i++ { // without a flag and its value
				if !strings.HasPrefix(line[i], "--") {
					continue
				}
				if slices.Contains([]string{"--images", "--key"}, line[i]) {
					continue // not required
				}
				without := slices.Delete(slices.Clone(line), i, i+2)
				status, _, said := tooltest.Run(t, without...)
				if status != 2 && !(line[i] == "--out" && path == "rao study") {
					t.Errorf("%q: exit status %d, want 2; %s", without, status, said)
				}
			}
		}
		for _, more := range wrongFlags(cmd.Flags()) {
			name, _, _ := strings.Cut(more[0], "=")
			tooltest.Exits(t, 2, name, slices.Concat(line, more)...)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 || err != nil {
		t.Errorf("files were left: %v %v", left, err)
	}
	if tried < 25 { // there are fewer without a wing
		t.Errorf("only %d verbs read a file", tried)
	}
}

// wrongFlags returns wrong arguments: an unknown flag, an invalid value of each flag with a limited set of values, a
// flag that is given twice, and an output of an unknown kind.
func wrongFlags(flags *pflag.FlagSet) [][]string {
	wrong := [][]string{{"--no-such-flag=1"}}
	twice := false
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		_, form, _ := strings.Cut(app.FlagName(f), " ")
		_, list := f.Value.(pflag.SliceValue)
		switch {
		case f.Annotations[app.OutputAnnotation] != nil:
			if !app.OutputKind(f.Annotations[app.OutputAnnotation][0]).Folder() {
				wrong = append(wrong, []string{fmt.Sprintf("--%s=x.foo", f.Name)})
			}
		case form == "number" || form == "count" || form == "METRIC" && f.Name != "metric" ||
			strings.Contains(form, "|") && form == strings.ToLower(form):
			wrong = append(wrong, []string{fmt.Sprintf("--%s=no such value", f.Name)})
		case !list && !twice && (form == "FILE" || form == "NAME" || form == "UNIT"):
			twice = true
			wrong = append(wrong, []string{fmt.Sprintf("--%s=a", f.Name), fmt.Sprintf("--%s=b", f.Name)})
		}
	})
	return wrong
}
