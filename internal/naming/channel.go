package naming

import (
	"errors"
	"fmt"
)

// ChannelError is a fault in one channel of a signal.
type ChannelError struct {
	Channel int      // index
	Of      string   // "the trial", for example
	Fault   string   // the rest of the sentence: "is constant"
	Names   []string // names of the channels, or nil
}

// Error returns the fault with the name of the channel, or with its number if the names are not known.
func (e *ChannelError) Error() string {
	if e.Channel < len(e.Names) {
		return fmt.Sprintf("channel %s of %s %s", e.Names[e.Channel], e.Of, e.Fault)
	}
	return fmt.Sprintf("channel %d of %s %s (channels count from 0)", e.Channel, e.Of, e.Fault)
}

// At returns err with its place in front of the message. A channel in err can still be named, unlike with fmt.Errorf,
// which fixes the message.
func At(place string, err error) error { return &located{place, err} }

type located struct {
	place string
	err   error
}

func (l *located) Error() string { return l.place + ": " + l.err.Error() }
func (l *located) Unwrap() error { return l.err }

// NameChannel returns err. If it has a ChannelError without names, it gives it the names of the channels. If there are
// several columns per channel, such as bands, the channels repeat in the same order.
func NameChannel(err error, names []string) error {
	var e *ChannelError
	if errors.As(err, &e) && e.Names == nil && len(names) > 0 {
		e.Channel, e.Names = e.Channel%len(names), names
	}
	return err
}
