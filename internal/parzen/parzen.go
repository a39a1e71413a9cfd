// Package parzen estimates densities of one variable by Parzen windows.
package parzen

import "math"

// Window is a density: the mean of Gaussians around values.
type Window struct {
	values []float64
	width  float64
}

// New returns the density of values. The width of the Gaussians is (4/(3n))^⅕ s, which is optimal for a normal
// distribution with standard deviation s. If all values are equal, the width is 1e-6 times their magnitude, to keep the
// density finite.
func New(values []float64) Window {
	n := float64(len(values))
	mean, square, size := 0.0, 0.0, 0.0
	for _, v := range values {
		mean += v / n
		size = max(size, math.Abs(v))
	}
	for _, v := range values {
		square += (v - mean) * (v - mean)
	}
	width := 0.0
	if n > 1 {
		width = math.Pow(4/(3*n), 0.2) * math.Sqrt(square/(n-1))
	}
	return Window{values, max(width, 1e-6*max(size, 1e-300))}
}

// LogDensity returns the logarithm of the density at x.
func (w Window) LogDensity(x float64) float64 {
	nearest := math.Inf(1)
	for _, v := range w.values {
		nearest = min(nearest, math.Abs(x-v))
	}
	// Factoring out the nearest value avoids underflow far away from all values. vec.LogSumExp would need a list of the
	// exponents.
	top := -nearest * nearest / (2 * w.width * w.width)
	sum := 0.0
	for _, v := range w.values {
		d := (x - v) / w.width
		sum += math.Exp(-d*d/2 - top)
	}
	return top + math.Log(sum/(float64(len(w.values))*w.width*math.Sqrt(2*math.Pi)))
}

// Information returns the mutual information, in nats, between values and their classes, 0 or 1: the entropy of the
// classes minus the mean entropy of the class given the value. Both are computed from the frequencies of the classes
// and the densities of their values. Each class must have at least one value.
func Information(values []float64, class []int) float64 {
	var parts [2][]float64
	for k, v := range values {
		parts[class[k]] = append(parts[class[k]], v)
	}
	n := float64(len(values))
	windows, log := [2]Window{New(parts[0]), New(parts[1])}, [2]float64{}
	info := 0.0
	for i, part := range parts {
		share := float64(len(part)) / n
		log[i] = math.Log(share)
		info -= share * log[i]
	}
	for _, v := range values {
		difference := windows[1].LogDensity(v) + log[1] - windows[0].LogDensity(v) - log[0]
		p := 1 / (1 + math.Exp(difference)) // probability of class 0
		for _, q := range [2]float64{p, 1 - p} {
			if q > 0 {
				info += q * math.Log(q) / n
			}
		}
	}
	return info
}
