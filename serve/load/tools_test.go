package main

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rao/internal/testkit"
)

// Ratios compare the second executable with the first in each pair of runs.
func TestToolsAreComparedInTurns(t *testing.T) {
	c := toolCase{Name: "1 row"}
	for i, factor := range []float64{2, 0.5, 1.5} {
		first := float64(100 * (i + 1))
		c.Turns = append(c.Turns, [2]toolReport{{LoadReport: LoadReport{PerSecond: first, P99: time.Millisecond,
			Requests: 10}, Processor: 1},
			{LoadReport: LoadReport{PerSecond: factor * first, P99: 3 * time.Millisecond, Requests: 20, Errors: 1},
				Processor: 1}})
	}
	var b bytes.Buffer
	printTools(&b, []toolCase{c})
	want := "1 row\t200\t200\t1.500\t1\t3\t3.000\t1e+05\t5e+04\t0.500\t3\n"
	if _, line, _ := strings.Cut(b.String(), "\n"); line != want {
		t.Errorf("%q, want %q", line, want)
	}
}

func TestToolsThatCannotBeCompared(t *testing.T) {
	for _, o := range []options{{tools: "one"}, {tools: "a,b,c"}, {tools: "a,b", requests: 3}, {tools: "a,b"}} {
		o.each, o.clients, o.peerServer, o.turns = time.Second, 1, "fastapi", 1
		if _, _, err := o.measure(t.Context()); err == nil {
			t.Errorf("%+v is measured", o)
		}
	}
}

// Two servers of the tool answer the same requests.
func TestTools(t *testing.T) {
	testkit.SkipShort(t, "builds the tool")
	rao := filepath.Join(t.TempDir(), "rao")
	testkit.Output(t, exec.Command("go", "build", "-o", rao, "../../cmd/rao"))
	o := options{tools: rao + "," + rao, turns: 1, each: 50 * time.Millisecond, clients: 2}
	cases, err := benchTools(context.Background(), &o)
	if err != nil || len(cases) != 4 {
		t.Fatalf("%+v, %v", cases, err)
	}
	for _, c := range cases {
		for _, r := range c.Turns[0] {
			if r.Requests == 0 || r.Errors != 0 {
				t.Errorf("%s: %+v", c.Name, r)
			}
		}
	}
}
