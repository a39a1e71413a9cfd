package serve

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"rao/internal/websocket"
)

const (
	// socketProtocol is the subprotocol that a client may name. A browser that has to bring a
	// token offers it beside bearerProtocol and the token in base64url, as it cannot send
	// other headers.
	socketProtocol = "rao"
	bearerProtocol = "bearer."
)

// socketToken is the token that a browser's WebSocket brings.
func socketToken(r *http.Request) (string, bool) {
	for _, p := range websocket.Offered(r) {
		if text, ok := strings.CutPrefix(p, bearerProtocol); ok {
			b, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
			return string(b), err == nil
		}
	}
	return "", false
}

// socketListener is a listener by messages of text, a JSON object each.
type socketListener struct {
	conn *websocket.Conn
	buf  []byte
}

func (l *socketListener) decision(id int64, d *decision) error {
	l.buf = strconv.AppendInt(append(l.buf[:0], `{"event":"decision","id":`...), id, 10)
	l.buf = append(d.appendJSON(append(l.buf, ',')), '}')
	return l.conn.Write(websocket.Text, l.buf)
}

func (l *socketListener) dropped(n int64) error {
	l.buf = append(strconv.AppendInt(append(l.buf[:0], `{"event":"dropped","dropped":`...), n, 10), '}')
	return l.conn.Write(websocket.Text, l.buf)
}

func (l *socketListener) quiet() error { return l.conn.Ping() }
func (l *socketListener) flush() error { return nil }

func (l *socketListener) end() error {
	return l.conn.Shutdown(websocket.Normal, "the stream has ended")
}

// socket is a stream over a WebSocket: messages of samples come in, a message for each
// decision goes out. Binary samples are of the type that ?type= names, f32 or f64; samples
// of text are lines of numbers. Every message holds whole samples. Decisions begin after
// the one that ?after= names.
func (s *Server) socket(w http.ResponseWriter, r *http.Request) error {
	st, err := s.streams.find(r.PathValue("id"))
	if err != nil {
		return err
	}
	query := r.URL.Query()
	next, err := after(query.Get("after"), "after")
	if err != nil {
		return err
	}
	elem := 4
	switch t := query.Get("type"); t {
	case "", "f32":
	case "f64":
		elem = 8
	default:
		return badRequest("type is %q; binary samples are f32 or f64", t)
	}
	rec, _ := w.(*recorder)
	conn, err := websocket.Accept(w, r, websocket.Options{Limit: int(min(s.opt.MaxBody, 1<<20)), Quiet: 4 * beat,
		Protocol: socketProtocol})
	if refused := new(websocket.HandshakeError); errors.As(err, &refused) {
		return &httpError{refused.Status, refused.Reason}
	}
	if rec != nil {
		rec.status = http.StatusSwitchingProtocols
	}
	if err != nil {
		return nil // nobody is there to be told
	}
	defer conn.Close()
	ctx, cancel := context.WithCancel(r.Context())
	told := make(chan struct{})
	go func() {
		defer close(told)
		defer s.rescue(r, conn)
		if err := s.follow(ctx, st, next, &socketListener{conn: conn}); err != nil && ctx.Err() == nil {
			conn.Shutdown(websocket.GoingAway, "messages are not taken") // ends Read
		}
	}()
	defer func() {
		cancel()
		<-told
	}()
	taken, err := s.takeMessages(ctx, conn, st, elem)
	if rec != nil {
		rec.rows += int(taken)
	}
	if err != nil {
		text := append(appendText([]byte(`{"event":"error","error":`), err.Error()), '}')
		conn.Write(websocket.Text, text) // the reason of a close frame may be cut off
		conn.Shutdown(websocket.Policy, err.Error())
	}
	return nil
}

// rescue ends a WebSocket, and nothing else, by a panic.
func (s *Server) rescue(r *http.Request, conn *websocket.Conn) {
	if p := recover(); p != nil {
		s.logPanic(r.URL.Path, p)
		conn.Shutdown(websocket.Unexpected, "a defect of the server")
	}
}

// takeMessages decodes the samples of messages until the connection ends, and returns how
// many they were. The error is one that the client does not know yet.
func (s *Server) takeMessages(ctx context.Context, conn *websocket.Conn, st *stream, elem int) (int64, error) {
	var msg []byte
	var values []float64
	mine, before := false, int64(0)
	for {
		kind, got, err := conn.Read(msg)
		if err != nil {
			if mine {
				return st.samples - before, nil
			}
			return 0, nil
		}
		msg = got
		if !mine {
			if !st.pushing.TryLock() {
				return 0, errPushing
			}
			defer st.pushing.Unlock()
			mine, before = true, st.samples
		}
		st.took = time.Now()
		var bad error
		if kind == websocket.Text {
			values, _, bad = parseLines(values[:0], msg, st.width, true, st.samples)
		} else if values, _ = parseBinary(values[:0], msg, elem, st.width); len(values)*elem != len(msg) {
			bad = badRequest("a message of %d bytes; a sample of %d values takes %d", len(msg), st.width, st.width*elem)
		}
		if err := s.decode(ctx, st, values); err != nil {
			return st.samples - before, err
		}
		if bad != nil {
			return st.samples - before, bad
		}
	}
}
