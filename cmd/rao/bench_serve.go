package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"rao/dataset"
	"rao/method"
	"rao/serve"
)

// serveCase is one kind of request and what came of it; its JSON names do not change.
type serveCase struct {
	Name   string `json:"case"`
	Rows   int    `json:"rows"`
	Binary bool   `json:"binary"`
	*serve.LoadReport
}

func benchServeCommand(a *app) *cobra.Command {
	var seconds float64
	var clients int
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Time a server of this machine, its clients included",
		Long: `Serve a model of the embedded digits (SQFA, nine filters, a quadratic classifier) on a
free port of this machine and send it requests of the Open Inference Protocol: one
observation and 256 at a time, as JSON and with binary tensors. The clients run in the
same process and take their share of the processors.`,
		Example: "  rao bench serve\n  rao bench serve --seconds 10 --clients 16 --json",
		Args:    noArgs,
	}
	numberFlag(cmd.Flags(), &seconds, "seconds", 3, 0.05, 3600, "time of each kind of request")
	countFlag(cmd.Flags(), &clients, "clients", 8, 1, 4096, "clients at a time")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cases, err := benchServe(cmd.Context(), time.Duration(seconds*float64(time.Second)), clients)
		if err != nil {
			return err
		}
		return a.emit(cases, func() {
			var rows [][]string
			for _, c := range cases {
				rows = append(rows, []string{c.Name, fmt.Sprintf("%.0f", c.PerSecond),
					fmt.Sprintf("%.0f", c.RowsPerSecond),
					fmt.Sprintf("%.2f", c.Median.Seconds()*1e3), fmt.Sprintf("%.2f", c.P99.Seconds()*1e3),
					fmt.Sprint(c.Errors), fmt.Sprintf("%d", c.HeapBytes>>20)})
			}
			a.table([]string{"requests", "a second", "rows a second", "median, ms", "p99, ms", "errors", "heap, MiB"},
				rows)
		})
	}
	return cmd
}

// benchServe fits the model, serves it, and times each kind of request.
func benchServe(ctx context.Context, each time.Duration, clients int) ([]serveCase, error) {
	dir, err := os.MkdirTemp("", "rao-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	d, err := dataset.Open(ctx, "digits:train", dataset.OpenOptions{RequireLabels: true})
	if err != nil {
		return nil, err
	}
	m, err := method.Lookup("sqfa")
	if err != nil {
		return nil, err
	}
	fitted, err := m.Fit(ctx, method.Source{Data: d},
		method.Settings{{Name: "filters", Value: "9"}, {Name: "noise", Value: "1"}}, nil)
	if err != nil {
		return nil, err
	}
	if err := fitted.Save(filepath.Join(dir, "digits.rao")); err != nil {
		return nil, err
	}
	models, err := serve.Open(dir)
	if err != nil {
		return nil, err
	}
	handler := serve.New(models, serve.Options{Queue: 4 * clients})
	defer handler.Close()
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	web := &http.Server{Handler: handler}
	go web.Serve(listen)
	defer web.Close()

	values := make([]float64, 0, 256*fitted.Input.Dim)
	for i := range 256 {
		for j := range fitted.Input.Dim {
			values = append(values, d.X.At(i, j))
		}
	}
	cases := []serveCase{{Name: "1 row, JSON", Rows: 1}, {Name: "1 row, binary", Rows: 1, Binary: true},
		{Name: "256 rows, JSON", Rows: 256}, {Name: "256 rows, binary", Rows: 256, Binary: true}}
	for i := range cases {
		l := serve.Load{URL: "http://" + listen.Addr().String(), Model: "digits", Shape: []int{fitted.Input.Dim},
			Values: values,
			Rows:   cases[i].Rows, Binary: cases[i].Binary, Clients: clients, Duration: each}
		if cases[i].LoadReport, err = l.Run(ctx); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return cases, nil
}
