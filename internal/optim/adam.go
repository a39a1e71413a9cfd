package optim

import (
	"context"
	"math"

	"rao"
)

// Adam contains the moments of the gradients of some parameters (Kingma and Ba 2015). The zero value is ready to use.
type Adam struct {
	first, second []float64
	decay         [2]float64 // products of the moments' decay factors so far
}

// secondMoment is the decay factor of the mean of squared gradients.
const secondMoment = 0.99

// Step moves x against the gradient g.
func (a *Adam) Step(x, g []float64, rate, momentum float64) {
	if a.first == nil {
		a.first, a.second, a.decay = make([]float64, len(x)), make([]float64, len(x)), [2]float64{1, 1}
	}
	a.decay[0] *= momentum
	a.decay[1] *= secondMoment
	length, scale := rate/(1-a.decay[0]), 1/(1-a.decay[1])
	first, second := a.first[:len(g)], a.second[:len(g)]
	for i, v := range g {
		f, s := momentum*first[i]+(1-momentum)*v, secondMoment*second[i]+(1-secondMoment)*v*v
		first[i], second[i] = f, s
		x[i] -= length * f / (math.Sqrt(s*scale) + 1e-8)
	}
}

// Cycle returns the learning rate, relative to its peak, and the momentum for step number step of total steps. The rate
// rises from 1/25 to 1 along a cosine during the first 15 % of the steps and then falls to 4e-6 along another cosine.
// The momentum falls from 0.95 to 0.85 and rises again (Smith and Topin 2019).
func Cycle(step, total int) (rate, momentum float64) {
	const low, high, rise = 1.0 / 25, 1.0, 0.15
	along := func(from, to, part float64) float64 { return to + (from-to)/2*(1+math.Cos(math.Pi*part)) }
	top, end := math.Max(rise*float64(total)-1, 1e-9), float64(total-1)
	if s := float64(step); s <= top {
		return along(low, high, s/top), along(0.95, 0.85, s/top)
	} else {
		part := (s - top) / (end - top)
		return along(high, low*1e-4, part), along(0.85, 0.95, part)
	}
}

// Epochs runs passes over batches of rows, each with the given number of steps. pass runs one pass: for each batch, it
// calls step with the loss, and step returns the learning rate and the momentum of [Cycle]. The report's objective is
// minus the mean loss of the last pass. If ctx is canceled, the status of the report is Canceled and the error is nil.
func Epochs(ctx context.Context, epochs, steps int, stage string, progress rao.Progress,
	pass func(epoch int, step func(loss float64) (rate, momentum float64)) error) (report rao.Report, err error) {
	report.Status = rao.StatusConverged
	for epoch := range epochs {
		sum := 0.0
		err := pass(epoch, func(loss float64) (rate, momentum float64) {
			sum += loss / float64(steps)
			report.Iterations++
			return Cycle(report.Iterations-1, epochs*steps+1)
		})
		if ctx.Err() != nil {
			report.Status = rao.StatusCanceled
			return report, nil
		}
		if err != nil {
			return report, err
		}
		report.Passes++
		report.Objective = -sum
		report.History = append(report.History, -sum)
		progress.Send(rao.Event{Stage: stage, Done: epoch + 1, Total: epochs, Objective: -sum})
	}
	report.Evaluations = report.Iterations
	return report, nil
}

// UnitColumns converts free matrices to matrices with columns of unit norm, and gradients with respect to the unit
// columns to gradients with respect to the free columns. All matrices are row-major. The zero value is ready to use.
type UnitColumns struct{ norm, along []float64 }

// Normalize writes the columns of w, scaled to unit norm, to f. columns is the number of columns.
func (u *UnitColumns) Normalize(f, w []float64, columns int) {
	if len(u.norm) != columns {
		u.norm, u.along = make([]float64, columns), make([]float64, columns)
	}
	clear(u.norm)
	for lo := 0; lo < len(w); lo += columns {
		for j, v := range w[lo : lo+columns] {
			u.norm[j] += v * v
		}
	}
	for j, v := range u.norm {
		u.norm[j] = math.Sqrt(v)
	}
	for lo := 0; lo < len(w); lo += columns {
		to := f[lo : lo+columns]
		for j, v := range w[lo : lo+columns] {
			to[j] = v / u.norm[j]
		}
	}
}

// Gradient converts g in place from the gradient with respect to the unit columns f of the last Normalize to the
// gradient with respect to the free columns. It removes the part of g along each column and divides by the norm of the
// free column.
func (u *UnitColumns) Gradient(g, f []float64) {
	columns := len(u.norm)
	clear(u.along)
	for lo := 0; lo < len(g); lo += columns {
		unit := f[lo : lo+columns]
		for j, v := range g[lo : lo+columns] {
			u.along[j] += v * unit[j]
		}
	}
	for lo := 0; lo < len(g); lo += columns {
		row, unit := g[lo:lo+columns], f[lo:lo+columns]
		for j, v := range row {
			row[j] = (v - u.along[j]*unit[j]) / u.norm[j]
		}
	}
}
