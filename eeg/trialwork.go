package eeg

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao/internal/covstream"
	"rao/internal/naming"
	"rao/internal/par"
)

// covariances computes trials lo to hi−1 from signals of the same recording. The channels of all signals are stacked.
// band is the number of the band in the output.
func (c *cutter) covariances(signals []*Recording, lo, hi, band int) error {
	grain := 1
	if signals[0].data == nil { // only one goroutine may read the file
		grain = hi - lo
	}
	pool := make([]*trialWork, par.Workers(hi-lo, grain))
	return par.Try(hi-lo, grain, func(worker, from, to int) (err error) {
		if pool[worker] == nil {
			if pool[worker], err = c.newWork(signals); err != nil {
				return err
			}
		}
		for k := from; k < to && err == nil; k++ {
			err = c.addTrial(pool[worker], signals, lo+k, band)
		}
		return err
	})
}

type trialWork struct {
	channels int
	x        *mat.Dense // the trial: samples × channels of all signals
	estimate *covstream.Estimator
	part     []float64
	level    []float64 // samples of the baseline, followed by the mean of each channel
}

func (c *cutter) newWork(signals []*Recording) (*trialWork, error) {
	channels := len(signals[0].Channels)
	wide := channels * len(signals)
	w := &trialWork{channels: channels, x: mat.NewDense(c.samples, wide, nil),
		part: make([]float64, c.samples*channels)}
	if c.opt.signals() {
		return w, nil
	}
	var err error
	w.estimate, err = covstream.NewEstimator(channels, c.samples, signals[0].Rate, c.opt.SignalOptions)
	return w, err
}

func (c *cutter) addTrial(w *trialWork, signals []*Recording, k, band int) error {
	first := c.trials[k].first
	for j, sig := range signals {
		if err := sig.Read(w.part, first, c.samples); err != nil {
			return err
		}
		for row := range c.samples {
			copy(w.x.RawRowView(row)[j*w.channels:], w.part[row*w.channels:(row+1)*w.channels])
		}
		if err := c.levelOff(w, sig, first, j); err != nil {
			return err
		}
	}
	if c.opt.signals() {
		row := c.out.Signals.RawRowView(k)
		for j := range len(row) / c.samples {
			mat.Col(row[j*c.samples:(j+1)*c.samples], j, w.x)
		}
		return nil
	}
	if err := c.matrices(w, k, band); err != nil {
		return fmt.Errorf("%s: trial %d at sample %d: %w", signals[0].Source, k, first, err)
	}
	return nil
}

// matrices computes and stores the covariance of the trial, or its spectral matrices.
func (c *cutter) matrices(w *trialWork, k, band int) error {
	made, err := w.estimate.Estimate(w.x)
	if err != nil {
		return naming.NameChannel(err, c.out.Recipe.Signal.Channels)
	}
	for b, m := range made {
		c.place(k, band+b, m)
	}
	return nil
}

// place copies the matrix m of a trial and band to its position in the output.
func (c *cutter) place(k, band int, m *mat.SymDense) {
	if len(c.out.Stacks) > 1 {
		c.out.Stacks[band].Set(k, m)
		return
	}
	dst := c.out.Stacks[0].At(k)
	n, dim := m.SymmetricDim(), c.out.Stacks[0].Dim
	for i := range n {
		for j := range n {
			dst[(band*n+i)*dim+band*n+j] = m.At(i, j)
		}
	}
}
