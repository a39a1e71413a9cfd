package experiment

var sqfaExperiments = []Experiment{
	{ID: "sqfa-fig2", Paper: "SQFA", Item: "figure 2", Title: "Which subspace each method picks in the toy problems",
		Protocol: "Population statistics of toy problems 1 and 2, two filters, feature noise 0.01, no sampling. A filter's share of a pair of dimensions is the squared norm of its part there, averaged over the two filters.",
		run:      toySubspaces},
	{ID: "sqfa-fig6", Paper: "SQFA", Item: "figure 6", Title: "Which subspace each distance picks where covariances are turned",
		Protocol: "Population statistics of the distance toy: four dimensions, zero means, one covariance turned from class to class. Two filters, feature noise 0.01, seven dissimilarities.",
		run:      toyDistances},
}

var plrsqExperiments = []Experiment{}

var ownExperiments = []Experiment{}
