package naming

import (
	"errors"
	"testing"

	"rao/internal/testkit"
)

// A fault gets the name of its channel, also in a wrapped error and in a column of a later band. Names that it already
// has stay.
func TestFaultsNameTheirChannel(t *testing.T) {
	fault := &ChannelError{Channel: 4, Of: "the trial", Fault: "is flat"}
	err := At("trial 3", fault)
	got := NameChannel(err, nil).Error()
	testkit.Equal(t, got, "trial 3: channel 4 (counted from 0) of the trial is flat")
	testkit.Equal(t, NameChannel(err, []string{"C3", "Cz", "C4"}).Error(), "trial 3: channel Cz of the trial is flat")
	testkit.Equal(t, NameChannel(err, []string{"a"}).Error(), "trial 3: channel Cz of the trial is flat")
	if other := errors.New("other"); NameChannel(other, []string{"a"}) != other || NameChannel(nil, nil) != nil {
		t.Error("other errors change")
	}
}
