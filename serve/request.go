package serve

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"net/http"
	"strings"
)

// These header fields of every answer are in the canonical form of net/http.
const (
	headerID      = "X-Request-Id"
	headerNoSniff = "X-Content-Type-Options"
)

// noSniff is the value of headerNoSniff.
var noSniff = []string{"nosniff"}

// protocolOf returns the protocol of a route, for metrics.
func protocolOf(pattern string) string {
	_, path, _ := strings.Cut(pattern, " ")
	switch {
	case strings.HasPrefix(path, "/v2"):
		return "oip"
	case strings.HasPrefix(path, "/v1/streams"), strings.HasPrefix(path, "/v1/signals"):
		return "stream"
	case path == "/v1/models", path == "/v1/models/{model}":
		return "kserve-v1"
	case strings.HasPrefix(path, "/v1/models/"):
		return "json"
	}
	return "page"
}

// probe reports whether a route is a health check or returns metrics. Requests to these routes are not logged at level
// INFO.
func probe(pattern string) bool {
	return public(pattern) || strings.HasSuffix(pattern, "/metrics") || strings.HasSuffix(pattern, "{model}/ready")
}

// public reports whether a route answers without a token.
func public(pattern string) bool {
	return strings.HasSuffix(pattern, "/healthz") || strings.HasSuffix(pattern, "/health/live") ||
		strings.HasSuffix(pattern, "/health/ready")
}

// requestID returns the X-Request-ID of a request, or a new ID if that header is missing or cannot be logged.
func requestID(r *http.Request) string {
	id := ""
	if sent := r.Header[headerID]; len(sent) > 0 {
		id = sent[0]
	}
	if id != "" && len(id) <= 128 && !strings.ContainsFunc(id, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return id
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], rand.Uint64())
	var text [2 * len(b)]byte
	hex.Encode(text[:], b[:])
	return string(text[:])
}

// traceID returns the trace ID in a valid traceparent header of W3C Trace Context, and otherwise "".
func traceID(r *http.Request) string {
	parts := strings.Split(r.Header.Get("traceparent"), "-")
	if len(parts) < 4 || len(parts[0]) != 2 || len(parts[1]) != 32 || len(parts[2]) != 16 || parts[0] == "ff" {
		return ""
	}
	if _, err := hex.DecodeString(parts[1]); err != nil || strings.Trim(parts[1], "0") == "" {
		return ""
	}
	return strings.ToLower(parts[1])
}
