package eeg

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/eeg"
	"rao/internal/eeg/live"
	"rao/internal/optionvalues"
	"rao/internal/text"
)

type playFlags struct {
	live.PlayOptions
	recordingFlags
}

// playResult is the JSON output of rao eeg play. The names in the JSON are stable.
type playResult struct {
	Recording string `json:"recording"`
	Samples   int64  `json:"samples"`
	Markers   int    `json:"markers"`
	Lost      int64  `json:"lost"` // number of samples that slow consumers missed
}

func playCommand(a *app.App) *cobra.Command {
	var p playFlags
	cmd := &cobra.Command{
		Use:         "play RECORDING",
		Annotations: map[string]string{app.Live: "true"},
		Short:       "Offer a recording as a live stream",
		Long: `Offer a recording as a Lab Streaming Layer stream at its original speed, and its events as
a second stream of type Markers. --publish NAME names the streams NAME and NAME-markers.
The player waits until a program subscribes to the signal, unless you give --alone, and
ends with the recording. Time stamps are the times of the recording; with --speed they run
faster or slower accordingly.

--brainflow sends the signal like a BrainFlow streaming board, as UDP datagrams to a
multicast group: row 0 counts packages, and the other rows are the channels.`,
		Example: `  rao eeg play session.gdf --publish session
  rao eeg play session.gdf --publish fast --speed 4 --channels C3,Cz,C4
  rao eeg play x_raw.npy --rate 256 --publish x --local
  rao eeg play session.gdf --brainflow 225.1.1.1:6677`,
		Args: oneRecording,
	}
	f := cmd.Flags()
	app.TextVar(f, &p.Name, "publish", "NAME", "", "name of a Lab Streaming Layer stream on which to publish the "+
		"signal")
	app.TextVar(f, &p.Type, "type", "TYPE", "EEG", "type of the stream")
	app.TextVar(f, &p.Board, "brainflow", "HOST:PORT", "",
		"send to this address like a BrainFlow board, such as 225.1.1.1:6677")
	app.NumberFlag(f, &p.Speed, "speed", 1, 1e-3, 1e3, "speed relative to the recording")
	app.NumberFlag(f, &p.Block, "block", 0.02, 1e-4, 10, "seconds of the recording sent at a time")
	app.CountFlag(f, &p.Times, "times", 1, 1, 1<<20, "number of times to play the recording")
	f.BoolVar(&p.Alone, "alone", false, "start even if no program subscribes to the stream")
	f.BoolVar(&p.Local, "local", false, "offer the streams to this machine only")
	p.addFile(f)
	p.addChannels(f, "all")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if p.Name == "" && p.Board == "" {
			return app.Usagef("give --publish with a name, or --brainflow with an address, to choose how the " +
				"recording is sent")
		}
		r, err := p.play(cmd.Context(), a, args[0])
		if err != nil {
			return err
		}
		return a.Emit(r, func() {
			fmt.Fprintf(a.Out, "%s: %d samples, %s\n", r.Recording, r.Samples, text.Plural(r.Markers, "marker",
				"markers"))
			if r.Lost > 0 {
				fmt.Fprintf(a.Out, "%d samples were lost by consumers that did not keep up\n", r.Lost)
			}
		})
	}
	return cmd
}

func upToOneRecording(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return app.Usagef("%s accepts one recording, not %d", cmd.CommandPath(), len(args))
	}
	return nil
}

func oneRecording(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return app.Usagef("%s needs one recording, not %d", cmd.CommandPath(), len(args))
	}
	return nil
}

// play opens the recording and publishes it as a stream.
func (p *playFlags) play(ctx context.Context, a *app.App, path string) (*playResult, error) {
	opt := p.options()
	opt.AsStored = true
	if opt.Channels == nil && opt.Kinds == nil {
		opt.Kinds = []string{optionvalues.AllKinds}
	}
	rec, err := eeg.OpenRecording(path, opt)
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	p.Note = a.Note
	r, err := live.Play(ctx, rec, p.PlayOptions)
	if err != nil {
		return nil, err
	}
	return &playResult{path, r.Samples, r.Markers, r.Lost}, nil
}
