package indices

import (
	"errors"
	"fmt"
	"testing"
)

type numbered struct{ at int }

func (n *numbered) Error() string { return fmt.Sprintf("matrix %d is bad", n.at) }

func TestInErrorReachesTheTextAroundIt(t *testing.T) {
	shift := func(n *numbered) { n.at += 10 }
	plain := error(&numbered{1})
	if got := InError(plain, shift); got != plain || got.Error() != "matrix 11 is bad" {
		t.Errorf("got %v", got)
	}
	err := fmt.Errorf("mdm: %w; leave it out", &numbered{1})
	for _, want := range []int{11, 21} { // blocks of a block
		err = InError(err, shift)
		var n *numbered
		if text := fmt.Sprintf("mdm: matrix %d is bad; leave it out", want); err.Error() != text ||
			!errors.As(err, &n) || n.at != want {
			t.Errorf("got %v, want %s", err, text)
		}
		err = fmt.Errorf("%w", err)
	}
	other := errors.New("disk full")
	if InError(other, shift) != other || InError(nil, shift) != nil {
		t.Error("another error changes")
	}
}
