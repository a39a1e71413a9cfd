package experiment

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"rao/internal/testkit"
	"rao/lvq"
)

// A canceled fit is an error, never a result: its prototypes would be the initial ones, whatever the options. A table
// of SynII once contained that number, 93.56 ± 1.65, in all eighteen cells.
func TestCanceledFitIsNotCounted(t *testing.T) {
	r := Run{Short: true, Seed: 1}
	part := testkit.Must(r.synParts(1, 0))(t)
	ctx := testkit.Canceled()
	o := paperPLRSQ(10, 1, 0.5, 5, "")
	if _, err := (learner{label: "PLRSQ", fit: fitPLRSQ(o)}).accuracy(ctx, part[0], part[2], 1); !errors.Is(err,
		context.Canceled) {
		t.Errorf("prototypes: error %v", err)
	}
	if _, _, err := r.synPrototypes(ctx, 1, []lvq.PLRSQOptions{o}); !errors.Is(err, context.Canceled) {
		t.Errorf("the grid: error %v", err)
	}
	if _, err := traced(ctx, part[0], part[2], o, []int{1, 2}); !errors.Is(err, context.Canceled) {
		t.Errorf("the course: error %v", err)
	}
}

// The first error in the order of the jobs is the one returned, whatever ran first.
func TestEachReturnsTheFirstErrorInOrder(t *testing.T) {
	ran := make([]bool, 9)
	err := each(context.Background(), len(ran), func(i int) error {
		ran[i] = true
		if i == 3 || i == 7 {
			return errors.New(strings.Repeat("x", i))
		}
		return nil
	})
	if err == nil || err.Error() != "xxx" {
		t.Errorf("got %v", err)
	}
	if slices.Contains(ran, false) {
		t.Errorf("jobs that ran: %v", ran)
	}
}
