package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"rao/internal/lsl"
	"rao/internal/recipes"
	"rao/model"
	live "rao/stream"
)

// signalView describes a Lab Streaming Layer stream that can be decoded. The names in the JSON are stable.
type signalView struct {
	Query    string  `json:"query"` // query that selects this stream
	Name     string  `json:"name"`
	Type     string  `json:"type"`
	Host     string  `json:"host"`
	Channels int     `json:"channels"`
	Rate     float64 `json:"rate"`
}

const (
	lookTime    = 700 * time.Millisecond // to list signals
	findTime    = 3 * time.Second        // to find a requested signal
	recoverTime = 30 * time.Second       // to find a signal again that has disappeared
)

// listSignals lists the signals of the network. The list is empty if Options.Signals is empty.
func (s *Server) listSignals(w http.ResponseWriter, r *http.Request) error {
	list := []signalView{}
	if s.opt.Signals != "" {
		found, err := s.resolve(r.Context(), "", 0, lookTime)
		if err != nil {
			return err
		}
		for _, f := range found {
			if f.Format == lsl.Text || f.Rate == 0 {
				continue
			}
			query := fmt.Sprintf("uid='%s'", f.UID)
			list = append(list, signalView{query, f.Name, f.Type, f.Host, f.ChannelCount, f.Rate})
		}
	}
	return writeJSON(w, 200, list)
}

func (s *Server) resolve(ctx context.Context, query string, least int, wait time.Duration) ([]lsl.Info, error) {
	q, err := lsl.ParseQuery(query)
	if err != nil {
		return nil, badRequest("signal: %v", err)
	}
	return lsl.Resolve(ctx, q, lsl.ResolveOptions{Local: s.opt.Signals == "local", Minimum: least, Wait: wait})
}

// openSignal connects to the only signal that matches the query. It returns an error if no signal or several signals
// match.
func (s *Server) openSignal(ctx context.Context, query string) (*lsl.Inlet, error) {
	if s.opt.Signals == "" {
		return nil, &httpError{http.StatusForbidden,
			"this server does not receive signals from the network; start it with the option lsl"}
	}
	found, err := s.resolve(ctx, query, 1, findTime)
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, &httpError{http.StatusNotFound,
			fmt.Sprintf("no signal was found for %s; GET /v1/signals lists the available signals", query)}
	case len(found) > 1:
		var names []string
		for _, f := range found {
			names = append(names, fmt.Sprintf("uid='%s' (%s on %s)", f.UID, f.Name, f.Host))
		}
		return nil, badRequest("%d signals match %s: %s; use a query that matches one", len(found), query,
			strings.Join(names, ", "))
	case found[0].Format == lsl.Text || found[0].Rate == 0:
		return nil, badRequest("%s is not a numeric signal with a sampling rate; choose another", found[0].Name)
	}
	return lsl.Open(ctx, found[0], lsl.InletOptions{Recover: recoverTime})
}

// ofSignal sets the rate, channels and units in the options from the declaration of the signal.
func ofSignal(opt live.DecoderOptions, m *model.Model, info lsl.Info) live.DecoderOptions {
	if recipes.SignalOf(m.Input.Recipe) == nil {
		return opt // the samples are complete observations
	}
	opt.Rate, opt.Reference = info.Rate, info.Reference
	if opt.Channels == nil {
		opt.Channels = info.Labels()
	}
	if opt.Units == nil {
		for _, c := range info.Channels {
			opt.Units = append(opt.Units, c.Unit)
		}
	}
	return opt
}

// decodeSignal decodes a signal until the signal or the stream ends.
func (s *Server) decodeSignal(ctx context.Context, st *stream, in *lsl.Inlet) {
	st.pushing.Lock()
	defer st.pushing.Unlock()
	defer s.streams.remove(st.id)
	defer in.Close()
	defer func() {
		if p := recover(); p != nil {
			s.logPanic("the signal of stream "+st.id, st.id, p)
		}
	}()
	var c lsl.Chunk
	for {
		err := in.Pull(ctx, &c)
		if err == nil {
			st.took = time.Now()
			if c.Begins && st.samples > 0 {
				st.decoder.Restart(0)
			}
			err = s.decode(ctx, st, c.Values)
		}
		if err != nil {
			if !errors.Is(err, lsl.ErrEnded) && ctx.Err() == nil {
				s.opt.Log.Warn("signal", "stream", st.id, "error", err.Error())
			}
			return
		}
	}
}
