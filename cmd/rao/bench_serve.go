package main

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rao/dataset"
	"rao/internal/suggest"
	"rao/method"
	"rao/model"
	"rao/serve"
)

// serveCase is one kind of request and what came of it; its JSON names do not change.
type serveCase struct {
	Name   string `json:"case"`
	Rows   int    `json:"rows"`
	Binary bool   `json:"binary"`
	rate   float64
	*serve.LoadReport
	Peer *serve.LoadReport `json:"peer,omitempty"` // the same model in scikit-learn behind a server of Python
}

func benchServeCommand(a *app) *cobra.Command {
	var seconds, rate float64
	var clients, streams, requests int
	var peer, peerServer string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Time a server of this machine, its clients included",
		Long: `Serve a model of the embedded digits (SQFA, nine filters, a quadratic classifier) on a
free port of this machine and send it requests of the Open Inference Protocol: one
observation and 256 at a time, as JSON and with binary tensors. The clients run in the
same process and take their share of the processors. Each sends its next request when it
has the answer to the last.

--rate then sends that many requests of one observation a second, whether or not the
server keeps up. Their latency is the time from the moment in which a request falls due.
Timers of the clients are up to a millisecond late, which counts too.

--peer names a Python with scikit-learn and what --peer-server says, FastAPI with uvicorn
or MLServer: the same model behind those, in a process for each processor, then answers
the same requests, in turns. It gives label and posterior, and must agree with rao. MLServer
takes no binary tensors.

With --streams it serves a model of simulated EEG instead and sends it live signals of 16
channels at 250 Hz, each over a WebSocket of its own: messages of ten samples, windows of
two seconds, five decisions a second. A latency is the time from the moment in which the
last sample is due to the decision at the client.

With --requests it sends that many requests of one observation, in ten parts, and says
what memory is held after each.`,
		Example: "  rao bench serve\n  rao bench serve --seconds 10 --clients 16 --json\n" +
			"  rao bench serve --streams 1000 --seconds 30\n  rao bench serve --requests 3000000",
		Args: noArgs,
	}
	f := cmd.Flags()
	numberFlag(f, &seconds, "seconds", 3, 0.05, 3600, "time of each kind of request, and of the streams")
	numberFlag(f, &rate, "rate", 15000, 0, 1e6, "requests a second that fall due at their own time; 0 leaves them out")
	countFlag(f, &clients, "clients", 8, 1, 4096, "clients at a time")
	countFlag(f, &streams, "streams", 0, 0, 1<<16, "live streams at a time; 0 times requests")
	countFlag(f, &requests, "requests", 0, 0, 1<<30, "requests to send and watch the memory; 0 times requests")
	textVar(f, &peer, "peer", "FILE", "", "interpreter of a peer: Python with scikit-learn and the server")
	textVar(f, &peerServer, "peer-server", "NAME", "fastapi", "server of the peer: "+strings.Join(peerServers, " or "))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		defer steadyMemory()()
		ctx, each := cmd.Context(), time.Duration(seconds*float64(time.Second))
		switch {
		case !slices.Contains(peerServers, peerServer):
			return usagef("--peer-server: %v", suggest.Unknown("server", peerServer, peerServers))
		case streams > 0 && requests > 0 || peer != "" && streams+requests > 0:
			return usagef("--streams, --requests and --peer are different measurements; give one")
		case streams > 0:
			r, err := benchStreams(ctx, streams, each)
			if err != nil {
				return err
			}
			return a.emit(r, func() { a.printStreams(r) })
		case requests > 0:
			r, err := benchMemory(ctx, requests, clients)
			if err != nil {
				return err
			}
			return a.emit(r, func() { a.printMemory(r) })
		}
		cases, err := benchServe(ctx, each, clients, rate, peer, peerServer)
		if err != nil {
			return err
		}
		return a.emit(cases, func() { a.printCases(cases) })
	}
	return cmd
}

func (a *app) printCases(cases []serveCase) {
	var rows [][]string
	line := func(name string, r *serve.LoadReport) {
		rows = append(rows, []string{name, fmt.Sprintf("%.0f", r.PerSecond), fmt.Sprintf("%.0f", r.RowsPerSecond),
			milliseconds(r.Median), milliseconds(r.P99), milliseconds(r.P999), fmt.Sprint(r.Missing),
			fmt.Sprint(r.Errors)})
	}
	for _, c := range cases {
		line(c.Name, c.LoadReport)
		if c.Peer != nil {
			line("  the peer", c.Peer)
		}
	}
	a.table([]string{"requests", "a second", "rows a second", "median, ms", "p99, ms", "p99.9, ms", "missing",
		"errors"}, rows)
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()*1e3) }

// served serves a model on a free port of this machine.
func served(m *model.Model, opt serve.Options) (url string, done func(), err error) {
	dir, err := os.MkdirTemp("", "rao-bench-")
	if err != nil {
		return "", nil, err
	}
	defer os.RemoveAll(dir)
	if err := m.Save(filepath.Join(dir, "model.rao")); err != nil {
		return "", nil, err
	}
	models, err := serve.Open(dir)
	if err != nil {
		return "", nil, err
	}
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	handler := serve.New(models, opt)
	web := &http.Server{Handler: handler}
	go web.Serve(listen)
	return "http://" + listen.Addr().String(), func() { handler.Close(); web.Close() }, nil
}

