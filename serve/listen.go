package serve

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

	process "rao/internal/memory"
)

// ListenOptions say what a server serves and where it listens.
type ListenOptions struct {
	Options
	Models    []string // files, and folders of files
	Addr      string   // host:port; port 0 takes a free one
	TokenFile string   // holds the Token
	Cert, Key string   // of TLS: PEM files; without them requests are not encrypted
	// time between two looks at the files for changed models; 0 never looks again
	Reload time.Duration
	Errors *slog.Logger     // of models that cannot be read again, and of connections; nil for none
	Ready  func(*Listening) // takes where the server listens before it answers; nil for nobody
}

// Listening is where a server listens, and who can reach it.
type Listening struct {
	URL       string
	Models    []string // names
	Reachable bool     // from other machines
	Token     bool     // that requests must bring
	TLS       bool
}

// ListenAndServe answers requests until ctx is done, and lets those that run end. Without a token
// and on an address that only this machine can reach, requests must be sent to localhost, unless
// Hosts says otherwise: no page of the web may make its name mean this machine and ask for
// decisions. The memory limit of the process follows MaxMemory and the models.
func ListenAndServe(ctx context.Context, opt ListenOptions) error {
	defer process.Steady()()
	if opt.TokenFile != "" {
		var err error
		if opt.Token, err = readToken(opt.TokenFile); err != nil {
			return err
		}
	}
	opt.Options = opt.withDefaults()
	if opt.Errors == nil {
		opt.Errors = slog.New(slog.DiscardHandler)
	}
	models, err := Open(opt.Models...)
	if err != nil {
		return err
	}
	defer limitMemory(opt.MaxMemory)()
	listen, err := net.Listen("tcp", opt.Addr)
	if err != nil {
		return err
	}
	if len(opt.Hosts) == 0 && opt.Token == "" && onLoopback(listen.Addr()) {
		opt.Hosts = []string{"localhost", "127.0.0.1", "::1"}
	}
	handler := New(models, opt.Options)
	defer handler.Close()
	if opt.Reload > 0 {
		go models.Watch(ctx, opt.Reload, func(err error) { opt.Errors.Warn("models", "error", err.Error()) })
	}
	if opt.Ready != nil {
		opt.Ready(opt.listening(listen.Addr(), models))
	}
	web := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 1 << 16,
		ErrorLog:       slog.NewLogLogger(opt.Errors.Handler(), slog.LevelWarn),
		TLSConfig:      &tls.Config{MinVersion: tls.VersionTLS12}}
	ended := make(chan error, 1)
	go func() {
		if opt.Cert != "" {
			ended <- web.ServeTLS(listen, opt.Cert, opt.Key)
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

// readToken reads the token that requests must bring.
func readToken(file string) (string, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(b))
	if token == "" {
		return "", fmt.Errorf("%s holds no token", file)
	}
	if strings.ContainsFunc(token, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return "", fmt.Errorf("the token in %s has a blank or a letter beyond ASCII, which a header cannot carry", file)
	}
	return token, nil
}

func (o *ListenOptions) listening(at net.Addr, models *Repository) *Listening {
	scheme := "http"
	if o.Cert != "" {
		scheme = "https"
	}
	return &Listening{URL: scheme + "://" + at.String(), Models: models.Names(), Reachable: !onLoopback(at),
		Token: o.Token != "", TLS: o.Cert != ""}
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
