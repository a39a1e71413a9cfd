// Command load measures a server on this machine, including its clients:
//
//	go run ./serve/load
//	go run ./serve/load -seconds 10 -clients 16 -json
//	go run ./serve/load -streams 1000 -seconds 30
//	go run ./serve/load -requests 3000000
//
// It serves a model of the embedded digits (SQFA, nine filters, a quadratic classifier) on a free port and sends it
// requests of the Open Inference Protocol: 1 and 256 observations per request, as JSON and with binary tensors. The
// clients run in the same process and use part of its processor time. Each client sends its next request when it has
// received the previous answer.
//
// With -rate it then sends that many requests of one observation per second, whether or not the server keeps up. The
// latency of these requests is measured from the time they are due.
//
// With -peer, the same model in scikit-learn answers the same requests. The flag names a Python interpreter with
// scikit-learn and the package of -peer-server. The two servers take turns, and the Python server has one process per
// processor. The posteriors of both must agree. MLServer accepts no binary tensors.
//
// With -streams it serves a model of covariances instead and sends it live signals of 16 channels at 250 Hz, each over
// its own WebSocket: messages of ten samples, windows of two seconds, five decisions per second. The latency is the
// time from the due time of the last sample to the arrival of the decision at the client.
//
// With -tools OLD,NEW, two rao executables fit and serve the model, each in its own process. They receive the same
// requests in turns, and the ratios are NEW divided by OLD.
//
// With -requests it sends that many requests of one observation, in ten parts, and prints the memory in use after each
// part. Meanwhile the model file is replaced every second.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"rao"
	"rao/dataset"
	"rao/method"
	"rao/model"
	"rao/serve"
	_ "rao/sets" // registers the set of digits
)