// digitsLoad fits the model of digits and returns it with requests for it, of 256 rows.
func digitsLoad(ctx context.Context, clients int) (*model.Model, *dataset.Data, serve.Load, error) {
	d, err := dataset.Open(ctx, "digits:train", dataset.OpenOptions{RequireLabels: true})
	if err != nil {
		return nil, nil, serve.Load{}, err
	}
	fitted, err := fitNamed(ctx, "sqfa", d, method.Settings{{Name: "filters", Value: "9"}, {Name: "noise", Value: "1"}})
	if err != nil {
		return nil, nil, serve.Load{}, err
	}
	values := make([]float64, 0, 256*fitted.Input.Dim)
	for i := range 256 {
		for j := range fitted.Input.Dim {
			values = append(values, d.X.At(i, j))
		}
	}
	l := serve.Load{Model: "model", Shape: []int{fitted.Input.Dim}, Values: values, Clients: clients}
	return fitted, d, l, nil
}

// fitNamed fits the method of that name.
func fitNamed(ctx context.Context, name string, d *dataset.Data, set method.Settings) (*model.Model, error) {
	m, err := method.Lookup(name)
	if err != nil {
		return nil, err
	}
	return m.Fit(ctx, method.Source{Data: d}, set, nil)
}

// benchServe times each kind of request.
func benchServe(ctx context.Context, each time.Duration, clients int, rate float64, python,
	server string) ([]serveCase, error) {
	m, d, load, err := digitsLoad(ctx, clients)
	if err != nil {
		return nil, err
	}
	url, done, err := served(m, serve.Options{Queue: 4 * clients})
	if err != nil {
		return nil, err
	}
	defer done()
	load.URL = url
	var peer *webPeer
	if python != "" {
		if peer, err = startWebPeer(ctx, python, server, m, d); err != nil {
			return nil, err
		}
		defer peer.stop()
		if off, err := agree(ctx, load, peer.url); err != nil || off > 1e-6 {
			return nil, cmp.Or(err, fmt.Errorf("the posteriors of the peer differ by %g: it is another model", off))
		}
	}
	cases := []serveCase{{Name: "1 row, JSON", Rows: 1}, {Name: "1 row, binary", Rows: 1, Binary: true},
		{Name: "256 rows, JSON", Rows: 256}, {Name: "256 rows, binary", Rows: 256, Binary: true}}
	if rate > 0 {
		cases = append(cases, serveCase{Name: "1 row, JSON, paced", Rows: 1, rate: rate},
			serveCase{Name: "1 row, binary, paced", Rows: 1, Binary: true, rate: rate})
	}
	for i := range cases {
		l := load
		l.Rows, l.Binary, l.Duration, l.Rate = cases[i].Rows, cases[i].Binary, each, cases[i].rate
		if cases[i].LoadReport, err = l.Run(ctx); err != nil {
			return nil, err
		}
		if peer != nil && l.Rate == 0 && !(l.Binary && server == "mlserver") { // the rate is one for rao alone
			l.URL = peer.url
			if cases[i].Peer, err = l.Run(ctx); err != nil {
				return nil, err
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return cases, nil
}

// memoryReport is what memory is held while requests come; its JSON names do not change.
type memoryReport struct {
	Requests  int      `json:"requests"`
	Errors    int      `json:"errors"`
	PerSecond float64  `json:"requests_per_second"`
	HeldBytes []uint64 `json:"held_bytes"` // after each tenth of the requests and a collection of garbage
}

// benchMemory sends requests of one observation in ten parts.
func benchMemory(ctx context.Context, requests, clients int) (*memoryReport, error) {
	m, _, load, err := digitsLoad(ctx, clients)
	if err != nil {
		return nil, err
	}
	url, done, err := served(m, serve.Options{Queue: 4 * clients})
	if err != nil {
		return nil, err
	}
	defer done()
	r := &memoryReport{}
	seconds := 0.0
	for part := range 10 {
		l := load
		l.URL, l.Rows, l.Binary, l.Duration = url, 1, true, 24*time.Hour
		l.Requests = requests*(part+1)/10 - requests*part/10
		if l.Requests == 0 {
			continue
		}
		one, err := l.Run(ctx)
		if err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r.Requests, r.Errors, seconds = r.Requests+one.Requests, r.Errors+one.Errors,
			seconds+float64(one.Requests)/one.PerSecond
		runtime.GC()
		var mem runtime.MemStats
		runtime.ReadMemStats(&mem)
		r.HeldBytes = append(r.HeldBytes, mem.HeapAlloc)
	}
	r.PerSecond = float64(r.Requests) / seconds
	return r, nil
}

func (a *app) printMemory(r *memoryReport) {
	fmt.Fprintf(a.out, "%d requests, %d errors, %.0f a second\n", r.Requests, r.Errors, r.PerSecond)
	var rows [][]string
	for i, b := range r.HeldBytes {
		rows = append(rows, []string{fmt.Sprintf("%d %%", 10*(i+1)), fmt.Sprintf("%.2f", float64(b)/(1<<20))})
	}
	a.table([]string{"of the requests", "held, MiB"}, rows)
}
