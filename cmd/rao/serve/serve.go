// Package serve has the verbs of the wing serve: rao serve, rao export, rao worker and rao demo --serve.
package serve

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rao/cmd/rao/internal/app"
	"rao/lsl"
	"rao/serve"
)

func init() {
	app.Register(app.GroupDecide, 5, serveCommand)
	app.Register(app.GroupDecide, 6, exportCommand)
	app.Register(app.GroupProgram, 4, workerCommand)
	app.AfterDemo(serveDemo)
}

// server is what the flags of rao serve say.
type server struct {
	opt       serve.ListenOptions
	lsl       string
	reload    int // seconds
	drain     int // seconds
	rate      int // requests per second
	maxBodyMB int
	memoryMB  int
	quietLog  bool
}

// extensions add flags to rao serve.
var extensions []func(*pflag.FlagSet, *serve.ListenOptions)

// Extend adds flags to rao serve, for programs that give it another transport. The flags may set the options.
func Extend(f func(*pflag.FlagSet, *serve.ListenOptions)) { extensions = append(extensions, f) }

func serveCommand(a *app.App) *cobra.Command {
	var s server
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Answer requests for decisions over HTTP",
		Long: `Serve models over HTTP: the Open Inference Protocol, version 2, with binary tensors, for
programs; JSON by column names, CSV, npy and pictures for people; live streams whose
decisions come as server-sent events or over a WebSocket; counts for Prometheus under
/metrics; and a page to see and try it all.

--models takes files and folders. A model is named after its file; digits@1.rao and
digits@2.rao are versions of digits, and the newest answers unless a request names another.
Changed files are verified and replace the old ones without losing a request. A file that
cannot be read, or whose input differs, is refused, and the old version goes on.

The server listens only to this machine unless --addr says otherwise; then give
--token-file, and --tls-cert with --tls-key. A line of JSON for each request goes to
standard error. After SIGTERM /v2/health/ready answers 503, requests are answered for --drain
seconds, and running ones may end. Ctrl-C does not wait.`,
		Example: `  rao serve --models models/
  rao serve --models digits.rao,eeg.rao --addr 127.0.0.1:9000
  curl -s 127.0.0.1:8080/v1/models/digits/predict -H 'Content-Type: text/csv' --data-binary @rows.csv`,
		Args: app.NoArgs,
	}
	f := cmd.Flags()
	app.ListVar(f, &s.opt.Models, "models", "FILE,...", "files and folders of models, with commas between them")
	app.TextVar(f, &s.opt.Addr, "addr", "HOST:PORT", "127.0.0.1:8080",
		"address and port to listen on; port 0 takes a free one")
	app.TextVar(f, &s.opt.TokenFile, "token-file", "FILE", "",
		"file of tokens that requests must send, one per line: SECRET, or NAME: SECRET; "+
			"read again when it changes")
	app.CountFlag(f, &s.rate, "rate", 0, 0, 1<<20, "requests per second that each token may send; 0 for no limit")
	app.TextVar(f, &s.opt.Cert, "tls-cert", "FILE", "", "certificate of TLS, a PEM file")
	app.TextVar(f, &s.opt.Key, "tls-key", "FILE", "", "key of the certificate, a PEM file")
	app.TextVar(f, &s.opt.ClientCA, "client-ca", "FILE", "",
		"authorities of TLS, a PEM file; clients must have a certificate of one of them")
	app.CountFlag(f, &s.drain, "drain", 10, 0, 3600,
		"seconds for which requests are answered after SIGTERM, while readiness says no")
	app.OutputFlag(cmd, &s.opt.Keep, "keep", app.ModelsOutput,
		"folder for copies of the last good version of each model, used when a file cannot be read at the next start")
	f.BoolVar(&s.opt.AllowNewSchema, "allow-new-schema", false,
		"let a changed file replace a model that takes other columns")
	app.CountFlag(f, &s.reload, "reload", 2, 0, 86400, "seconds between two looks at the files; 0 never looks again")
	app.CountFlag(f, &s.maxBodyMB, "max-body", 64, 1, 1<<16, "largest body of a request in MiB")
	app.CountFlag(f, &s.memoryMB, "memory", 1024, 16, 1<<20,
		"memory in MiB that the server stays below with its requests, next to its models")
	app.CountFlag(f, &s.opt.MaxRows, "max-rows", 1<<20, 1, 1<<28, "most observations of a request")
	app.CountFlag(f, &s.opt.Workers, "workers", 0, 0, 4096, "requests computed at a time; 0 takes the processors")
	app.CountFlag(f, &s.opt.Queue, "queue", 0, 0, 1<<20, "requests that may wait; 0 takes 64 for each worker")
	app.CountFlag(f, &s.opt.MaxStreams, "max-streams", 2000, 1, 1<<20, "streams open at a time")
	app.ListVar(f, &s.opt.Results, "results", "FILE,...",
		"files that rao compare --json wrote, and folders of such files, "+
			"for the page")
	app.ListVar(f, &s.opt.Replays, "replay", "FILE,...",
		"recordings that the page offers to replay: text, a sample a line")
	app.ListVar(f, &s.opt.Origins, "cors", "ORIGIN,...",
		"web sites whose pages may send requests, such as https://example.org")
	app.TextVar(f, &s.lsl, "lsl", "QUERY", "",
		"where to look for streams of Lab Streaming Layer that requests may have decoded: "+
			"local (this machine) or network; by default nowhere")
	app.ListVar(f, &s.opt.Hosts, "hosts", "HOST,...",
		"names that requests may be sent to; by default localhost and the "+
			"like, when only this machine is listened to and no token is asked for")
	f.BoolVar(&s.opt.Update, "allow-update", false, "let requests teach models labeled observations, in memory")
	f.BoolVar(&s.quietLog, "no-log", false, "no line for each request")
	for _, extend := range extensions {
		extend(f, &s.opt)
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if len(s.opt.Models) == 0 {
			return app.Usagef("give --models, files or folders of models")
		}
		switch s.lsl {
		case "":
		case "local", "network":
			s.opt.Signals = &lsl.ResolveOptions{Local: s.lsl == "local"}
		default:
			return app.Usagef("--lsl is %q; want local or network", s.lsl)
		}
		if (s.opt.Cert == "") != (s.opt.Key == "") {
			return app.Usagef("--tls-cert and --tls-key come together")
		}
		if s.opt.ClientCA != "" && s.opt.Cert == "" {
			return app.Usagef("--client-ca needs --tls-cert and --tls-key")
		}
		if s.rate > 0 && s.opt.TokenFile == "" {
			return app.Usagef("--rate is a limit for each token; give --token-file")
		}
		s.opt.Rate = float64(s.rate)
		s.opt.Drain = func(cause error) time.Duration {
			if app.InterruptedByHand(cause) {
				return 0
			}
			return time.Duration(s.drain) * time.Second
		}
		s.opt.Reload = time.Duration(s.reload) * time.Second
		s.opt.MaxBody, s.opt.Memory = int64(s.maxBodyMB)<<20, int64(s.memoryMB)<<20
		if !s.quietLog && !a.Quiet {
			s.opt.Log = logger(a)
		}
		return listen(cmd.Context(), a, s.opt)
	}
	return cmd
}

