package serve

import (
	"bytes"
	"context"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"

	"rao/internal/decisionrecord"
	"rao/internal/text"
)

const (
	// socketProtocol is the subprotocol that a client may request. A browser cannot set the Authorization header of a
	// WebSocket. It sends a token as another subprotocol: bearerProtocol followed by the token in base64url.
	socketProtocol = "rao"
	bearerProtocol = "bearer."
)

// socketToken returns the token in the subprotocols of a WebSocket request.
func socketToken(r *http.Request) (string, bool) {
	for _, line := range r.Header.Values("Sec-WebSocket-Protocol") {
		for p := range strings.SplitSeq(line, ",") {
			if text, ok := strings.CutPrefix(strings.TrimSpace(p), bearerProtocol); ok {
				b, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
				return string(b), err == nil
			}
		}
	}
	return "", false
}

// socketWriteTime is the time limit for sending a message to the client.
const socketWriteTime = 30 * time.Second

// socketListener sends the events of a stream as text messages with one JSON object each.
type socketListener struct {
	ctx  context.Context
	conn *websocket.Conn
	buf  []byte
}

func (l *socketListener) decision(id int64, d *decisionrecord.Record) error {
	l.buf = strconv.AppendInt(append(l.buf[:0], `{"event":"decision","id":`...), id, 10)
	l.buf = append(d.AppendFields(append(l.buf, ',')), '}')
	return l.write()
}

func (l *socketListener) dropped(n int64) error {
	l.buf = append(strconv.AppendInt(append(l.buf[:0], `{"event":"dropped","dropped":`...), n, 10), '}')
	return l.write()
}

func (l *socketListener) write() error {
	ctx, cancel := context.WithTimeout(l.ctx, socketWriteTime)
	defer cancel()
	return l.conn.Write(ctx, websocket.MessageText, l.buf)
}

func (l *socketListener) quiet() error { return nil } // keepAlive sends pings
func (l *socketListener) flush() error { return nil }

func (l *socketListener) end() error {
	return l.conn.Close(websocket.StatusNormalClosure, "the stream has ended")
}

// keepAlive closes a connection whose client does not answer a ping.
func keepAlive(ctx context.Context, conn *websocket.Conn, every time.Duration) {
	for range ticks(ctx, every) {
		wait, cancel := context.WithTimeout(ctx, 3*every)
		err := conn.Ping(wait)
		cancel()
		if err != nil {
			conn.CloseNow()
			return
		}
	}
}

// closeReason shortens a text to the length limit of a close frame.
func closeReason(text string) string {
	for len(text) > 123 || !utf8.ValidString(text) {
		text = text[:len(text)-1]
	}
	return text
}

// handshake intercepts the answer to a refused WebSocket request. The server can then answer as it does for other
// errors.
type handshake struct {
	http.ResponseWriter
	refused int // status of the refusal
}

// Unwrap returns the underlying writer.
func (h *handshake) Unwrap() http.ResponseWriter { return h.ResponseWriter }

func (h *handshake) WriteHeader(status int) {
	if status != http.StatusSwitchingProtocols {
		h.refused = status
		return
	}
	h.ResponseWriter.WriteHeader(status)
}

func (h *handshake) Write(b []byte) (int, error) { return len(b), nil }

// socket connects a stream to a WebSocket. The client sends messages with samples, and the server sends each decision
// as a message. ?type= is the type of binary samples, f32 or f64. Samples in text messages are lines of numbers. Every
// message contains complete samples. Decisions start after the number in ?after=.
func (s *Server) socket(w http.ResponseWriter, r *http.Request) error {
	st, err := s.streams.find(r.PathValue("id"))
	if err != nil {
		return err
	}
	query := r.URL.Query()
	next, err := nextDecision(query.Get("after"), "after")
	if err != nil {
		return err
	}
	elem := 4
	switch t := query.Get("type"); t {
	case "", "f32":
	case "f64":
		elem = 8
	default:
		return badRequest("type is %q; it must be f32 or f64", t)
	}
	shake := &handshake{ResponseWriter: w}
	conn, err := websocket.Accept(shake, r, &websocket.AcceptOptions{Subprotocols: []string{socketProtocol},
		OriginPatterns: s.opt.Origins})
	if err != nil {
		if shake.refused == 0 {
			return nil // the client has left
		}
		return &httpError{shake.refused, err.Error()}
	}
	defer conn.CloseNow()
	conn.SetReadLimit(min(s.opt.MaxBody, 1<<20))
	ctx, cancel := context.WithCancel(r.Context())
	var others sync.WaitGroup
	others.Go(func() { keepAlive(ctx, conn, beat) })
	others.Go(func() {
		defer s.rescue(r, conn)
		if err := s.follow(ctx, st, next, &socketListener{ctx: ctx, conn: conn}); err != nil && ctx.Err() == nil {
			conn.Close(websocket.StatusGoingAway, "the client does not receive messages") // ends Read
		}
	})
	defer func() {
		cancel()
		others.Wait()
	}()
	samples, err := s.decodeMessages(ctx, conn, st, elem)
	if rec, ok := w.(*recorder); ok {
		rec.rows += int(samples)
	}
	if err != nil {
		refusal := &socketListener{ctx: ctx, conn: conn}
		refusal.buf = append(text.AppendString([]byte(`{"event":"error","error":`), err.Error()), '}')
		refusal.write() // the reason in a close frame may be truncated
		conn.Close(websocket.StatusPolicyViolation, closeReason(err.Error()))
	}
	return nil
}

// rescue recovers from a panic and closes only this WebSocket.
func (s *Server) rescue(r *http.Request, conn *websocket.Conn) {
	if p := recover(); p != nil {
		s.logPanic(r.URL.Path, requestID(r), p)
		conn.Close(websocket.StatusInternalError, "a bug in the server")
	}
}

// decodeMessages decodes the samples of messages until the connection ends, and returns the number of samples. It does
// not send its error to the client.
func (s *Server) decodeMessages(ctx context.Context, conn *websocket.Conn, st *stream, elem int) (int64, error) {
	var message bytes.Buffer
	var values []float64
	mine, before := false, int64(0)
	for {
		message.Reset()
		kind, in, err := conn.Reader(ctx)
		if err == nil {
			_, err = message.ReadFrom(in)
		}
		if err != nil {
			if mine {
				return st.samples - before, nil
			}
			return 0, nil
		}
		msg := message.Bytes()
		if !mine {
			if !st.pushing.TryLock() {
				return 0, errPushing
			}
			defer st.pushing.Unlock()
			mine, before = true, st.samples
		}
		st.took = time.Now()
		var bad error
		if kind == websocket.MessageText {
			values, _, bad = parseLines(values[:0], msg, st.width, true, st.samples)
		} else if values, _ = parseBinary(values[:0], msg, elem, st.width); len(values)*elem != len(msg) {
			bad = badRequest("the message has %d bytes and does not end after a complete sample; a sample of %d "+
				"values needs %d bytes", len(msg), st.width, st.width*elem)
		}
		if err := s.decode(ctx, st, values); err != nil {
			return st.samples - before, err
		}
		if bad != nil {
			return st.samples - before, bad
		}
	}
}
