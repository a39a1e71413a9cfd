package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/testkit"
)

// jsonLines are command lines that succeed, in an order in which each finds the files of the earlier ones. Words that
// start with an @ are files in a folder of the test.
var jsonLines = []string{
	"version", "methods", "methods plrsq", "data list",
	"data make toy1 --per-class 20 --out @toy.npz",
	"fit sqfa --drop person --data @t.csv --filters 2 --out @m.rao",
	"tune lda --drop person --data @t.csv --cv 3 --search filters=1,2",
	"compare --drop person --data @t.csv --test @t.csv --allow-overlap --methods lda:filters=1,qda-raw",
	"compare --data @t.csv --groups person --methods lda-raw",
	"study --set a=@t.csv --subject-variable person --methods lda-raw,qda-raw --cv 3 --out @study",
	"evaluate --model @m.rao --data @t.csv --allow-overlap",
	"evaluate --model @m.rao --data @one.csv",
	"predict --model @m.rao --data @t.csv --out @y.csv",
	"transform --model @m.rao --data @t.csv --out @f.npy",
	"fit knn-raw --drop person --data @t.csv --out @k.rao",
	"update --model @k.rao --data @one.csv --allow-overlap --out @u.rao",
	"show @m.rao", "verify @m.rao", "drift --model @m.rao --data @t.csv",
	"plot --model @m.rao --data @t.csv --out @figures",
	"stats --drop person --data @t.csv --out @s.npz", "stats --drop person --data @t.csv --out @r.npz",
	"stats merge @s.npz @r.npz --allow-overlap --out @all.npz", "stats basis --stats @s.npz --out @basis.npz",
	"fit lda --stats @s.npz --out @l.rao",
	"spd check --data @p.npz", "spd mean --data @p.npz --out @mean.npy", "spd distance --data @p.npz",
	"spd artifacts --data @p.npz", "spd cluster --data @p.npz --clusters 2 --out @g.csv",
	"spd embed --data @p.npz --out @e.npy", "spd manova --data @p.npz",
	"fit plrsq --data @p.npz --out @p.rao", "fit csp --data @p.npz --out @csp.rao",
	"evaluate --model @p.rao --data @p.npz --allow-overlap", "show @p.rao",
}

// Numbers in JSON are numbers, and missing values are null. Names are in snake case.
func TestJSONHasTypes(t *testing.T) {
	dir := t.TempDir()
	var table, one strings.Builder
	fmt.Fprintln(&table, "a,b,c,person,label")
	fmt.Fprintln(&one, "a,b,c,person,label")
	for i := range 60 {
		row := fmt.Sprintf("%d.5,%d,%d,p%d,%s", i%7+i%2*3, i*i%11, i*3%5-i%2, i%3, []string{"left", "right"}[i%2])
		fmt.Fprintln(&table, row)
		if i%2 == 0 { // one class, so some measures are undefined
			fmt.Fprintln(&one, row)
		}
	}
	for name, text := range map[string]string{"t.csv": table.String(), "one.csv": one.String()} {
		testkit.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	testkit.NoError(t, os.Rename(tooltest.Generated(t, dir, "syn1", 12, 1), filepath.Join(dir, "p.npz")))
	tooltest.JSON(t, dir, jsonLines)
}
