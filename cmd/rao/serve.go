package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/lsl"
	"rao/serve"
)

// server is what the flags of rao serve say.
type server struct {
	models            []string
	addr              string
	token, cert, key  string
	lsl               string
	reload, maxBodyMB int
	maxMemoryMB       int
	quietLog          bool
	opt               serve.Options
}

func serveCommand(a *app.App) *cobra.Command {
	var s server
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Answer requests for decisions over HTTP",
		Long: `Serve models over HTTP: the Open Inference Protocol, version 2, with binary tensors, for
programs; JSON by column names, CSV, npy and pictures for people; live streams whose
decisions come as server-sent events or over a WebSocket; counts for Prometheus under
/metrics; and a page to see and try it all.

--models takes files and folders; a model is named after its file. Changed files are
verified and take the place of the old ones without losing a request.

The server listens to this machine alone unless --addr says otherwise; then give
--token-file, and --tls-cert with --tls-key. A line of JSON for each request goes to
standard error. Ctrl-C and SIGTERM let running requests end.`,
		Example: `  rao serve --models models/
  rao serve --models digits.rao,eeg.rao --addr 127.0.0.1:9000
  curl -s 127.0.0.1:8080/v1/models/digits/predict -H 'Content-Type: text/csv' --data-binary @rows.csv`,
		Args: app.NoArgs,
	}
	f := cmd.Flags()
	app.ListVar(f, &s.models, "models", "FILE,...", "files and folders of models, with commas between them")
	app.TextVar(f, &s.addr, "addr", "HOST:PORT", "127.0.0.1:8080",
		"address and port to listen on; port 0 takes a free one")
	app.TextVar(f, &s.token, "token-file", "FILE", "", "file with the token that requests must bring")
	app.TextVar(f, &s.cert, "tls-cert", "FILE", "", "certificate of TLS, a PEM file")
	app.TextVar(f, &s.key, "tls-key", "FILE", "", "key of the certificate, a PEM file")
	app.CountFlag(f, &s.reload, "reload", 2, 0, 86400, "seconds between two looks at the files; 0 never looks again")
	app.CountFlag(f, &s.maxBodyMB, "max-body", 64, 1, 1<<16, "largest body of a request in MiB")
	app.CountFlag(f, &s.maxMemoryMB, "max-memory", 1024, 16, 1<<20,
		"most memory in MiB that requests hold together: bodies, numbers and answers")
	app.CountFlag(f, &s.opt.MaxRows, "max-rows", 1<<20, 1, 1<<28, "most observations of a request")
	app.CountFlag(f, &s.opt.Workers, "workers", 0, 0, 4096, "requests computed at a time; 0 takes the processors")
	app.CountFlag(f, &s.opt.Queue, "queue", 0, 0, 1<<20, "requests that may wait; 0 takes 64 for each worker")
	app.CountFlag(f, &s.opt.MaxStreams, "max-streams", 2000, 1, 1<<20, "streams open at a time")
	app.ListVar(f, &s.opt.Results, "results", "FILE,...",
		"files that rao compare --json wrote, and folders of such files, "+
			"for the page")
	app.ListVar(f, &s.opt.Replays, "replay", "FILE,...",
		"recordings that the page offers to replay: text, a sample a line")
	app.TextVar(f, &s.lsl, "lsl", "QUERY", "",
		"where to look for streams of Lab Streaming Layer that requests may have decoded: "+
			"local (this machine) or network; by default nowhere")
	app.ListVar(f, &s.opt.Hosts, "hosts", "HOST,...",
		"names that requests may be sent to; by default localhost and the "+
			"like, when only this machine is listened to and no token is asked for")
	f.BoolVar(&s.opt.Update, "allow-update", false, "let requests teach models labeled observations, in memory")
	f.BoolVar(&s.quietLog, "no-log", false, "no line for each request")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if len(s.models) == 0 {
			return app.Usagef("give --models, files or folders of models")
		}
		switch s.lsl {
		case "":
		case "local", "network":
			s.opt.Signals = &lsl.ResolveOptions{Local: s.lsl == "local"}
		default:
			return app.Usagef("--lsl is %q; want local or network", s.lsl)
		}
		if (s.cert == "") != (s.key == "") {
			return app.Usagef("--tls-cert and --tls-key come together")
		}
		return listen(cmd.Context(), a, &s)
	}
	return cmd
}

