package main

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"rao/internal/testkit"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"rao": main})
}

// TestScripts runs the tool as a user would: every file of testdata/script is one
// story.
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("REPO", root) // for the fixtures of readers
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"cut":      cutFile,
			"flip":     flipByte,
			"status":   testkit.ExitStatus,
			"exponent": scaleTable,
			"reverse":  reverseTable,
		},
		Condition: func(cond string) (bool, error) {
			if cond == "devfull" {
				_, err := os.Stat("/dev/full")
				return err == nil, nil
			}
			return false, nil
		},
	})
}

// TestExternalScripts runs the stories that need data from outside the project.
func TestExternalScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("long: real data sets")
	}
	data := testkit.External(t, "data")
	testscript.Run(t, testscript.Params{
		Dir: "testdata/external",
		Setup: func(e *testscript.Env) error {
			e.Setenv("DATA", data)
			return nil
		},
	})
}

// cutFile keeps the first N bytes of a file: cut FILE N.
func cutFile(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), n))
}

// flipByte inverts one byte of a file: flip FILE OFFSET (negative from the end).
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

// scaleTable multiplies the numbers of a csv, header and last column left out, by a power of ten:
// exponent FILE TENS.
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

// reverseTable puts the columns of a csv, the last left out, in reverse order: reverse FILE.
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
