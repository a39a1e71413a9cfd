package serve

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"rao"
	process "rao/internal/memory"
)

// ListenOptions are the options of [ListenAndServe].
type ListenOptions struct {
	Options
	OpenOptions
	Models    []string // files, and folders of files
	Addr      string   // host:port; port 0 selects a free port
	TokenFile string   // file of tokens, one per line: SECRET or NAME: SECRET
	Cert, Key string   // PEM files of the TLS certificate and key; if empty, there is no encryption
	ClientCA  string   // PEM file of the authorities of required client certificates; needs Cert
	// Reload is the interval at which changed files of models, tokens and TLS are detected. If it is 0, changes are
	// ignored.
	Reload time.Duration
	// Drain, if not nil, returns how long requests are still answered after ctx is done. During this time the readiness
	// probe returns 503. cause is the cancellation cause of ctx.
	Drain func(cause error) time.Duration
	// Wrap, if not nil, wraps the handler of all requests, for example to record traces.
	Wrap func(http.Handler) http.Handler
	// Transport, if not nil, starts another listener for the same requests, such as gRPC. secure is the TLS
	// configuration, or nil without TLS. stop waits for the running requests.
	Transport func(h http.Handler, secure *tls.Config, log *slog.Logger) (stop func(), err error)

	Errors *slog.Logger // receives errors of reloading files and of connections; may be nil
	// Ready, if not nil, is called before the first request, with the address (such as http://127.0.0.1:8080) and the
	// names of the models. The warnings are about files that cannot be served, and about an address that other
	// machines can reach without a token or without encryption.
	Ready func(url string, models []string, warnings []error)
}

// lastRequests is how long running requests may continue when the server ends.
const lastRequests = 15 * time.Second

// ListenAndServe answers requests until ctx is done. Then it makes the readiness probe return 503 and answers requests
// for the time that Drain returns. Finally it waits up to 15 seconds for the running requests and returns nil. It
// returns an error if a file of tokens or TLS cannot be read, an origin is not valid, no model can be loaded, or the
// address cannot be used.
//
// If Hosts is empty, no token is required and only this machine can reach the address, Hosts is set to localhost,
// 127.0.0.1 and ::1. This protects against web pages whose host name resolves to this machine (DNS rebinding). The
// memory limit of the garbage collector is four thirds of MaxMemory plus the size of the models.
func ListenAndServe(ctx context.Context, opt ListenOptions) error {
	defer process.Steady()()
	if opt.TokenFile != "" {
		var err error
		if opt.Tokens, err = readTokens(opt.TokenFile); err != nil {
			return err
		}
	}
	trusted := http.NewCrossOriginProtection()
	for _, o := range opt.Origins {
		if err := trusted.AddTrustedOrigin(o); err != nil {
			return fmt.Errorf("origin %q: %w; give a scheme and a host, such as https://example.org", o, err)
		}
	}
	secure, err := opt.readTLS()
	if err != nil {
		return err
	}
	opt.ClientCertificates = opt.ClientCA != ""
	opt.Options = opt.withDefaults()
	if opt.Errors == nil {
		opt.Errors = slog.New(slog.DiscardHandler)
	}
	var handler atomic.Pointer[Server] // nil while the models are being loaded
	var early []change
	opt.changed = func(c change) {
		s := handler.Load()
		if s != nil || c.err != nil { // Ready reports the models that are loaded at the start
			opt.logChange(c)
		}
		if s != nil {
			s.metrics.changed(c)
		} else {
			early = append(early, c)
		}
	}
	models, err := Open(opt.Models, opt.OpenOptions)
	if err != nil {
		return err
	}
	defer limitMemory(opt.MaxMemory / 3 * 4)()
	listen, err := net.Listen("tcp", opt.Addr)
	if err != nil {
		return err
	}
	if len(opt.Hosts) == 0 && len(opt.Tokens) == 0 && onLoopback(listen.Addr()) {
		opt.Hosts = []string{"localhost", "127.0.0.1", "::1"}
	}
	server := New(models, opt.Options)
	defer server.Close()
	for _, c := range early {
		server.metrics.changed(c)
	}
	handler.Store(server)
	var answers http.Handler = server
	if opt.Wrap != nil {
		answers = opt.Wrap(server)
	}
	web := &http.Server{Handler: answers, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 1 << 16,
		ErrorLog:       slog.NewLogLogger(opt.Errors.Handler(), slog.LevelWarn)}
	if secure != nil {
		var current atomic.Pointer[tls.Config]
		current.Store(secure)
		web.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: secure.NextProtos,
			GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return current.Load(), nil },
			GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
				return &current.Load().Certificates[0], nil
			}}
		go opt.follow(ctx, []string{opt.Cert, opt.Key, opt.ClientCA}, func() error {
			next, err := opt.readTLS()
			if err == nil {
				current.Store(next)
			}
			return err
		})
	}
	go opt.follow(ctx, []string{opt.TokenFile}, func() error {
		tokens, err := readTokens(opt.TokenFile)
		if err == nil {
			server.setTokens(tokens)
		}
		return err
	})
	if opt.Reload > 0 {
		go models.Watch(ctx, opt.Reload, func(err error) { opt.Errors.Warn("models", "error", err.Error()) })
	}
	stop := func() {}
	if opt.Transport != nil {
		if stop, err = opt.Transport(answers, web.TLSConfig, opt.Errors); err != nil {
			listen.Close()
			return err
		}
	}
	defer stop()
	if opt.Ready != nil {
		opt.ready(listen.Addr(), models)
	}
	ended := make(chan error, 1)
	go func() {
		if secure != nil {
			ended <- web.ServeTLS(listen, "", "")
		} else {
			ended <- web.Serve(listen)
		}
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	server.Drain()
	if opt.Drain != nil {
		if rest := opt.Drain(context.Cause(ctx)); rest > 0 {
			opt.Errors.Info("draining", "seconds", rest.Seconds())
			select {
			case err := <-ended:
				return err
			case <-time.After(rest):
			}
		}
	}
	server.Close() // ends the streams, which would otherwise run forever
	late, cancel := context.WithTimeout(context.Background(), lastRequests)
	defer cancel()
	if err := web.Shutdown(late); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

func (o *ListenOptions) logChange(c change) {
	level, line := slog.LevelInfo, []any{"outcome", c.outcome, "model", c.model, "version", c.version, "digest",
		c.digest, "path", c.path}
	if c.err != nil {
		level, line = slog.LevelWarn, append(line, "error", c.err.Error())
	}
	o.Errors.Log(context.Background(), level, "model", line...)
}

// readTLS reads the certificate, the key and the authorities. It returns nil if no certificate is configured.
func (o *ListenOptions) readTLS() (*tls.Config, error) {
	if o.Cert == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(o.Cert, o.Key)
	if err != nil {
		return nil, fmt.Errorf("%s, %s: %w", o.Cert, o.Key, err)
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair},
		NextProtos: []string{"h2", "http/1.1"}}
	if o.ClientCA != "" {
		b, err := os.ReadFile(o.ClientCA)
		if err != nil {
			return nil, err
		}
		c.ClientCAs = x509.NewCertPool()
		if !c.ClientCAs.AppendCertsFromPEM(b) {
			return nil, fmt.Errorf("%s contains no certificate in PEM form; name a PEM file", o.ClientCA)
		}
		c.ClientAuth = tls.VerifyClientCertIfGiven // health probes need no certificate
	}
	return c, nil
}

