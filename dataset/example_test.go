package dataset_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"rao/dataset"
	"rao/recipe"
	_ "rao/sets"  // digits, mnist and others by name
	_ "rao/synth" // the names of generated sets
)

func ExampleOpen() {
	d, err := dataset.Open(context.Background(), "digits:train", dataset.OpenOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, cols := d.X.Dims()
	fmt.Println(rows, "images of", d.Image, "as rows of", cols)
	fmt.Println("classes", d.Classes)
	// Output:
	// 1198 images of [8 8 1] as rows of 64
	// classes [0 1 2 3 4 5 6 7 8 9]
}

func ExampleData_OfClasses() {
	d, err := dataset.Open(context.Background(), "digits:train", dataset.OpenOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	pair, err := d.OfClasses("7", "1")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(pair.Classes, pair.Counts())
	_, err = d.OfClasses("x")
	fmt.Println(err)
	// Output:
	// [7 1] [115 126]
	// digits:train: unknown class "x"; did you mean 0, 1 or 2?
}

func ExampleOpen_table() {
	dir, err := os.MkdirTemp("", "rao")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "flowers.csv")
	text := "sepal,petal,fold,kind\n5.1,1.4,1,setosa\n7.0,4.7,1,versicolor\n4.9,1.4,2,setosa\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	d, err := dataset.Open(context.Background(), path,
		dataset.OpenOptions{Y: "kind", Where: []string{"fold=1"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.N(), d.Classes, d.Labels, d.X.At(1, 0))
	// Output: 2 [setosa versicolor] [0 1] 7
}

func ExampleStream() {
	sum := make([]int, 10)
	err := dataset.Stream(context.Background(), "digits", dataset.OpenOptions{}, 500,
		func(x *dataset.Table, labels []int, classes []string) error {
			for _, l := range labels {
				sum[l]++
			}
			return nil
		})
	fmt.Println(sum, err)
	// Output: [178 182 177 183 181 182 181 179 174 180] <nil>
}

func ExampleTable() {
	t := dataset.NewTable(2, 3, []float32{1, 2, 3, 4, 5, 6})
	rows, cols := t.Dims()
	_, data, _, _ := t.RawRows() // as stored
	fmt.Println(t.At(1, 2), rows, cols, len(data))
	// Output: 6 2 3 6
}

// This example computes class statistics without loading all rows.
func ExampleStatistics() {
	s, err := dataset.Statistics(context.Background(), "digits:train", dataset.StatisticsOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	rows := 0
	for _, n := range s.Counts {
		rows += n
	}
	fmt.Println(rows, "rows,", len(s.Classes), "classes,", s.Dim, "columns")
	// Output: 1198 rows, 10 classes, 64 columns
}

// A service turns the fields of one record into the numbers that a model expects. The model stores the description of
// its table in Input.Table.
func ExampleAppendRow() {
	f := &recipe.Encoding{Columns: []recipe.Column{{Name: "age"}, {Name: "color", Values: []string{"blue", "red"}}}}
	parse := func(text []byte) (float64, bool) {
		v, err := strconv.ParseFloat(string(text), 64)
		return v, err == nil
	}
	for _, record := range []map[string]string{{"age": "31", "color": "red"}, {"age": "40", "color": "green"}} {
		lacks := &dataset.Lacks{}
		row, err := dataset.AppendRow(nil, f, func(k int) []byte { return []byte(record[f.Columns[k].Name]) }, parse,
			lacks)
		fmt.Println(row, "unknown texts:", lacks.Unseen, err)
	}
	// Output:
	// [31 0 1] unknown texts: [0 0] <nil>
	// [40 0 0] unknown texts: [0 1] <nil>
}

// Data that do not fit in memory are read in batches of random rows.
func ExampleOpenOnDisk() {
	dir, err := os.MkdirTemp("", "rao")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "flowers.csv")
	text := "sepal,petal,kind\n5.1,1.4,setosa\n7.0,4.7,versicolor\n4.9,1.4,setosa\n6.4,4.5,versicolor\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	disk, err := dataset.OpenOnDisk(ctx, path, dataset.OpenOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(disk.Data.Classes)
	err = disk.Batches(ctx, 1, 0, 2, func(x mat.Matrix, labels []int) error {
		rows, _ := x.Dims()
		fmt.Println("a batch of", rows, "rows with", len(labels), "labels")
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// [setosa versicolor]
	// a batch of 2 rows with 2 labels
	// a batch of 2 rows with 2 labels
}