// listen answers requests until ctx is done, and lets those that run end.
func listen(ctx context.Context, a *app.App, s *server) error {
	a.Patient.Store(true)
	defer steadyMemory()()
	if s.token != "" {
		b, err := os.ReadFile(s.token)
		if err != nil {
			return err
		}
		if s.opt.Token = strings.TrimSpace(string(b)); s.opt.Token == "" {
			return fmt.Errorf("%s holds no token", s.token)
		}
		if strings.ContainsFunc(s.opt.Token, func(c rune) bool { return c <= ' ' || c > '~' }) {
			return fmt.Errorf("the token in %s has a blank or a letter beyond ASCII, which a header cannot carry",
				s.token)
		}
	}
	s.opt.Version, s.opt.MaxBody, s.opt.MaxMemory = app.Version, int64(s.maxBodyMB)<<20, int64(s.maxMemoryMB)<<20
	log := slog.New(slog.NewJSONHandler(a.Err, nil))
	if !s.quietLog && !a.Quiet {
		s.opt.Log = log
	}
	models, err := serve.Open(s.models...)
	if err != nil {
		return err
	}
	defer limitMemory(s.opt.MaxMemory)()
	listen, err := net.Listen("tcp", s.addr)
	if err != nil {
		return err
	}
	if len(s.opt.Hosts) == 0 && s.opt.Token == "" && onLoopback(listen.Addr()) {
		// no page of the web may make its name mean this machine and ask for decisions
		s.opt.Hosts = []string{"localhost", "127.0.0.1", "::1"}
	}
	handler := serve.New(models, s.opt)
	defer handler.Close()
	if s.reload > 0 {
		go models.Watch(ctx, time.Duration(s.reload)*time.Second, func(err error) {
			log.Warn("models", "error", err.Error())
		})
	}
	web := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 1 << 16,
		ErrorLog:       slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		TLSConfig:      &tls.Config{MinVersion: tls.VersionTLS12}}
	announce(a, listen.Addr(), s, models)
	ended := make(chan error, 1)
	go func() {
		if s.cert != "" {
			ended <- web.ServeTLS(listen, s.cert, s.key)
		} else {
			ended <- web.Serve(listen)
		}
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	handler.Close() // listeners of streams go home
	late, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := web.Shutdown(late); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return ctx.Err()
}

// announce says where the server listens, and warns of what is open to others.
func announce(a *app.App, at net.Addr, s *server, models *serve.Repository) {
	scheme := "http"
	if s.cert != "" {
		scheme = "https"
	}
	fmt.Fprintf(a.Err, "serving %s on %s://%s\n", strings.Join(models.Names(), ", "), scheme, at)
	if onLoopback(at) {
		return
	}
	if s.opt.Token == "" {
		fmt.Fprintln(a.Err, "warning: other machines can reach this address and no token is asked for; give "+
			"--token-file")
	}
	if s.cert == "" {
		fmt.Fprintln(a.Err, "warning: requests from other machines are not encrypted; give --tls-cert and --tls-key")
	}
}

// onLoopback reports whether only this machine can reach the address.
func onLoopback(at net.Addr) bool {
	tcp, ok := at.(*net.TCPAddr)
	return !ok || tcp.IP.IsLoopback()
}

// limitMemory has garbage collected more often when memory approaches what the models and the
// requests may hold, where GOMEMLIMIT says nothing. Garbage would otherwise double it.
func limitMemory(requests int64) (done func()) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	models := 2 * int64(mem.HeapAlloc) // a changed one is read while the old one answers
	before := debug.SetMemoryLimit(requests + requests/8 + models + 128<<20)
	return func() { debug.SetMemoryLimit(before) }
}

// steadyMemory lets garbage grow to some tens of megabytes before it is collected, where
// GOGC says nothing: the little that a server holds would otherwise have it collected a
// hundred times a second. What is set aside is never touched and takes no memory.
func steadyMemory() (done func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	aside := make([]byte, 64<<20)
	return func() { runtime.KeepAlive(aside) }
}
