package method

import (
	"strings"
	"testing"

	"rao"
	"rao/descriptor"
	"rao/model"
)

// A number alone is SQFA's; what is no number of filters is refused.
func TestReduceSpelledShort(t *testing.T) {
	for text, want := range map[string]Reduce{"8": {"sqfa", 8}, "enuc:3": {"enuc", 3}, "none": {}} {
		var r Reduce
		if err := r.UnmarshalText([]byte(text)); err != nil || r != want {
			t.Errorf("%s is %+v, %v", text, r, err)
		}
	}
	for _, text := range []string{"0", "-2", "8:2", "sqfa", "sqfa:x", "pca:3"} {
		if err := new(Reduce).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}

// The joint training needs the filters of --reduce, has no use for the options of another
// training, and leaves filters of its own in the model.
func TestJointSaysWhatItNeeds(t *testing.T) {
	d := manyMatrices(24, 5)
	m, err := Lookup("plrsq")
	if err != nil {
		t.Fatal(err)
	}
	for want, set := range map[string]Settings{
		"give --reduce M too": {{Name: "joint", Value: "2"}},
		"no use for --epochs, --whiten": {{Name: "joint", Value: "2"}, {Name: "reduce", Value: "2"},
			{Name: "epochs", Value: "3"}, {Name: "whiten", Value: "local"}},
		"no use for --soft-labels: leave ": {{Name: "joint", Value: "2"}, {Name: "reduce", Value: "2"},
			{Name: "soft-labels", Value: "x.npy"}},
	} {
		if _, err := m.Fit(background, Source{Data: d}, set, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	for _, kind := range []string{"sqfa:2", "csp:2", "enuc:2"} {
		fit := func(joint string) *descriptor.Reduction {
			set := Settings{{Name: "joint", Value: joint}, {Name: "reduce", Value: kind},
				{Name: "calibration", Value: "2"}}
			f, err := m.Fit(background, Source{Data: d}, set, nil)
			if err != nil && !rao.IsNotConverged(err) {
				t.Fatal(err)
			}
			r, _ := model.StageOf[*model.Mapping](f).Map.(*descriptor.Reduction)
			return r
		}
		if r := fit("2"); r == nil || r.Kind != "joint" {
			t.Errorf("%s: the filters are %+v", kind, r)
		}
		if r := fit("0"); r != nil && r.Kind == "joint" {
			t.Errorf("%s: the filters are %+v without --joint", kind, r)
		}
	}
}
