package websocket

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Options bound a connection. The zero value has good defaults.
type Options struct {
	// Limit is the number of bytes of a message that comes, default 1 MiB.
	Limit int
	// Quiet is the longest time between two frames that come; 0: any.
	Quiet time.Duration
	// Protocol is the subprotocol: what a server names of those that the client offers, and
	// the one that a client offers first. Empty: none.
	Protocol string
}

func (o Options) conn(under net.Conn, r *bufio.Reader, client bool) *Conn {
	if o.Limit <= 0 {
		o.Limit = 1 << 20
	}
	return &Conn{net: under, r: r, client: client, limit: o.Limit, quiet: o.Quiet}
}

// HandshakeError is a request that opens no connection, and the status that it is answered
// with.
type HandshakeError struct {
	Status int
	Reason string
}

func (e *HandshakeError) Error() string { return e.Reason }

// Offered lists the subprotocols that a request offers.
func Offered(r *http.Request) []string { return tokens(r.Header, "Sec-Websocket-Protocol") }

// tokens are the words of a header that lists them with commas.
func tokens(h http.Header, name string) []string {
	var list []string
	for _, line := range h.Values(name) {
		for word := range strings.SplitSeq(line, ",") {
			if word = strings.TrimSpace(word); word != "" {
				list = append(list, word)
			}
		}
	}
	return list
}

// has reports whether a header lists the word, in letters of any case.
func has(h http.Header, name, word string) bool {
	return slices.ContainsFunc(tokens(h, name), func(w string) bool { return strings.EqualFold(w, word) })
}

// SameOrigin reports whether a request comes from a page of the host that it goes to, or
// from no page at all. A browser lets any page open a WebSocket to any host and says where
// the page is from.
func SameOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

// check returns the key of a request that asks for a WebSocket (RFC 6455, section 4.2.1).
func check(r *http.Request) (key string, err error) {
	key = r.Header.Get("Sec-Websocket-Key")
	raw, decode := base64.StdEncoding.DecodeString(key)
	switch {
	case r.Method != http.MethodGet || !r.ProtoAtLeast(1, 1) || r.ProtoMajor != 1:
		return "", &HandshakeError{http.StatusBadRequest, "a WebSocket begins with a GET of HTTP/1.1"}
	case !has(r.Header, "Connection", "upgrade") || !has(r.Header, "Upgrade", "websocket"):
		return "", &HandshakeError{http.StatusUpgradeRequired, "this is a WebSocket: send Connection: Upgrade and " +
			"Upgrade: websocket"}
	case !has(r.Header, "Sec-Websocket-Version", "13"):
		return "", &HandshakeError{http.StatusUpgradeRequired, "this server speaks version 13 of the " +
			"WebSocket protocol"}
	case decode != nil || len(raw) != 16:
		return "", &HandshakeError{http.StatusBadRequest, "Sec-WebSocket-Key: want 16 bytes in base64"}
	case !SameOrigin(r):
		return "", &HandshakeError{http.StatusForbidden, fmt.Sprintf("a page of %s may not open a WebSocket here",
			r.Header.Get("Origin"))}
	}
	return key, nil
}

// accepted is the answer to a key.
func accepted(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// Accept answers a request for a WebSocket. A request that is none, and one from a page of
// another host, is a *HandshakeError and was not answered.
func Accept(w http.ResponseWriter, r *http.Request, opt Options) (*Conn, error) {
	key, err := check(r)
	if err != nil {
		w.Header().Set("Sec-WebSocket-Version", "13")
		return nil, err
	}
	under, both, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, &HandshakeError{http.StatusInternalServerError, "this connection cannot become a WebSocket"}
	}
	answer := "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		"Sec-WebSocket-Accept: " + accepted(key) + "\r\n"
	if opt.Protocol != "" && slices.Contains(Offered(r), opt.Protocol) {
		answer += "Sec-WebSocket-Protocol: " + opt.Protocol + "\r\n"
	}
	err = under.SetDeadline(time.Time{}) // of the server's
	if err == nil {
		err = under.SetWriteDeadline(time.Now().Add(writeTime))
	}
	if err == nil {
		_, err = io.WriteString(under, answer+"\r\n")
	}
	if err != nil {
		under.Close()
		return nil, err
	}
	return opt.conn(under, both.Reader, false), nil
}

// Dial opens a WebSocket at an address that begins with http:// or ws://. The header may be
// nil. A server that refuses is a *HandshakeError with its status and words.
func Dial(ctx context.Context, address string, header http.Header, opt Options) (*Conn, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	switch u.Scheme {
	case "ws", "http":
		u.Scheme = "http"
	default:
		return nil, fmt.Errorf("%s: want an address that begins with ws:// or http://", address)
	}
	host := u.Host
	if u.Port() == "" {
		host = net.JoinHostPort(u.Hostname(), "80")
	}
	under, err := new(net.Dialer).DialContext(ctx, "tcp", host)
	if err != nil {
		return nil, err
	}
	c, err := shake(ctx, under, u, header, opt)
	if err != nil {
		under.Close()
	}
	return c, err
}

// shake asks for a WebSocket and checks the answer.
func shake(ctx context.Context, under net.Conn, u *url.URL, header http.Header, opt Options) (*Conn, error) {
	var raw [16]byte
	if _, err := rand.Read(raw[:]); err != nil {
		return nil, err
	}
	key := base64.StdEncoding.EncodeToString(raw[:])
	req := &http.Request{Method: http.MethodGet, URL: u, Host: u.Host, Header: header.Clone(), Proto: "HTTP/1.1",
		ProtoMajor: 1, ProtoMinor: 1}
	if req.Header == nil {
		req.Header = http.Header{}
	}
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "websocket")
	req.Header.Set("Sec-Websocket-Version", "13")
	req.Header.Set("Sec-Websocket-Key", key)
	if opt.Protocol != "" {
		offered := append([]string{opt.Protocol}, tokens(req.Header, "Sec-Websocket-Protocol")...)
		req.Header.Set("Sec-Websocket-Protocol", strings.Join(offered, ", "))
	}
	stop := context.AfterFunc(ctx, func() { under.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if err := req.Write(under); err != nil {
		return nil, err
	}
	r := bufio.NewReader(under)
	resp, err := http.ReadResponse(r, req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusSwitchingProtocols {
		defer resp.Body.Close()
		b, err := io.ReadAll(io.LimitReader(resp.Body, 1<<12))
		if err != nil {
			return nil, err
		}
		return nil, &HandshakeError{resp.StatusCode, strings.TrimSpace(string(b))}
	}
	if resp.Header.Get("Sec-Websocket-Accept") != accepted(key) || !has(resp.Header, "Upgrade", "websocket") {
		return nil, errors.New("the server agreed to something that is no WebSocket")
	}
	return opt.conn(under, r, true), nil
}
