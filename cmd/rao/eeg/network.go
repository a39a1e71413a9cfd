package eeg

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rao/cmd/rao/internal/app"
	"rao/internal/eeg/live"
	"rao/internal/lsl"
	"rao/internal/text"
)

const titleNetwork = "Finding streams"

func init() {
	app.Topic("streams", titleNetwork, "How streams are found on the network",
		"Flags of the commands that receive Lab Streaming Layer streams.", func(cmd *cobra.Command) {
			var n networkFlags
			n.add(cmd, 10)
			n.addLost(cmd)
		})
}

// networkFlags control the search for streams on the network.
type networkFlags struct {
	peers      string
	local      bool
	wait, lost float64
}

func (n *networkFlags) add(cmd *cobra.Command, wait float64) {
	app.InGroup(cmd.Flags(), titleNetwork, func(f *pflag.FlagSet) {
		app.TextVar(f, &n.peers, "peers", "HOST,...", "",
			"more hosts to ask, in addition to multicast")
		f.BoolVar(&n.local, "local", false, "use streams of this machine only")
		app.NumberFlag(f, &n.wait, "wait", wait, 0.01, 1e6, "seconds to look for streams")
	})
}

// addLost registers --lost, the time to search for a stream that has disappeared.
func (n *networkFlags) addLost(cmd *cobra.Command) {
	app.InGroup(cmd.Flags(), titleNetwork, func(f *pflag.FlagSet) {
		app.NumberFlag(f, &n.lost, "lost", 30, 0, 1e6, "seconds to look for a lost stream by its source_id; after "+
			"that the stream has ended")
	})
}

func (n *networkFlags) inlet() lsl.InletOptions {
	opt := lsl.InletOptions{Peers: text.SplitList(n.peers), Recover: time.Duration(n.lost * float64(time.Second))}
	opt.Recover = cmp.Or(opt.Recover, -1)
	return opt
}

func (n *networkFlags) options(least int) lsl.ResolveOptions {
	return lsl.ResolveOptions{Peers: text.SplitList(n.peers), Local: n.local, Minimum: least,
		Wait: time.Duration(n.wait * float64(time.Second))}
}

// find returns the only stream that matches the query. It returns an error if no stream or several streams match.
func (n *networkFlags) find(ctx context.Context, query string) (lsl.Info, error) {
	q, err := lsl.ParseQuery(query)
	if err != nil {
		return lsl.Info{}, app.Usagef("%v", err)
	}
	found, err := lsl.Resolve(ctx, q, n.options(1))
	if err == nil && len(found) == 1 { // look for a second match
		again := n.options(0)
		again.Wait = min(again.Wait, 300*time.Millisecond)
		var more []lsl.Info
		if more, err = lsl.Resolve(ctx, q, again); len(more) > 0 {
			found = more
		}
	}
	switch {
	case err != nil:
		return lsl.Info{}, err
	case len(found) == 0:
		return lsl.Info{}, fmt.Errorf("no stream matches %s within %g s; rao eeg lsl list shows the available streams",
			query, n.wait)
	case len(found) > 1:
		names := make([]string, len(found))
		for i, f := range found {
			names[i] = fmt.Sprintf("name='%s' and source_id='%s' on %s", f.Name, f.SourceID, f.Host)
			if clash(found, i) {
				names[i] += fmt.Sprintf(", uid='%s'", f.UID)
			}
		}
		return lsl.Info{}, fmt.Errorf("%d streams match %s: %s; use a query that matches only one", len(found), query,
			strings.Join(names, "; "))
	}
	return found[0], nil
}

// clash reports whether another stream has the same name, source_id and host as stream i. Only the uid distinguishes
// such streams.
func clash(list []lsl.Info, i int) bool {
	for k, f := range list {
		if k != i && f.Name == list[i].Name && f.SourceID == list[i].SourceID && f.Host == list[i].Host {
			return true
		}
	}
	return false
}

// openLSL opens the only stream that matches the query. The samples must be numbers.
func openLSL(ctx context.Context, a *app.App, n *networkFlags, query string) (live.Signal, *live.Info, error) {
	found, err := n.find(ctx, query)
	if err != nil {
		return nil, nil, err
	}
	return live.OpenLSL(ctx, found, a.Note, n.inlet())
}

// openMarked opens the streams of a signal and of its markers, and returns the name of the marker stream. A marker may
// arrive up to late seconds after its sample.
func (n *networkFlags) openMarked(ctx context.Context, a *app.App, signal, markers string,
	late float64) (live.Signal, *live.Info, string, error) {
	found, err := n.find(ctx, markers)
	if err != nil {
		return nil, nil, "", err
	}
	inlet, err := lsl.Open(ctx, found, n.inlet())
	if err != nil {
		return nil, nil, "", err
	}
	s, info, err := openLSL(ctx, a, n, signal)
	if err != nil {
		inlet.Close()
		return nil, nil, "", err
	}
	return live.Marked(s, inlet, info, late), info, found.Name, nil
}

// brainflowFlags describe the packets of a BrainFlow board.
type brainflowFlags struct {
	addr, eeg, names string
	rows, counter    int
}

func (b *brainflowFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	app.TextVar(f, &b.addr, "brainflow", "HOST:PORT", "",
		"BrainFlow streaming board, such as 225.1.1.1:6677; with --rows, --eeg and --rate")
	app.CountFlag(f, &b.rows, "rows", 0, 0, 1<<12, "rows of the BrainFlow board")
	app.TextVar(f, &b.eeg, "eeg", "ROW,...", "",
		"rows of the board with the signal, such as 1-8")
	app.TextVar(f, &b.names, "eeg-names", "NAME,...", "", "names of the channels in the rows of --eeg")
	app.CountFlag(f, &b.counter, "counter", 0, -1, 1<<12,
		"row that counts packages; -1 for none")
}

// open starts to listen for packets from the board.
func (b *brainflowFlags) open(rate float64) (live.Signal, *live.Info, error) {
	if b.rows == 0 || b.eeg == "" || rate == 0 {
		return nil, nil,
			app.Usagef("a BrainFlow board does not send its number of rows and its rate; give --rows, --eeg and " +
				"--rate")
	}
	pick, err := parseRows(b.eeg, b.rows)
	if err != nil {
		return nil, nil, err
	}
	names := text.SplitList(b.names)
	if names != nil && len(names) != len(pick) {
		return nil, nil, app.Usagef("--eeg-names has %s, but --eeg selects %s; give one name per row",
			text.Plural(len(names), "name", "names"), text.Plural(len(pick), "row", "rows"))
	}
	return live.Board{Addr: b.addr, Rows: b.rows, Counter: b.counter, Pick: pick, Names: names, Rate: rate}.Open()
}

// parseRows parses a list of rows, such as 1-8 or 0,2,5-7.
func parseRows(text string, rows int) ([]int, error) {
	out, ok := app.ParseRanges(text, 0, rows-1)
	if !ok {
		return nil, app.Usagef("--eeg %s: give rows from 0 to %d, such as 1-8", text, rows-1)
	}
	return out, nil
}
