package eeg

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"rao"
	"rao/cmd/rao/internal/app"
	"rao/eeg"
	"rao/internal/decisionrecord"
	"rao/internal/eeg/live"
	"rao/internal/eeg/stopping"
	"rao/internal/text"
	"rao/model"
)

// atEventFlags control decisions at the events of a signal, and spelling with these decisions.
type atEventFlags struct {
	events, markers, speller, target, begin string
	start, late                             float64
	spell                                   stopping.SpellerOptions
}

func (f *atEventFlags) add(s *pflag.FlagSet) {
	app.TextVar(s, &f.events, "at", "EVENT,...", "",
		"events to decide at, on the trial after each; or all")
	app.TextVar(s, &f.markers, "markers", "QUERY", "", "with --at and --lsl: the stream of the markers")
	app.NumberFlag(s, &f.start, "start", 0, -1e3, 1e3, "with --at: start of a trial in seconds after its event")
	app.NumberFlag(s, &f.late, "late", 1, 0, 60, "with --markers: seconds that markers may arrive after the signal")
	app.TextVar(s, &f.speller, "speller", "EVENT=SYMBOLS,...", "",
		"symbols that flash at each event, such as row-1=ABC,column-1=AD; matrix: as in rao data recording "+
			"--paradigm p300")
	app.TextVar(s, &f.target, "attended", "CLASS", "target", "with --speller: class of the attended symbol")
	app.TextVar(s, &f.begin, "new-symbol", "EVENT", "",
		"with --speller: event that starts a symbol")
	app.NumberFlag(s, &f.spell.Threshold, "spell-from", 0.95, 0.01, 0.999999,
		"probability at which a symbol is chosen")
	app.CountFlag(s, &f.spell.Most, "flashes", 0, 0, 1<<20,
		"most flashes per symbol; 0: no limit")
}

// check returns a usage error if the flags contradict each other.
func (f *atEventFlags) check(s *pflag.FlagSet, l *liveFlags, recording string) error {
	if f.speller != "" && f.events == "" {
		groups, err := f.groups()
		if err != nil {
			return err
		}
		f.events = strings.Join(slices.Sorted(maps.Keys(groups)), ",")
		if f.begin != "" {
			f.events += "," + f.begin
		}
	}
	for _, name := range []string{"markers", "start", "late", "speller", "attended", "spell-from", "flashes",
		"new-symbol"} {
		if f.events == "" && s.Changed(name) {
			return app.Usagef("--%s needs --at, which names the events for decisions", name)
		}
	}
	switch {
	case f.events == "":
		return nil
	case recording == "" && (l.lsl == "" || f.markers == ""):
		return app.Usagef("--at needs events; give a recording, or --lsl with --markers")
	case recording != "" && f.markers != "":
		return app.Usagef("--markers needs --lsl; a recording contains its own events")
	}
	for _, name := range []string{"stopping", "step", "samples", "real-time"} {
		if s.Changed(name) {
			return app.Usagef("--%s is for continuous decisions; leave it out, because --at decides once for each "+
				"event", name)
		}
	}
	return nil
}

// groups parses --speller.
func (f *atEventFlags) groups() (map[string][]string, error) {
	groups := map[string][]string{}
	list := f.speller
	if list == "matrix" {
		list = spellerMatrix
	}
	for _, item := range text.SplitList(list) {
		event, symbols, ok := strings.Cut(item, "=")
		if _, twice := groups[event]; !ok || event == "" || symbols == "" || twice {
			return nil, app.Usagef("--speller: %q is not EVENT=SYMBOLS, or names an event again; write each event "+
				"once, such as 1=ABCDEF", item)
		}
		groups[event] = strings.Split(symbols, "")
	}
	return groups, nil
}

// spellerMatrix lists the rows and columns of the simulated speller.
const spellerMatrix = "row-1=ABCDEF,row-2=GHIJKL,row-3=MNOPQR,row-4=STUVWX,row-5=YZ1234,row-6=56789_," +
	"column-1=AGMSY5,column-2=BHNTZ6,column-3=CIOU17,column-4=DJPV28,column-5=EKQW39,column-6=FLRX4_"

// spelled is a chosen symbol in the JSON output. The names in the JSON are stable.
type spelled struct {
	At          int64   `json:"at"` // first sample after the window of the last flash
	Symbol      string  `json:"symbol"`
	Probability float64 `json:"probability"`
	Flashes     int     `json:"flashes"`
	Undecided   bool    `json:"undecided,omitempty"` // the next symbol began before this symbol was certain
}

// atEvent is a decision at an event in the JSON output. The names in the JSON are stable.
type atEvent struct {
	Event string `json:"event"`
	decisionrecord.Record
}

