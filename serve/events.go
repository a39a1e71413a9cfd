package serve

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"rao/internal/decisionrecord"
)

// beat is the interval of keep-alive messages to idle listeners.
const beat = 15 * time.Second

// listener receives the events of a stream. An error from a method means that the client has left.
type listener interface {
	decision(id int64, d *decisionrecord.Record) error
	dropped(n int64) error // n decisions are no longer stored
	quiet() error          // there was no event for a while
	flush() error          // there are no more events at present
	end() error
}

// follow sends the decisions from number next on to the listener. It returns when the stream ends, ctx is done or the
// listener has left.
func (s *Server) follow(ctx context.Context, st *stream, next int64, to listener) error {
	var got []decisionrecord.Record
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		var lost int64
		var ended bool
		var change <-chan struct{}
		got, lost, ended, change = st.since(next, got[:0])
		if lost > 0 {
			s.metrics.gap(st.entry.name, int(lost))
			if err := to.dropped(lost); err != nil {
				return err
			}
			next += lost
		}
		for i := range got {
			if err := to.decision(next, &got[i]); err != nil {
				return err
			}
			next++
		}
		if ended {
			return to.end()
		}
		if err := to.flush(); err != nil {
			return err
		}
		select {
		case <-change:
		case <-tick.C:
			if err := st.touch(false); err != nil {
				continue // find out whether the stream has ended
			}
			if err := to.quiet(); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// nextDecision parses the number of the last decision that a listener received, and returns the number of the next one.
// If last is empty, it returns 0, the number of the first decision. what names the source of last in messages.
func nextDecision(last, what string) (int64, error) {
	if last == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(last, 10, 64)
	if err != nil || n < 0 {
		return 0, badRequest("%s is %q; it must be the number of a decision", what, last)
	}
	return n + 1, nil
}

// eventStream sends the events of a stream as server-sent events.
type eventStream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	buf     []byte
}

func (e *eventStream) decision(id int64, d *decisionrecord.Record) error {
	e.buf = append(strconv.AppendInt(append(e.buf[:0], "id: "...), id, 10), "\nevent: decision\ndata: "...)
	e.buf = append(d.AppendFields(append(e.buf, '{')), "}\n\n"...)
	_, err := e.w.Write(e.buf)
	return err
}

func (e *eventStream) dropped(n int64) error {
	_, err := fmt.Fprintf(e.w, "event: dropped\ndata: {\"dropped\":%d}\n\n", n)
	return err
}

func (e *eventStream) quiet() error {
	_, err := io.WriteString(e.w, ": still here\n\n")
	return err
}

func (e *eventStream) flush() error {
	e.control.SetWriteDeadline(time.Now().Add(2 * beat)) // until the next events; not every writer supports deadlines
	return e.control.Flush()
}

func (e *eventStream) end() error {
	_, err := io.WriteString(e.w, "event: end\ndata: {}\n\n")
	return err
}

// decisions sends the decisions as server-sent events. It starts after Last-Event-ID, or with the oldest stored
// decision.
func (s *Server) decisions(w http.ResponseWriter, r *http.Request) error {
	st, err := s.streams.find(r.PathValue("id"))
	if err != nil {
		return err
	}
	next, err := nextDecision(r.Header.Get("Last-Event-ID"), "Last-Event-ID")
	if err != nil {
		return err
	}
	control := http.NewResponseController(w)
	control.SetReadDeadline(time.Time{}) // a listener sends nothing, so reading must not time out
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	s.follow(r.Context(), st, next, &eventStream{w: w, control: control}) // an error means that the client has left
	return nil
}