// serveCase is one kind of request with its results. The names in the JSON are stable.
type serveCase struct {
	Name   string `json:"case"`
	Rows   int    `json:"rows"`
	Binary bool   `json:"binary"`
	rate   float64
	*LoadReport
	Peer *LoadReport `json:"peer,omitempty"` // the same model in scikit-learn behind a Python server
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// options contains the values of the command-line flags.
type options struct {
	each              time.Duration // duration of each kind of request, or of the streams
	rate              float64
	clients           int
	streams, requests int
	peer, peerServer  string
	tools             string // two executables, separated by a comma
	turns             int
}

// run runs the measurement that the arguments select and writes the result.
func run(args []string, out io.Writer) error {
	var o options
	f := flag.NewFlagSet("load", flag.ContinueOnError)
	seconds := f.Float64("seconds", 3, "seconds for each kind of request, and for the streams")
	f.Float64Var(&o.rate, "rate", 15000, "rate of paced requests, per second; 0 leaves them out")
	f.IntVar(&o.clients, "clients", 8, "number of concurrent clients")
	f.IntVar(&o.streams, "streams", 0, "number of concurrent live streams; 0 measures requests instead")
	f.IntVar(&o.requests, "requests", 0,
		"number of requests to send while watching the memory; 0 measures requests instead")
	f.StringVar(&o.peer, "peer", "", "interpreter of a peer: Python with scikit-learn and the server")
	f.StringVar(&o.peerServer, "peer-server", "fastapi", "server of the peer: "+strings.Join(peerServers, " or "))
	f.StringVar(&o.tools, "tools", "", "two executables of rao, OLD,NEW, to compare in turns")
	f.IntVar(&o.turns, "turns", 5, "turns of -tools for each kind of request")
	asJSON := f.Bool("json", false, "write the result as JSON")
	if err := f.Parse(args); err != nil {
		return err
	}
	o.each = time.Duration(*seconds * float64(time.Second))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r, text, err := o.measure(ctx)
	switch {
	case err != nil:
		return err
	case *asJSON:
		return json.NewEncoder(out).Encode(r)
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	text(table)
	return table.Flush()
}

// measure runs the measurement that the options select. text writes the result as a table with tabs.
func (o *options) measure(ctx context.Context) (result any, text func(io.Writer), err error) {
	switch {
	case !slices.Contains(peerServers, o.peerServer):
		return nil, nil, &rao.UnknownError{Kind: "server", Name: o.peerServer, Known: peerServers}
	case o.tools != "" && (strings.Count(o.tools, ",") != 1 || o.peer != "" || o.streams+o.requests > 0):
		return nil, nil,
			errors.New("-tools needs two executables, OLD,NEW, and cannot be combined with other measurements")
	case min(o.clients, 1+o.streams, 1+o.requests, o.turns) < 1 || !(o.each > 0) || !(o.rate >= 0):
		return nil, nil, errors.New("-clients, -turns and -seconds must be positive, and -streams, -requests and " +
			"-rate must not be negative")
	case o.streams > 0 && o.requests > 0 || o.peer != "" && o.streams+o.requests > 0:
		return nil, nil, errors.New("-streams, -requests and -peer are different measurements; use one at a time")
	case o.streams > 0:
		r, err := benchStreams(ctx, o.streams, o.each)
		return r, r.print, err
	case o.requests > 0:
		r, err := benchMemory(ctx, o.requests, o.clients)
		return r, r.print, err
	}
	if o.tools != "" {
		cases, err := benchTools(ctx, o)
		return cases, func(w io.Writer) { printTools(w, cases) }, err
	}
	cases, err := benchServe(ctx, o)
	return cases, func(w io.Writer) { printCases(w, cases) }, err
}

func printCases(w io.Writer, cases []serveCase) {
	fmt.Fprintln(w, "requests\tper second\trows per second\tmedian, ms\tp99, ms\tp99.9, ms\tmissing\terrors")
	line := func(name string, r *LoadReport) {
		fmt.Fprintf(w, "%s\t%.0f\t%.0f\t%s\t%s\t%s\t%d\t%d\n", name, r.PerSecond, r.RowsPerSecond,
			milliseconds(r.Median), milliseconds(r.P99), milliseconds(r.P999), r.Missing, r.Errors)
	}
	for _, c := range cases {
		line(c.Name, c.LoadReport)
		if c.Peer != nil {
			line("  the peer", c.Peer)
		}
	}
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()*1e3) }

// service is a server with one model on a free port of this machine.
type service struct {
	url    string
	folder string
	models *serve.Repository
	done   func()
}

// served writes the model to a temporary folder and starts an HTTP server for it on this machine.
func served(m *model.Model, opt serve.Options) (*service, error) {
	dir, err := os.MkdirTemp("", "rao-bench-")
	if err != nil {
		return nil, err
	}
	s := &service{folder: dir, done: func() { os.RemoveAll(dir) }}
	if err := m.Save(filepath.Join(dir, "model.rao")); err != nil {
		s.done()
		return nil, err
	}
	if s.models, err = serve.Open([]string{dir}, serve.OpenOptions{}); err != nil {
		s.done()
		return nil, err
	}
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.done()
		return nil, err
	}
	handler := serve.New(s.models, opt)
	web := &http.Server{Handler: handler}
	go web.Serve(listen)
	s.url = "http://" + listen.Addr().String()
	s.done = func() { handler.Close(); web.Close(); os.RemoveAll(dir) }
	return s, nil
}

// replace overwrites the served file every second with the next of the models, until ctx is done. It returns the number
// of replacements.
func (s *service) replace(ctx context.Context, models ...*model.Model) (n int, err error) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return n, nil
		case <-tick.C:
		}
		n++
		if err := models[n%len(models)].Save(filepath.Join(s.folder, "model.rao")); err != nil {
			return n, err
		}
		if err := s.models.Reload(); err != nil {
			return n, err
		}
	}
}

// digitsLoad fits a model of digits. It returns the model, the data, and a load of requests with 256 rows.
func digitsLoad(ctx context.Context, clients int, noise string) (*model.Model, *dataset.Data, Load, error) {
	d, err := dataset.Open(ctx, "digits:train", dataset.OpenOptions{RequireLabels: true})
	if err != nil {
		return nil, nil, Load{}, err
	}
	sqfa, err := method.Lookup("sqfa")
	if err != nil {
		return nil, nil, Load{}, err
	}
	fitted, err := sqfa.Fit(ctx, method.InMemory{Data: d},
		method.Settings{{Name: "filters", Value: "9"}, {Name: "noise", Value: noise}}, nil)
	if err != nil {
		return nil, nil, Load{}, err
	}
	values := make([]float64, 0, 256*fitted.Input.Dim)
	for i := range 256 {
		for j := range fitted.Input.Dim {
			values = append(values, d.X.At(i, j))
		}
	}
	l := Load{Model: "model", Shape: []int{fitted.Input.Dim}, Values: values, Clients: clients}
	return fitted, d, l, nil
}