// run makes decisions at the events of a recording or a live signal.
func (f *atEventFlags) run(ctx context.Context, a *app.App, l *liveFlags, session live.Session,
	recording string) error {
	s := &live.EventSession{Session: session, Start: f.start}
	var err error
	if f.events != "all" {
		if s.Events, err = eeg.ParseClasses(f.events); err != nil {
			return app.Usagef("--at: %v", err)
		}
	}
	if s.AtEvent, err = f.writer(a, s.Model, session.Feedback); err != nil {
		return err
	}
	if f.speller != "" {
		s.Feedback = nil // the page shows symbols, not flashes
	}
	signal, info, err := f.open(ctx, a, l, recording, s)
	if err != nil {
		return err
	}
	defer signal.Close()
	err = l.published(a, &s.Session, func() error { return s.Run(ctx, signal, info, l.log) })
	late := ""
	if s.Late > 0 {
		late = fmt.Sprintf("; %s without a decision: too late, or at the edge of the signal", text.Plural(s.Late,
			"event", "events"))
	}
	if err == nil || ctx.Err() != nil {
		a.Note("%s%s", s.Summary(), late)
	}
	return err
}

func (f *atEventFlags) open(ctx context.Context, a *app.App, l *liveFlags, recording string,
	s *live.EventSession) (live.Signal, *live.Info, error) {
	if recording != "" {
		rec, err := s.Recording(recording)
		if err != nil {
			return nil, nil, err
		}
		return live.Recorded(rec), live.InfoOf(rec), nil
	}
	signal, info, _, err := l.network.openMarked(ctx, a, l.lsl, f.markers, f.late)
	return signal, info, err
}

// writer returns the function that prints a decision at an event, or the symbols spelled so far.
func (f *atEventFlags) writer(a *app.App, m *model.Model, page *live.Feedback) (func(eeg.Event, live.Decision,
	time.Duration) error, error) {
	out := bufio.NewWriter(a.Out)
	if f.speller == "" {
		return func(e eeg.Event, d live.Decision, took time.Duration) error {
			r := atEvent{live.MarkerText(e), d.Record(m.Classes, took)}
			line := append(r.AppendText(nil), "\t"+text.Visible(r.Event)...)
			if a.JSON {
				line = append(r.AppendFields([]byte{'{'}), `,"event":`...)
				line = append(text.AppendString(line, r.Event), '}')
			}
			out.Write(append(line, '\n'))
			return out.Flush()
		}, nil
	}
	target := slices.Index(m.Classes, f.target)
	if target < 0 {
		return nil, app.Usagef("--attended: %v", &rao.UnknownError{Kind: "class", Name: f.target, Known: m.Classes})
	}
	groups, err := f.groups()
	if err != nil {
		return nil, err
	}
	speller, err := stopping.NewSpeller(groups, f.spell)
	if err != nil {
		return nil, app.Usagef("--speller: %v", err)
	}
	spelling := f.begin == ""
	return func(e eeg.Event, d live.Decision, _ time.Duration) error {
		if f.begin != "" && live.MarkerText(e) == f.begin {
			undecided := spelling && speller.Flashes() > 0
			symbol, p, _ := speller.Flash("", 0)
			r := spelled{d.At, symbol, p, speller.Flashes(), true}
			speller.Restart()
			if spelling = true; undecided {
				return r.write(out, a.JSON)
			}
			return nil
		}
		symbol, p, chosen := "", 0.0, false
		if spelling && !d.Artifact { // a decision on an artifact contains no information
			symbol, p, chosen = speller.Flash(live.MarkerText(e), math.Exp(d.LogPosterior[target]))
			page.Show(speller.Symbols(), speller.Posterior(), text.Plural(speller.Flashes(), "flash", "flashes"),
				chosen, slices.Index(speller.Symbols(), symbol))
		}
		if !chosen {
			return nil
		}
		r := spelled{d.At, symbol, p, speller.Flashes(), false}
		speller.Restart()
		spelling = f.begin == ""
		return r.write(out, a.JSON)
	}, nil
}

// write prints the symbol on one line.
func (r spelled) write(out *bufio.Writer, asJSON bool) error {
	if asJSON {
		b := text.AppendString(fmt.Appendf(nil, `{"at":%d,"symbol":`, r.At), r.Symbol)
		b = fmt.Appendf(text.AppendNumber(append(b, `,"probability":`...), r.Probability), `,"flashes":%d`, r.Flashes)
		if r.Undecided {
			b = append(b, `,"undecided":true`...)
		}
		out.Write(append(b, "}\n"...))
		return out.Flush()
	}
	state := ""
	if r.Undecided {
		state = "\tundecided"
	}
	fmt.Fprintf(out, "%d\t%s\t%.4f\t%s%s\n", r.At, text.Visible(r.Symbol), r.Probability, text.Plural(r.Flashes,
		"flash", "flashes"), state)
	return out.Flush()
}
