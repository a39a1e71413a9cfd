package report

import (
	"fmt"

	"rao/evaluate"
	"rao/internal/scoring"
)

// Reliability draws accuracy against confidence in 15 bins of predictions with similar probabilities, with the
// calibration error. Points on the diagonal are calibrated, points below it are overconfident. The size of a point
// shows the number of predictions.
func Reliability(s *evaluate.Scores) *Figure {
	return twice(440, func(width float64) *Figure { return drawReliability(scoring.Reliability(s), s.ECE, width) })
}

func drawReliability(bins []scoring.ReliabilityBin, calibrationError, width float64) *Figure {
	const title = "Reliability"
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