// serveCases returns the kinds of requests. If rate is not 0, one of them has this rate.
func serveCases(rate float64) []serveCase {
	cases := []serveCase{{Name: "1 row, JSON", Rows: 1}, {Name: "1 row, binary", Rows: 1, Binary: true},
		{Name: "256 rows, JSON", Rows: 256}, {Name: "256 rows, binary", Rows: 256, Binary: true}}
	if rate > 0 {
		cases = append(cases, serveCase{Name: "1 row, JSON, paced", Rows: 1, rate: rate},
			serveCase{Name: "1 row, binary, paced", Rows: 1, Binary: true, rate: rate})
	}
	return cases
}

// benchServe starts a server with a model of digits and measures each kind of request.
func benchServe(ctx context.Context, o *options) ([]serveCase, error) {
	m, d, load, err := digitsLoad(ctx, o.clients, "1")
	if err != nil {
		return nil, err
	}
	s, err := served(m, serve.Options{Queue: 4 * o.clients})
	if err != nil {
		return nil, err
	}
	defer s.done()
	load.URL = s.url
	var peer *webPeer
	if o.peer != "" {
		if peer, err = startWebPeer(ctx, o.peer, o.peerServer, m, d); err != nil {
			return nil, err
		}
		defer peer.stop()
		if off, err := agree(ctx, load, peer.url); err != nil || off > 1e-6 {
			return nil, cmp.Or(err, fmt.Errorf("the posteriors of the peer differ by %g, so it serves a different "+
				"model", off))
		}
	}
	cases := serveCases(o.rate)
	for i := range cases {
		l := load
		l.Rows, l.Binary, l.Duration, l.Rate = cases[i].Rows, cases[i].Binary, o.each, cases[i].rate
		if cases[i].LoadReport, err = l.Run(ctx); err != nil {
			return nil, err
		}
		if peer != nil && l.Rate == 0 && !(l.Binary && o.peerServer == "mlserver") { // a rate is only for rao
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

// memoryReport is the memory in use while requests are answered. The names in the JSON are stable.
type memoryReport struct {
	Requests  int      `json:"requests"`
	Errors    int      `json:"errors"`
	Replaced  int      `json:"replaced"` // number of times that the model was replaced
	PerSecond float64  `json:"requests_per_second"`
	HeldBytes []uint64 `json:"held_bytes"` // measured after a garbage collection at each tenth of the requests
}

// benchMemory sends requests of one observation in ten parts and measures the memory after each part.
func benchMemory(ctx context.Context, requests, clients int) (*memoryReport, error) {
	m, _, load, err := digitsLoad(ctx, clients, "1")
	if err != nil {
		return nil, err
	}
	other, _, _, err := digitsLoad(ctx, clients, "2")
	if err != nil {
		return nil, err
	}
	s, err := served(m, serve.Options{Queue: 4 * clients})
	if err != nil {
		return nil, err
	}
	defer s.done()
	r := &memoryReport{}
	replacing, stop := context.WithCancel(ctx)
	replaced := make(chan error, 1)
	go func() {
		var err error
		r.Replaced, err = s.replace(replacing, m, other)
		replaced <- err
	}()
	defer stop()
	seconds := 0.0
	for part := range 10 {
		l := load
		l.URL, l.Rows, l.Binary, l.Duration = s.url, 1, true, 24*time.Hour
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
	stop()
	return r, <-replaced
}

func (r *memoryReport) print(w io.Writer) {
	fmt.Fprintf(w, "%d requests, %d errors, %.0f per second, model replaced %d times\nof the requests\theld, MiB\n",
		r.Requests, r.Errors, r.PerSecond, r.Replaced)
	for i, b := range r.HeldBytes {
		fmt.Fprintf(w, "%d %%\t%.2f\n", 10*(i+1), float64(b)/(1<<20))
	}
}