// follow calls read whenever one of the files has changed, until ctx is done. If read fails, follow logs the error and
// continues.
func (o *ListenOptions) follow(ctx context.Context, files []string, read func() error) {
	files = slices.DeleteFunc(files, func(f string) bool { return f == "" })
	if o.Reload <= 0 || len(files) == 0 {
		return
	}
	look := func() string {
		state := ""
		for _, f := range files {
			if st, err := os.Stat(f); err == nil {
				state += fmt.Sprintf("%d %d ", st.Size(), st.ModTime().UnixNano())
			}
		}
		return state
	}
	before := look()
	for range ticks(ctx, o.Reload) {
		now := look()
		if now == before {
			continue
		}
		before = now
		if err := read(); err != nil {
			o.Errors.Warn("the old file remains in use", "files", files, "error", err.Error())
		} else {
			o.Errors.Info("read again", "files", files)
		}
	}
}

// ready calls Ready with the address and the warnings.
func (o *ListenOptions) ready(at net.Addr, models *Repository) {
	scheme, warnings := "http", slices.Clone(models.problems())
	if !onLoopback(at) && len(o.Tokens) == 0 {
		warnings = append(warnings, rao.Optionf("token-file", "other machines can reach this address and no token "+
			"is required; give {token-file}"))
	}
	if o.Cert != "" {
		scheme = "https"
	} else if !onLoopback(at) {
		warnings = append(warnings, rao.Optionf("tls-cert", "requests from other machines are not encrypted; give "+
			"{tls-cert} and {tls-key}"))
	}
	o.Ready(scheme+"://"+at.String(), models.names(), warnings)
}

// onLoopback reports whether only this machine can reach the address.
func onLoopback(at net.Addr) bool {
	tcp, ok := at.(*net.TCPAddr)
	return !ok || tcp.IP.IsLoopback()
}

// limitMemory sets the memory limit of the garbage collector to limit plus the memory of the models, unless GOMEMLIMIT
// is set. Without a limit, garbage would double the memory of requests. done restores the previous limit.
func limitMemory(limit int64) (done func()) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	models := 2 * int64(mem.HeapAlloc) // while a changed model is being read, the old model still answers
	before := debug.SetMemoryLimit(limit + models)
	return func() { debug.SetMemoryLimit(before) }
}
