package sets_test

import (
	"context"
	"fmt"

	"rao/dataset"
	_ "rao/sets" // makes digits, mnist and others known to dataset.Open
)

// The optical digits are embedded in the package, so they need no download.
func Example() {
	d, err := dataset.Open(context.Background(), "digits:test", dataset.OpenOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, columns := d.X.Dims()
	fmt.Println(rows, columns, d.Classes)
	// Output: 599 64 [0 1 2 3 4 5 6 7 8 9]
}
