package classcolumns

// WeightOf returns the weight of class i: the sum of the weights of its observations, or, without weights, the number
// of observations.
func WeightOf(counts []int, weights []float64, i int) float64 {
	if weights != nil {
		return weights[i]
	}
	return float64(counts[i])
}

// TotalWeight returns the sum of the weights of all classes.
func TotalWeight(counts []int, weights []float64) float64 {
	t := 0.0
	for i := range counts {
		t += WeightOf(counts, weights, i)
	}
	return t
}

// Shares returns each class's share of the total weight.
func Shares(counts []int, weights []float64) []float64 {
	p, t := make([]float64, len(counts)), TotalWeight(counts, weights)
	for i := range p {
		p[i] = WeightOf(counts, weights, i) / t
	}
	return p
}
