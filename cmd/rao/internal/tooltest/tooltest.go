// Package tooltest runs the tool in tests, either in the process of the test or as a program in scripts. The tool has
// the commands of the core. If a test imports an optional part, such as rao/cmd/rao/eeg, the tool also has the commands
// of that part.
package tooltest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"rao/cmd/rao/cli"
	"rao/dataset"
	"rao/internal/testkit"
	"rao/synth"
)

// Main runs the tests of a package that has script tests or starts rao as a program. TestMain of the package calls it.
func Main(m *testing.M) { testscript.Main(m, map[string]func(){"rao": cli.Main}) }

// gcPercent is the value of GOGC in tests with -short. Collecting garbage less often saves a fifth of the processor
// time of many small commands.
const gcPercent = 400

var quick = sync.OnceFunc(func() {
	if testing.Short() {
		debug.SetGCPercent(gcPercent)
	}
})

// Run runs the tool in this process and returns its exit status, standard output and standard error.
func Run(t testing.TB, args ...string) (status int, out, said string) {
	t.Helper()
	quick()
	var o, e bytes.Buffer
	status = cli.Run(args, nil, &o, &e)
	return status, o.String(), e.String()
}

// Succeeds runs the tool and returns its standard error. The test fails if the tool fails.
func Succeeds(t testing.TB, args ...string) (said string) {
	t.Helper()
	_, said = succeed(t, args)
	return said
}

// Output runs the tool and returns its standard output. The test fails if the tool fails.
func Output(t testing.TB, args ...string) (out string) {
	t.Helper()
	out, _ = succeed(t, args)
	return out
}

// Decode runs the tool with --json and decodes its standard output. The test fails if the tool fails.
func Decode(t testing.TB, v any, args ...string) {
	t.Helper()
	out, _ := succeed(t, append(slices.Clone(args), "--json"))
	testkit.NoError(t, json.Unmarshal([]byte(out), v), out)
}

func succeed(t testing.TB, args []string) (out, said string) {
	t.Helper()
	status, out, said := Run(t, args...)
	if status != 0 {
		t.Fatalf("%q: exit status %d, %s", args, status, said)
	}
	return out, said
}

// Fails runs the tool, which must fail with a message that contains want.
func Fails(t testing.TB, want string, args ...string) {
	t.Helper()
	if status, _, said := Run(t, args...); status == 0 || !strings.Contains(said, want) {
		t.Errorf("%q: exit status %d, %s; want a failure with %q", args, status, said, want)
	}
}

// Exits runs the tool, which must end with the given status and a message that contains want.
func Exits(t testing.TB, status int, want string, args ...string) {
	t.Helper()
	if got, _, said := Run(t, args...); got != status || !strings.Contains(said, want) {
		t.Errorf("%q: exit status %d, %s; want %d and %q", args, got, said, status, want)
	}
}

// Generated writes data from a generator of package synth to a file in dir, and returns the path of the file.
func Generated(t testing.TB, dir, name string, perClass int, seed uint64) string {
	t.Helper()
	d := testkit.Must(synth.Generate(name, synth.GenerateOptions{PerClass: perClass, Seed: seed}))(t)
	path := filepath.Join(dir, name+string(rune('a'+seed))+".npz")
	testkit.NoError(t, dataset.WriteFile(path, d))
	return path
}

// A Command is a command for scripts, in addition to the commands of testscript.
type Command = func(ts *testscript.TestScript, neg bool, args []string)

// Scripts runs every script in a folder. With -short it skips the files in slow. env contains variables of the form
// NAME=VALUE.
func Scripts(t *testing.T, dir string, slow []string, commands map[string]Command, env ...string) {
	t.Helper()
	all := map[string]Command{"cut": cutFile, "flip": flipByte, "status": testkit.ExitStatus, "exponent": scaleTable,
		"reverse": reverseTable}
	for name, c := range commands {
		all[name] = c
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || files == nil {
		t.Fatalf("no scripts in %s: %v", dir, err)
	}
	if testing.Short() {
		files = slices.DeleteFunc(files, func(f string) bool {
			return slices.Contains(slow, strings.TrimSuffix(filepath.Base(f), ".txtar"))
		})
	}
	root := checkout(t)
	testscript.Run(t, testscript.Params{
		Files: files,
		Setup: func(e *testscript.Env) error {
			e.Setenv("REPO", root) // for scripts that read test data of the project
			if testing.Short() {
				e.Setenv("GOGC", strconv.Itoa(gcPercent))
			}
			for _, v := range env {
				name, value, _ := strings.Cut(v, "=")
				e.Setenv(name, value)
			}
			return nil
		},
		Cmds: all,
		Condition: func(cond string) (bool, error) {
			if cond == "devfull" {
				_, err := os.Stat("/dev/full")
				return err == nil, nil
			}
			return false, nil
		},
	})
}

// checkout returns the folder that contains go.mod.
func checkout(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		if _, none := os.Stat(filepath.Join(dir, "go.mod")); none == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	t.Fatalf("no folder above has a go.mod: %v", err)
	return ""
}

// cutFile implements the script command cut FILE N, which truncates a file to its first N bytes.
func cutFile(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), n))
}

// flipByte implements the script command flip FILE OFFSET, which inverts one byte. A negative offset counts from the
// end.
func flipByte(ts *testscript.TestScript, neg bool, args []string) {
	path := ts.MkAbs(args[0])
	b, err := os.ReadFile(path)
	ts.Check(err)
	i, err := strconv.Atoi(args[1])
	ts.Check(err)
	if i < 0 {
		i += len(b)
	}
	b[i] ^= 0xff
	ts.Check(os.WriteFile(path, b, 0o644))
}

// scaleTable implements the script command exponent FILE TENS. It multiplies the numbers of a csv file by 10^TENS,
// except in the header and the last column.
func scaleTable(ts *testscript.TestScript, neg bool, args []string) {
	rewrite(ts, args[0], func(i int, fields []string) []string {
		for j := range fields[:len(fields)-1] {
			if i > 0 {
				fields[j] += "e" + args[1]
			}
		}
		return fields
	})
}

// reverseTable implements the script command reverse FILE. It reverses the order of the columns of a csv file, except
// for the last one.
func reverseTable(ts *testscript.TestScript, neg bool, args []string) {
	rewrite(ts, args[0], func(_ int, fields []string) []string {
		slices.Reverse(fields[:len(fields)-1])
		return fields
	})
}

func rewrite(ts *testscript.TestScript, name string, change func(line int, fields []string) []string) {
	path := ts.MkAbs(name)
	b, err := os.ReadFile(path)
	ts.Check(err)
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	for i, l := range lines {
		lines[i] = strings.Join(change(i, strings.Split(l, ",")), ",")
	}
	ts.Check(os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644))
}
