package common

import (
	"math"
)

// tieBreak is added to the votes for the class of the nearest neighbor. It decides between classes with the same number
// of votes.
const tieBreak = 0x1p-40

// Vote writes the log-probabilities of the votes of the neighbors, nearest first, to row.
func Vote(row []float64, neighbors, labels []int, smoothing float64) {
	clear(row)
	most := 0.0
	for _, k := range neighbors {
		row[labels[k]]++
		most = max(most, row[labels[k]])
	}
	for _, k := range neighbors {
		if row[labels[k]] == most {
			row[labels[k]] += tieBreak
			break
		}
	}
	sum := 0.0
	for _, v := range row {
		sum += v + smoothing
	}
	total := math.Log(sum)
	for i, v := range row {
		row[i] = math.Log(v+smoothing) - total
	}
}
