package eeg

import (
	"fmt"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/internal/lsl"
)

func lslCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lsl",
		Short: "Streams of Lab Streaming Layer",
		Long: `Amplifiers, stimulus programs and recorders exchange signals as Lab Streaming Layer (LSL)
streams. rao eeg stream --lsl decides on a stream, rao eeg play offers a recording as a
stream, and rao eeg calibrate learns from a stream.`,
		Example: "  rao eeg lsl list",
	}
	cmd.AddCommand(lslListCommand(a))
	return cmd
}

// lslStream describes a stream in the JSON output of rao eeg lsl list. The names in the JSON are stable.
type lslStream struct {
	Name     string  `json:"name"`
	Type     string  `json:"type"`
	Channels int     `json:"channels"`
	Rate     float64 `json:"rate"` // 0 if the rate is irregular
	Format   string  `json:"format"`
	SourceID string  `json:"source_id"`
	Host     string  `json:"host"`
	Address  string  `json:"address"`
	UID      string  `json:"uid"`
}

func lslListCommand(a *app.App) *cobra.Command {
	var network networkFlags
	cmd := &cobra.Command{
		Use:   "list [QUERY]",
		Short: "Show the available streams",
		Long: `Show the streams that answer within --wait seconds, or only those that match a
query. A query compares name, type, source_id, channel_count, channel_format,
nominal_srate, uid, session_id, hostname and created_at with =, !=, <, >, <= and >=, or by
starts-with and contains, combined with and, or, not and parentheses. Streams are searched
on the local network. Behind a router, or without multicast, name their hosts with
--peers.`,
		Example: `  rao eeg lsl list
  rao eeg lsl list "type='EEG' and channel_count>=8"
  rao eeg lsl list --peers lab-pc,192.0.2.7 --wait 3`,
		Args: cobra.MaximumNArgs(1),
	}
	network.add(cmd, 1)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		query := ""
		if len(args) > 0 {
			query = args[0]
		}
		q, err := lsl.ParseQuery(query)
		if err != nil {
			return app.Usagef("%v", err)
		}
		found, err := lsl.Resolve(cmd.Context(), q, network.options(0))
		if err != nil {
			return err
		}
		list := make([]lslStream, len(found))
		rows := make([][]string, len(found))
		header := []string{"name", "type", "channels", "rate", "format", "source_id", "host"}
		for k := range found {
			if clash(found, k) && len(header) == 7 {
				header = append(header, "uid")
			}
		}
		for k, f := range found {
			list[k] = lslStream{f.Name, f.Type, f.ChannelCount, f.Rate, f.Format.String(), f.SourceID, f.Host,
				f.Address.String(), f.UID}
			rows[k] = []string{f.Name, f.Type, fmt.Sprint(f.ChannelCount), fmt.Sprintf("%g", f.Rate), list[k].Format,
				f.SourceID, f.Host}
			if len(header) == 8 {
				rows[k] = append(rows[k], f.UID)
			}
		}
		return a.Emit(list, func() {
			if len(rows) == 0 {
				a.Note("no stream answered within %g s; use a longer --wait, or name the host of the stream with "+
					"--peers", network.wait)
				return
			}
			a.Table(header, rows)
		})
	}
	return cmd
}