// listen answers requests until ctx is done.
func listen(ctx context.Context, a *app.App, opt serve.ListenOptions) error {
	a.Patient.Store(true)
	opt.Version, opt.Commit, opt.Errors = app.Version, app.Commit(), logger(a)
	opt.Ready = func(at *serve.Listening) { announce(a, at) }
	return serve.ListenAndServe(ctx, opt)
}

// logger writes lines of JSON to standard error.
func logger(a *app.App) *slog.Logger { return slog.New(slog.NewJSONHandler(a.Err, nil)) }

// announce says where the server listens, and warns of what is open to others.
func announce(a *app.App, at *serve.Listening) {
	names := strings.Join(at.Models, ", ")
	if names == "" {
		names = "no model yet"
	}
	fmt.Fprintf(a.Err, "serving %s on %s\n", names, at.URL)
	for _, err := range at.Problems {
		fmt.Fprintf(a.Err, "warning: %v\n", err)
	}
	if at.Reachable && !at.Token {
		fmt.Fprintln(a.Err, "warning: other machines can reach this address and no token is asked for; give "+
			"--token-file")
	}
	if at.Reachable && !at.TLS {
		fmt.Fprintln(a.Err, "warning: requests from other machines are not encrypted; give --tls-cert and --tls-key")
	}
}
