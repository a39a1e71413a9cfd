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
	Err     error    // the error that Unwrap returns, or nil
	Names   []string // names of the channels, or nil
}

// Error returns the fault with the name of the channel, or with its number if the names are unknown.
func (e *ChannelError) Error() string {
	if e.Channel < len(e.Names) {
		return fmt.Sprintf("channel %s of %s %s", e.Names[e.Channel], e.Of, e.Fault)
	}
	return fmt.Sprintf("channel %d (counted from 0) of %s %s", e.Channel, e.Of, e.Fault)
}

// Unwrap returns Err.
func (e *ChannelError) Unwrap() error { return e.Err }

// At returns err with its place in front of the message. Unlike with fmt.Errorf, [NameChannel] can still add the name
// of a channel to the message.
func At(place string, err error) error { return &located{place, err} }

type located struct {
	place string
	err   error
}

func (l *located) Error() string { return l.place + ": " + l.err.Error() }
func (l *located) Unwrap() error { return l.err }

// NameChannel adds the names of the channels to a ChannelError in err that has no names, and returns err. If every
// channel has several columns, such as bands, the channels repeat in the same order.
func NameChannel(err error, names []string) error {
	var e *ChannelError
	if errors.As(err, &e) && e.Names == nil && len(names) > 0 {
		e.Channel, e.Names = e.Channel%len(names), names
	}
	return err
}
