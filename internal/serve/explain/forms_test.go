package explain

import (
	"slices"
	"testing"

	"rao/model"
)

// withoutTerms are the classifiers whose decisions have no exact explanation.
var withoutTerms = []string{"tslda", "tslr", "tssvm", "knn-spd", "svm-spd", "gmlvq", "rslvq-raw",
	"gmlvq-raw", "knn", "svm", "parzen"}

// Every registered classifier has an entry in the table of explanations, or is known to have none.
func TestEveryClassifierIsExplainedOrKnownNotToBe(t *testing.T) {
	for _, cl := range model.Classifiers() {
		name, has := model.NameOf(cl), entryOf(cl) != nil
		if has == slices.Contains(withoutTerms, name) {
			t.Errorf("%s: an explanation is there: %v; add an entry to entries in forms.go, or correct withoutTerms",
				name, has)
		}
	}
}
