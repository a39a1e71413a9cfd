package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"rao/internal/linalg/vec"
	"rao/internal/usage"
)

// toolServer is a server that an executable of rao runs in its own process.
type toolServer struct {
	url string
	cmd *exec.Cmd
	dir string
}

// startTool fits a model of digits with the executable and starts its server.
func startTool(ctx context.Context, path string) (_ *toolServer, err error) {
	s := &toolServer{}
	if s.dir, err = os.MkdirTemp("", "rao-bench-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.stop()
		}
	}()
	fit := exec.CommandContext(ctx, path, "fit", "sqfa", "--data", "digits:train", "--filters", "9", "--noise", "1",
		"--out", filepath.Join(s.dir, "model.rao"), "--quiet")
	if b, err := fit.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s fit: %w: %s", path, err, b)
	}
	s.cmd = exec.CommandContext(ctx, path, "serve", "--model", s.dir, "--addr", "127.0.0.1:0", "--no-log")
	said, err := s.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		if _, url, found := strings.Cut(lines.Text(), " on http://"); found {
			s.url = "http://" + url
			go io.Copy(io.Discard, said)
			return s, nil
		}
	}
	return nil, fmt.Errorf("%s serve did not start", path)
}

func (s *toolServer) stop() {
	if s.cmd != nil && s.cmd.Process != nil {
		s.cmd.Process.Kill()
		s.cmd.Wait()
	}
	os.RemoveAll(s.dir)
}

// processor returns the processor time that the server has used, in seconds, or 0 if the system does not report it.
func (s *toolServer) processor() float64 { return usage.ProcessorOf(s.cmd.Process.Pid) }

// toolReport is the result of a server in one turn.
type toolReport struct {
	LoadReport
	Processor float64 `json:"processor_seconds"` // processor time of the server
}

// toolCase is one kind of request with the results of two executables in each turn. The names in the JSON are stable.
type toolCase struct {
	Name  string          `json:"case"`
	Turns [][2]toolReport `json:"turns"`
}

// benchTools sends the same requests to the servers of two executables, in turns.
func benchTools(ctx context.Context, o *options) ([]toolCase, error) {
	_, _, load, err := digitsLoad(ctx, o.clients, "1")
	if err != nil {
		return nil, err
	}
	var servers [2]*toolServer
	for i, path := range strings.Split(o.tools, ",") {
		if servers[i], err = startTool(ctx, path); err != nil {
			return nil, err
		}
		defer servers[i].stop()
	}
	load.URL = servers[0].url
	if off, err := agree(ctx, load, servers[1].url); err != nil {
		return nil, err
	} else if off > 0.01 { // the optimizers of two releases may stop at slightly different points
		return nil, fmt.Errorf("the posteriors of the two executables differ by %g, so the models are different", off)
	}
	var cases []toolCase
	for _, c := range serveCases(o.rate) {
		measured := toolCase{Name: c.Name}
		l := load
		l.Rows, l.Binary, l.Duration, l.Rate = c.Rows, c.Binary, o.each, c.rate
		for turn := range o.turns {
			var pair [2]toolReport
			for k := range pair {
				i := (k + turn) % 2 // alternate which executable is first
				l.URL = servers[i].url
				before := servers[i].processor()
				r, err := l.Run(ctx)
				if err != nil {
					return nil, err
				}
				pair[i] = toolReport{*r, servers[i].processor() - before}
			}
			measured.Turns = append(measured.Turns, pair)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		cases = append(cases, measured)
	}
	return cases, nil
}

// median returns the median of value over the turns.
func (c *toolCase) median(value func([2]toolReport) float64) float64 {
	values := make([]float64, len(c.Turns))
	for i, t := range c.Turns {
		values[i] = value(t)
	}
	return vec.Median(values)
}

// ratio returns the median over the turns of the value of the second executable divided by the value of the first.
func (c *toolCase) ratio(value func(toolReport) float64) float64 {
	return c.median(func(t [2]toolReport) float64 { return value(t[1]) / value(t[0]) })
}

func printTools(w io.Writer, cases []toolCase) {
	rate := func(r toolReport) float64 { return r.PerSecond }
	late := func(r toolReport) float64 { return r.P99.Seconds() * 1e3 }
	cost := func(r toolReport) float64 { return r.Processor * 1e6 / float64(max(1, r.Requests)) }
	fmt.Fprintln(w, "requests\tper second\t\tratio\tp99, ms\t\tratio\tprocessor, us per request\t\tratio\terrors")
	for i := range cases {
		c := &cases[i]
		fmt.Fprint(w, c.Name)
		for _, value := range []func(toolReport) float64{rate, late, cost} {
			for k := range 2 {
				fmt.Fprintf(w, "\t%.4g", c.median(func(t [2]toolReport) float64 { return value(t[k]) }))
			}
			fmt.Fprintf(w, "\t%.3f", c.ratio(value))
		}
		errors := 0
		for _, t := range c.Turns {
			errors += t[0].Errors + t[0].Missing + t[1].Errors + t[1].Missing
		}
		fmt.Fprintf(w, "\t%d\n", errors)
	}
}
