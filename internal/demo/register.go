package demo

import "context"

// signals are the functions registered with [AddSignal].
var signals []func(ctx context.Context, folder string) (replay string, err error)

// AddSignal registers a function for [WriteSignals]. The function writes a model of a live signal into a folder, and a
// recording as text for replay, and returns the path of the recording.
func AddSignal(write func(ctx context.Context, folder string) (replay string, err error)) {
	signals = append(signals, write)
}

// WriteSignals writes the registered models of live signals into a folder, and returns the paths of the recordings to
// replay.
func WriteSignals(ctx context.Context, folder string) (replays []string, err error) {
	for _, write := range signals {
		path, err := write(ctx, folder)
		if err != nil {
			return nil, err
		}
		replays = append(replays, path)
	}
	return replays, nil
}
