// Command scalingfigure draws a chart of how rao-beam scales on Flink, from the table in docs/performance-large.md:
//
//	go run ./internal/tools/scalingfigure docs
package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"rao/report"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./internal/tools/scalingfigure FOLDER")
		os.Exit(2)
	}
	if err := draw(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// draw reads performance-large.md in dir, and writes images/flink-scaling.svg.
func draw(dir string) error {
	lines := []report.Line{{Name: "total"}, {Name: "Flink job"}, {Name: "shards"}}
	page, err := os.Open(filepath.Join(dir, "performance-large.md"))
	if err != nil {
		return err
	}
	defer page.Close()
	in := bufio.NewScanner(page)
	for in.Scan() {
		cells := strings.Split(strings.Trim(in.Text(), "| "), "|")
		managers, ok := strings.CutSuffix(strings.TrimSuffix(strings.TrimSpace(cells[0]), "s"), " task manager")
		if !ok || len(cells) != 1+len(lines) {
			continue
		}
		x, err := strconv.ParseFloat(managers, 64)
		if err != nil {
			return err
		}
		for k := range lines {
			turns, mean := strings.Split(cells[1+k], ","), 0.0
			for _, word := range turns {
				y, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
				if err != nil {
					return err
				}
				mean += y / float64(len(turns))
			}
			lines[k].X, lines[k].Y = append(lines[k].X, x), append(lines[k].Y, mean)
		}
	}
	if err := in.Err(); err != nil {
		return err
	}
	if len(lines[0].X) == 0 {
		return fmt.Errorf("%s has no table of task managers", page.Name())
	}
	return report.Lines("rao-beam stats of 12 GB on Flink, two cores", lines, report.PlotOptions{
		X: report.Axis{Label: "task managers", Max: 5}, Y: report.Axis{Label: "seconds", Max: 100}, Markers: true,
	}).WriteFile(filepath.Join(dir, "images", "flink-scaling.svg"))
}
