package tableoptions

import (
	"reflect"
	"testing"

	"rao/dataset"
	"rao/internal/testkit"
)

func TestSet(t *testing.T) {
	for _, c := range []struct {
		given Options
		drop  []string
		want  dataset.TableOptions
	}{
		{Options{}, nil, dataset.TableOptions{Missing: "error"}},
		{Options{Categories: "top:20"}, nil, dataset.TableOptions{Missing: "error",
			Categories: []string{"auto"}, Top: 20, Learn: true}},
		{Options{Categories: "a,top:3,b", Missing: "mean", Keep: "a,b,c", ID: "row"}, nil, dataset.TableOptions{
			Missing: "mean", Categories: []string{"a", "b"}, Top: 3, Keep: []string{"a", "b", "c"}, ID: "row",
			Learn: true}},
		{Options{}, []string{"x"}, dataset.TableOptions{Missing: "error", Drop: []string{"x"}, Learn: true}},
	} {
		opt := dataset.OpenOptions{Table: dataset.TableOptions{Drop: c.drop}}
		if err := c.given.Set(&opt); err != nil || !reflect.DeepEqual(opt.Table, c.want) {
			t.Errorf("%+v: %+v, %v; want %+v", c.given, opt.Table, err, c.want)
		}
	}
	weighted := dataset.OpenOptions{Weights: "w"}
	if err := (Options{}).Set(&weighted); err != nil || !weighted.Table.Learn {
		t.Errorf("weights: %+v, %v", weighted.Table, err)
	}
	for option, given := range map[string]Options{"missing": {Missing: "mode"}, "top:N": {Categories: "top:many"},
		"1000": {Categories: "top:0"}} {
		testkit.ErrorContains(t, given.Set(&dataset.OpenOptions{}), option, given)
	}
}
