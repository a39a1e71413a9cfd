package report

import (
	"fmt"
	"math"
	"slices"

	"rao/model"
)

// reliabilityBin is one bin of predictions of similar confidence.
type reliabilityBin struct {
	Confidence float64 // mean confidence of the bin
	Accuracy   float64 // fraction of correct predictions
	Count      int     // number of predictions
}

// reliability draws accuracy against confidence. Points on the diagonal are calibrated, points below it are
// overconfident. The size of a point shows the number of predictions. Empty bins are left out.
func reliability(title string, bins []reliabilityBin, calibrationError float64) *Figure {
	return twice(440, func(width float64) *Figure { return drawReliability(title, bins, calibrationError, width) })
}

func drawReliability(title string, bins []reliabilityBin, calibrationError, width float64) *Figure {
	f := newFigure(title, width, width)
	r := span{0, 1}
	a := Axis{Label: "confidence", Min: 0, Max: 1}
	b := Axis{Label: "accuracy", Min: 0, Max: 1}
	fr := newFrame(f, top(title)+6, f.w-margin-8, f.h-margin/2, a, b, r, r)
	fr.diagonal()
	total := 0
	for _, bin := range bins {
		total += bin.Count
	}
	var curve Line
	for _, bin := range bins {
		if bin.Count > 0 {
			curve.X, curve.Y = append(curve.X, bin.Confidence), append(curve.Y, bin.Accuracy)
		}
	}
	fr.curve(curve, seriesPaint(0).fade(0.5), false)
	for _, bin := range bins {
		q, ok := fr.point(bin.Confidence, bin.Accuracy)
		if bin.Count == 0 || !ok {
			continue
		}
		share := float64(bin.Count) / float64(total)
		radius := 3 + 9*min(1, 2*share)
		f.line(q.x, q.y, q.x, fr.y.at(bin.Confidence), seriesPaint(1).fade(0.55), 2)
		f.circle(q.x, q.y, radius, seriesPaint(0).fade(0.85), paper, 1,
			fmt.Sprintf("%d predictions: confidence %.2f, accuracy %.2f", bin.Count, bin.Confidence, bin.Accuracy))
	}
	f.text(fr.x.a+10, fr.y.b+14, fmt.Sprintf("calibration error %.3f, n = %d", calibrationError, total), soft, textSize,
		0)
	f.Alt = fmt.Sprintf("Reliability of %d predictions in %d bins; the calibration error is %.3f.",
		total, len(bins), calibrationError)
	return f
}

// ReliabilityBins groups predictions into 15 bins by the probability of the predicted class.
type ReliabilityBins struct{ bins [15]reliabilityBin }

// Add adds predictions to the bins. truth contains the true label of each prediction.
func (r *ReliabilityBins) Add(truth []int, p *model.Prediction) {
	for i, label := range p.Label {
		c := math.Exp(p.LogPosterior.At(i, label))
		b := &r.bins[min(max(int(math.Ceil(c*float64(len(r.bins))))-1, 0), len(r.bins)-1)]
		b.Count++
		b.Confidence += c
		if truth[i] == label {
			b.Accuracy++
		}
	}
}

// Figure draws the accuracy in each bin against the mean confidence, and writes the given calibration error next to it.
func (r *ReliabilityBins) Figure(calibrationError float64) *Figure {
	bins := slices.Clone(r.bins[:])
	for i := range bins {
		if n := float64(bins[i].Count); n > 0 {
			bins[i].Confidence /= n
			bins[i].Accuracy /= n
		}
	}
	return reliability("Reliability", bins, calibrationError)
}
