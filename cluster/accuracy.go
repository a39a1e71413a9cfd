package cluster

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Accuracy finds the one-to-one assignment of clusters to classes (Hungarian method) with the largest accuracy, which
// is the fraction of matrices that belong to the class of their cluster. It also returns the class of each cluster, or
// -1 for an unassigned cluster. clusters and labels start at 0. The accuracy is NaN if there are no matrices. Accuracy
// panics with mat.ErrShape if the lengths differ, and with a message if a number is negative.
func Accuracy(clusters, labels []int) (accuracy float64, class []int) {
	if len(clusters) != len(labels) {
		panic(mat.ErrShape)
	}
	k, c := 0, 0
	for i, g := range clusters {
		if g < 0 || labels[i] < 0 {
			panic(fmt.Sprintf("cluster: negative cluster %d or label %d", g, labels[i]))
		}
		k, c = max(k, g+1), max(c, labels[i]+1)
	}
	if len(clusters) == 0 {
		return math.NaN(), nil
	}
	n := max(k, c)
	cost := make([]float64, n*n)
	for i, g := range clusters {
		cost[g*n+labels[i]]--
	}
	match := assignment(cost, n)
	hits := 0.0
	for g, l := range match {
		hits -= cost[g*n+l]
	}
	for g, l := range match[:k] {
		if l >= c {
			match[g] = -1
		}
	}
	return hits / float64(len(clusters)), match[:k]
}

// assignment returns the column of every row in the assignment with the least cost. It uses shortest augmenting paths
// (Kuhn 1955; Jonker and Volgenant 1987) and needs n³ operations.
func assignment(cost []float64, n int) []int {
	u, v := make([]float64, n+1), make([]float64, n+1) // potentials; indices start at 1
	rowOf, way := make([]int, n+1), make([]int, n+1)
	least, used := make([]float64, n+1), make([]bool, n+1)
	for i := 1; i <= n; i++ {
		rowOf[0] = i
		for j := range least {
			least[j], used[j] = math.Inf(1), false
		}
		j0 := 0
		for rowOf[j0] != 0 {
			used[j0] = true
			i0, delta, j1 := rowOf[j0], math.Inf(1), 0
			for j := 1; j <= n; j++ {
				if used[j] {
					continue
				}
				if d := cost[(i0-1)*n+j-1] - u[i0] - v[j]; d < least[j] {
					least[j], way[j] = d, j0
				}
				if least[j] < delta {
					delta, j1 = least[j], j
				}
			}
			for j := range used {
				if used[j] {
					u[rowOf[j]] += delta
					v[j] -= delta
				} else {
					least[j] -= delta
				}
			}
			j0 = j1
		}
		for j0 != 0 {
			rowOf[j0] = rowOf[way[j0]]
			j0 = way[j0]
		}
	}
	out := make([]int, n)
	for j := 1; j <= n; j++ {
		out[rowOf[j]-1] = j - 1
	}
	return out
}
