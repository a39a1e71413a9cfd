package serve

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rao/cmd/rao/internal/app"
	"rao/serve"
)

// server contains the values of the flags of rao serve.
type server struct {
	opt       serve.ListenOptions
	reload    int // in seconds
	drain     int // in seconds
	rate      int // in requests per second
	maxBodyMB int
	memoryMB  int
	quietLog  bool
}

// extensions are the functions passed to [Extend]. Each one adds its flags to rao serve.
var extensions []func(*pflag.FlagSet, *serve.ListenOptions)

// Extend adds flags to rao serve. Programs that add another transport call it before they run the tool. The flags may
// change the options.
func Extend(f func(*pflag.FlagSet, *serve.ListenOptions)) { extensions = append(extensions, f) }

func serveCommand(a *app.App) *cobra.Command {
	var s server
	cmd := &cobra.Command{
		Use:         "serve",
		Annotations: map[string]string{app.Live: "true"},
		Short:       "Answer requests for decisions over HTTP",
		Long: `Serve models over HTTP. Programs use the Open Inference Protocol, version 2,
with binary tensors. People can send JSON with column names, CSV, npy and images. Live
streams return decisions as server-sent events or over a WebSocket. Prometheus metrics are
at /metrics. A web page shows the models and lets you try them.

--model accepts files and folders. A model is named after its file. digits@1.rao and
digits@2.rao are versions of digits; a request without a version uses the version with the
largest number. A changed file is verified and replaces the old version without losing a
request. If a file cannot be read, or its input differs, the server keeps the old version.

By default the server accepts connections only from this machine. If you set --addr, also
give --token-file, and --tls-cert with --tls-key. One line of JSON per request goes to
standard error. After SIGTERM, /v2/health/ready returns 503, new requests are answered for
another --drain seconds, and running requests are completed. Ctrl-C does not wait.`,
		Example: `  rao serve --model models/
  rao serve --model digits.rao,eeg.rao --addr 127.0.0.1:9000
  curl -s 127.0.0.1:8080/v1/models/digits/predict -H 'Content-Type: text/csv' \
      --data-binary @rows.csv`,
		Args: app.NoArgs,
	}
	f := cmd.Flags()
	app.ListVar(f, &s.opt.Models, "model", "FILE,...", "model files and folders, separated by commas")
	app.TextVar(f, &s.opt.Addr, "addr", "HOST:PORT", "127.0.0.1:8080",
		"address and port to listen on; port 0 picks a free port")
	app.TextVar(f, &s.opt.TokenFile, "token-file", "FILE", "",
		"file of tokens that requests must send, one per line: SECRET, or NAME: SECRET; "+
			"read again when it changes")
	app.CountFlag(f, &s.rate, "max-rate", 0, 0, 1<<20, "maximum number of requests per second and token; 0 for no "+
		"limit")
	app.TextVar(f, &s.opt.Cert, "tls-cert", "FILE", "", "PEM file of the TLS certificate")
	app.TextVar(f, &s.opt.Key, "tls-key", "FILE", "", "PEM file of the certificate's key")
	app.TextVar(f, &s.opt.ClientCA, "client-ca", "FILE", "",
		"PEM file of certificate authorities; clients must have a certificate from one of them")
	app.CountFlag(f, &s.drain, "drain", 10, 0, 3600,
		"seconds after SIGTERM in which requests are still answered, while the readiness probe fails")
	app.OutputFlag(cmd, &s.opt.Backup, "backup", app.ModelsOutput,
		"folder for copies of the last good version of each model, used if a file cannot be read at the next start")
	f.BoolVar(&s.opt.AllowNewSchema, "allow-new-schema", false,
		"let a changed file replace a model that has other input columns")
	app.CountFlag(f, &s.reload, "reload", 2, 0, 86400, "seconds between checks for changed files; 0 never checks")
	app.CountFlag(f, &s.maxBodyMB, "max-body", 64, 1, 1<<16, "maximum size of a request body in MiB")
	app.CountFlag(f, &s.memoryMB, "memory", 1024, 16, 1<<20,
		"memory limit for requests in MiB, in addition to the models")
	app.CountFlag(f, &s.opt.MaxRows, "max-rows", 1<<20, 1, 1<<28, "maximum number of observations per request")
	app.CountFlag(f, &s.opt.Workers, "workers", 0, 0, 4096, "maximum number of requests computed at the same "+
		"time; 0 uses the number of processors")
	app.CountFlag(f, &s.opt.Queue, "queue", 0, 0, 1<<20, "maximum number of waiting requests; 0 allows 64 per "+
		"worker")
	app.CountFlag(f, &s.opt.MaxStreams, "max-streams", 2000, 1, 1<<20, "maximum number of open streams")
	app.ListVar(f, &s.opt.Results, "results", "FILE,...",
		"files that rao compare --json wrote, and folders of such files, "+
			"for the page")
	app.ListVar(f, &s.opt.Replays, "replay", "FILE,...",
		"recordings that the page can replay: text files with one sample per line")
	app.ListVar(f, &s.opt.Origins, "cors", "ORIGIN,...",
		"web sites whose pages may send requests, such as https://example.org")
	app.TextVar(f, &s.opt.Signals, "find-streams", "local|network", "",
		"where to look for Lab Streaming Layer streams that requests can decode: local (this machine) or "+
			"network; by default nowhere")
	app.ListVar(f, &s.opt.Hosts, "hosts", "HOST,...",
		"host names that requests may use; by default localhost and its addresses, if the server listens only "+
			"on this machine and needs no token")
	f.BoolVar(&s.opt.Update, "allow-update", false, "let requests update models with labeled observations, in "+
		"memory")
	f.BoolVar(&s.quietLog, "no-log", false, "do not log requests")
	for _, extend := range extensions {
		extend(f, &s.opt)
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if len(s.opt.Models) == 0 {
			return app.Usagef("--model is required: a model file, a folder of models, or several of them")
		}
		if _, _, err := net.SplitHostPort(s.opt.Addr); err != nil {
			return app.Usagef("--addr %q: give an address and a port, such as 127.0.0.1:8080", s.opt.Addr)
		}
		if (s.opt.Cert == "") != (s.opt.Key == "") {
			return app.Usagef("--tls-cert and --tls-key must be given together")
		}
		if s.opt.ClientCA != "" && s.opt.Cert == "" {
			return app.Usagef("--client-ca needs --tls-cert and --tls-key")
		}
		if s.rate > 0 && s.opt.TokenFile == "" {
			return app.Usagef("--max-rate limits each token; give --token-file")
		}
		s.opt.Rate = float64(s.rate)
		s.opt.Drain = func(cause error) time.Duration {
			if app.InterruptedByHand(cause) {
				return 0
			}
			return time.Duration(s.drain) * time.Second
		}
		s.opt.Reload = time.Duration(s.reload) * time.Second
		s.opt.MaxBody = int64(s.maxBodyMB) << 20
		// The rest of the memory is for what the garbage collector has not freed yet.
		s.opt.MaxMemory = int64(s.memoryMB) << 20 / 4 * 3
		if !s.quietLog && !a.Quiet {
			s.opt.Log = logger(a)
		}
		return listen(cmd.Context(), a, s.opt)
	}
	return cmd
}

func listen(ctx context.Context, a *app.App, opt serve.ListenOptions) error {
	a.Patient.Store(true)
	opt.Version, opt.Commit, opt.Errors = app.Version, app.Commit(), logger(a)
	opt.Ready = func(url string, models []string, warnings []error) {
		names := cmp.Or(strings.Join(models, ", "), "no model yet")
		fmt.Fprintf(a.Err, "serving %s on %s\n", names, url)
		for _, err := range warnings {
			fmt.Fprintf(a.Err, "warning: %s\n", app.Message(err))
		}
	}
	return serve.ListenAndServe(ctx, opt)
}

func logger(a *app.App) *slog.Logger { return slog.New(slog.NewJSONHandler(a.Err, nil)) }
