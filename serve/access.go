package serve

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/time/rate"
)

// readTokens reads a file of tokens with one token per line, as "SECRET" or "NAME: SECRET", and returns the names by
// secret. It skips empty lines and lines that begin with #. It returns an error if the file contains no token, a
// repeated name or secret, or a character that is not allowed in a header.
func readTokens(file string) (map[string]string, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	tokens, seen := map[string]string{}, map[string]bool{}
	lines := bufio.NewScanner(bytes.NewReader(b))
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, secret, named := strings.Cut(line, ": ")
		if name, secret = strings.TrimSpace(name), strings.TrimSpace(secret); !named {
			name, secret = "", line
		}
		if secret == "" || strings.ContainsFunc(secret, func(c rune) bool { return c <= ' ' || c > '~' }) {
			return nil, fmt.Errorf("%s: line %d: the token is empty, or contains a space or a character that is "+
				"not ASCII; use only printable ASCII characters", file, number)
		}
		if _, twice := tokens[secret]; twice || name != "" && seen[name] {
			return nil, fmt.Errorf("%s: line %d: this token or its name occurs twice; remove one", file, number)
		}
		tokens[secret], seen[name] = name, true
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(tokens) == 0 {
		return nil, fmt.Errorf("%s contains no token; write one per line", file)
	}
	return tokens, nil
}

// client is a sender that a token identifies.
type client struct {
	name  string
	limit *rate.Limiter // nil if there is no limit
}

// clients maps the digest of a secret to the client. The time of a lookup by digest reveals nothing about the secret.
type clients map[[sha256.Size]byte]*client

// access controls who may send requests. It is safe for concurrent use.
type access struct {
	perSecond float64
	known     atomic.Pointer[clients] // nil or empty if no token is required
}

// setTokens replaces the accepted tokens. If tokens is empty, no token is required. A token that was accepted before
// keeps the state of its rate limit.
func (s *Server) setTokens(tokens map[string]string) {
	next := clients{}
	var before clients
	if p := s.access.known.Load(); p != nil {
		before = *p
	}
	for secret, name := range tokens {
		key := sha256.Sum256([]byte(secret))
		c := &client{name: name}
		if s.access.perSecond > 0 {
			c.limit = rate.NewLimiter(rate.Limit(s.access.perSecond), int(max(1, math.Ceil(s.access.perSecond))))
			if old := before[key]; old != nil {
				c.limit = old.limit
			}
		}
		next[key] = c
	}
	s.access.known.Store(&next)
}

func (a *access) needsToken() bool {
	p := a.known.Load()
	return p != nil && len(*p) > 0
}

// clientOf returns the sender of a request, or nil if the token is missing or unknown.
func (a *access) clientOf(r *http.Request) *client {
	p := a.known.Load()
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		given, ok = socketToken(r)
	}
	if p == nil || !ok {
		return nil
	}
	return (*p)[sha256.Sum256([]byte(given))]
}

// allow returns an error of status 429 if the client has exceeded its rate limit.
func (c *client) allow(w http.ResponseWriter) error {
	if c.limit == nil || c.limit.Allow() {
		return nil
	}
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(1/float64(c.limit.Limit())))))
	return &httpError{http.StatusTooManyRequests, fmt.Sprintf("more than %g requests per second with this token; "+
		"try again later", float64(c.limit.Limit()))}
}

// verified reports whether the client sent a valid certificate.
func verified(r *http.Request) bool { return r.TLS != nil && len(r.TLS.VerifiedChains) > 0 }

// crossOrigin sets the CORS headers of the answer if the request comes from a page of a trusted site. It also answers
// preflight requests, and then returns true.
func (s *Server) crossOrigin(w http.ResponseWriter, r *http.Request) (done bool) {
	origin := r.Header.Get("Origin")
	if origin == "" || len(s.opt.Origins) == 0 {
		return false
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	if !slices.ContainsFunc(s.opt.Origins, func(o string) bool { return strings.EqualFold(o, origin) }) {
		return false
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", headerLength+", X-Request-ID, Retry-After")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Content-Encoding, Last-Event-ID, "+
		headerLength+", X-Request-ID, traceparent")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}
