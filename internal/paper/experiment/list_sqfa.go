package experiment

import "slices"

const (
	videosShort = " A short run has every eighth speed, 40 and 12 videos each."
	imagesShort = " A short run keeps a part of the images."
	fewerShort  = " A short run keeps a part of the images of every other digit."
	svhnRows    = "The data are the cropped digits of SVHN: 73257 training images (train_32x32.mat) and 26032 test " +
		"images (test_32x32.mat). The extra set is not used. The gray value of a pixel is the mean of its three " +
		"colors, as in the authors' script. The feature noise is 10.24, which is the paper's 0.01 in the units of " +
		"the public package. "
	mnistRows  = "The feature noise is 7.84, which is the paper's 0.01 in the units of the public package. "
	digitsRows = "The data are the UCI optical digits: 1198 for training and 599 for testing. The feature noise is " +
		"0.1. "
)

// sqfaExperiments are the figures of the SQFA paper, numbered as in its third version, and our own studies related to
// them.
var sqfaExperiments = []Experiment{
	{ID: "sqfa-fig1", Paper: "SQFA", Item: "figure 1", Title: "What SQFA does", NotRun: "a diagram without data"},
	{ID: "sqfa-fig2",
		Notes: []string{
			"The parameters are from the authors' public script (toy_example_1.py).",
		},
		Version: 1, Paper: "SQFA", Item: "figure 2 (v1: figures 2 and 3)", Title: "Which " +
			"subspace each method picks in the toy problems",
		Protocol: "The methods learn two filters from the population statistics of the toy problems, without " +
			"sampling. The feature noise is 0.002 in problem 1 and 0.001 in problem 2. The share of a pair of " +
			"dimensions is the squared norm of the filters' components in those dimensions, averaged over the two " +
			"filters.",
		run: toySubspaces},
	{ID: "sqfa-fig3",
		Notes: slices.Concat(figureNotes, []string{
			noiseUnits,
			"The paper says that SQFA and smSQFA have the highest accuracy, above BDM, and are among the fastest " +
				"(section 4.2). v1 says that only PCA is faster. A run on SVHN tests the accuracies.",
		}),
		Paper: "SQFA", Item: "figure 3 (v1: figure 4)", Title: "All methods on SVHN",
		Needs:    []string{"svhn"},
		Protocol: svhnRows + figureProtocol + comparisonProtocol + imagesShort, run: onTask("svhn", imageMethods)},
	{ID: "sqfa-fig4",
		Notes: slices.Concat(figureNotes, []string{
			noiseUnits,
		}),
		Earlier: "LDA without shrinkage, FA by the posterior means of the factors",
		Version: 1, Paper: "SQFA", Item: "figure 4 (v1: figure 5)", Title: "All methods on MNIST",
		Needs:    []string{"mnist"},
		Protocol: mnistRows + figureProtocol + comparisonProtocol + imagesShort, run: onTask("mnist", imageMethods),
		read: readFigure4},
	{ID: "sqfa-fig4-digits",
		Notes:   figureNotes,
		Version: 1, Paper: "SQFA", Item: "next to figure 4",
		Title:    "All methods on the optical digits",
		Protocol: digitsRows + figureProtocol + comparisonProtocol + imagesShort, run: onTask("digits", imageMethods)},
	{ID: "sqfa-fig5",
		Notes:   slices.Concat(speedNotes, speedTaskNotes),
		Earlier: "LDA without shrinkage, FA by the posterior means, the printed contrast constant alone",
		Version: 1, Paper: "SQFA", Item: "figure 5 (v1: figure 6)",
		Title: "All methods on the naturalistic speed task", Protocol: speedProtocol,
		run: speedTask, read: readFigure5SQFA, state: speedState},
	{ID: "sqfa-fig6",
		Notes: []string{
			"The parameters are from the authors' public script (distances_toy.py).",
			"v1 (figure 7) says that the symmetric Kullback-Leibler divergence is selective for dimensions 3-4; v3 " +
				"says 1-2.",
		},
		Version: 1, Paper: "SQFA", Item: "figure 6 (v1: figure 7)", Title: "Which subspace each " +
			"distance picks when covariances are rotated",
		Protocol: "With each of the seven distances, smSQFA learns two filters from the population statistics of " +
			"a toy problem. The feature noise is 0.001. The three classes have four dimensions and zero means. Their " +
			"covariances differ by a rotation.",
		run: toyDistances},
	{ID: "sqfa-fig7-svhn",
		Notes: slices.Concat(momentNotes, []string{
			noiseUnits,
			"The paper's claims about the right panel of figure 7 are also about SVHN. A run on SVHN tests them.",
		}),
		Paper: "SQFA", Item: "figure 7, left (v1: figure 8, left)", Title: "smSQFA with every " +
			"distance, SVHN", Needs: []string{"svhn"},
		Protocol: svhnRows + momentProtocol + comparisonProtocol + fewerShort,
		run:      onPlane("svhn", distances), read: readFollowers},
	{ID: "sqfa-fig7-speed",
		Notes:   slices.Concat(momentNotes, speedNotes),
		Version: 1, Paper: "SQFA", Item: "figure 7, right (v1: figure 8, center)",
		Title:    "smSQFA with every distance, speed",
		Protocol: speedSet + momentProtocol + "The feature noise is 0.001. " + comparisonProtocol + videosShort,
		run:      onPlane("speed", distances), read: readFigure7, state: speedState},
	{ID: "sqfa-v1-fig8-mnist",
		Notes: slices.Concat(momentNotes, []string{
			noiseUnits,
			"v1 has five of the seven distances: FR, BW, LE, E and KL.",
		}),
		Paper: "SQFA", Item: "figure 8 of v1, right", Title: "smSQFA with every distance, MNIST",
		Needs:    []string{"mnist"},
		Protocol: mnistRows + momentProtocol + comparisonProtocol + fewerShort,
		run:      onPlane("mnist", distances)},
	{ID: "sqfa-fig7-digits",
		Notes: momentNotes,
		Paper: "SQFA", Item: "next to figure 7", Title: "smSQFA with every distance, optical " +
			"digits", Protocol: digitsRows + momentProtocol + comparisonProtocol + fewerShort,
		run: onPlane("digits", distances)},
	{ID: "sqfa-fig8-svhn",
		Notes: slices.Concat(momentNotes, []string{
			"The paper's claims about figure 8 are about six conditions, three of them on SVHN. A run on SVHN tests " +
				"these three.",
		}),
		Paper: "SQFA", Item: "figure 8, left", Title: "Distances at a quarter and four times the " +
			"noise, SVHN", Needs: []string{"svhn"},
		Protocol: svhnRows + momentProtocol + comparisonProtocol + fewerShort,
		run:      onPlane("svhn", distancesByNoise), read: readFigure8},
	{ID: "sqfa-fig8-speed",
		Notes: slices.Concat(momentNotes, speedNotes, []string{
			"The claim about five of six conditions on two sets implies at least two of three on each set, which is " +
				"what we test. The other three conditions need SVHN.",
			"The paper does not say in which of the six cases LE and KL performed better than FR.",
		}),
		Earlier: "nine filters, learned together",
		Version: 1, Paper: "SQFA", Item: "figure 8, right", Title: "Distances at a quarter and four times the " +
			"noise, speed", Protocol: speedSet + momentProtocol + "The feature noise is 0.00025, 0.001 or 0.004. " +
			comparisonProtocol + videosShort,
		read: readFigure8, run: onPlane("speed", distancesByNoise), state: speedState},
	{ID: "sqfa-fig8-digits",
		Notes: momentNotes,
		Paper: "SQFA", Item: "next to figure 8", Title: "Distances at a quarter and four " +
			"times the noise, optical digits", Protocol: digitsRows + momentProtocol + comparisonProtocol + fewerShort,
		run: onPlane("digits", distancesByNoise)},
	{ID: "sqfa-fig9-svhn",
		Notes: slices.Concat(momentNotes, drawnNotes, []string{
			"The paper's claims about the right panel of figure 9 are also about SVHN. A run on SVHN tests them.",
		}),
		Paper: "SQFA", Item: "figure 9, left", Title: "Distances on data drawn from the features' " +
			"Gaussians, SVHN", Needs: []string{"svhn"},
		Protocol: svhnRows + momentProtocol + drawnProtocol + "We draw 10000 vectors per class." + fewerShort,
		run:      onPlane("svhn", drawnMoments)},
	{ID: "sqfa-fig9-speed",
		Notes:   slices.Concat(momentNotes, drawnNotes, speedNotes),
		Earlier: "nine filters, learned together",
		Version: 1, Paper: "SQFA", Item: "figure 9, right", Title: "Distances on data " +
			"drawn from the features' Gaussians, speed", Protocol: speedSet + momentProtocol + drawnProtocol +
			"We draw 3000 vectors per class." + videosShort, run: onPlane("speed", drawnMoments), state: speedState},
	{ID: "sqfa-fig9-digits",
		Notes: slices.Concat(momentNotes, drawnNotes),
		Paper: "SQFA", Item: "next to figure 9", Title: "Distances on data drawn from the " +
			"features' Gaussians, optical digits", Protocol: digitsRows + momentProtocol + drawnProtocol +
			"We draw 10000 vectors per class." + fewerShort,
		run: onPlane("digits", drawnMoments)},
	{ID: "sqfa-fig10",
		Notes: slices.Concat(zeroMeanNotes, []string{
			"The bend of a curve is its largest distance from a straight line, as a share of its rise.",
		}),
		Version: 1, Paper: "SQFA", Item: "figure 10",
		Title:    "Distances and the Bayes error of zero-mean pairs in one dimension",
		Protocol: zeroMeanProtocol + "The grid of log10 σ² is −2 to 2 in steps of 0.08. A short run draws 5000.",
		run:      oneDimension},
	{ID: "sqfa-fig11",
		Notes: slices.Concat(zeroMeanNotes, []string{
			"Section A.3 describes the contours of accuracy and log-odds far from the origin as tilted hexagons. We " +
				"measured the tilt, but not the corners.",
		}),
		Version: 1, Paper: "SQFA", Item: "figure 11",
		Title: "Distances and the Bayes error of zero-mean pairs in two dimensions",
		Protocol: zeroMeanProtocol + "The contours show the exact error for log10 σ1² and log10 σ2² from −2 to 2 in " +
			"steps of 0.08. The slices are at 0, 0.56 and 1.12. A short run draws 5000 and has a coarser grid.",
		run: twoDimensions, read: readFigure11},
	{ID: "sqfa-fig12-svhn",
		Notes: fitTimesNotes,
		Paper: "SQFA", Item: "figure 12, left (v1: figure 9)", Title: "Training times, SVHN",
		Needs: []string{"svhn"}, Protocol: fitTimesProtocol, run: onTask("svhn", trainingTimes)},
	{ID: "sqfa-fig12-mnist",
		Notes:   fitTimesNotes,
		Earlier: "LDA without shrinkage, FA by the posterior means",
		Version: 1, Paper: "SQFA", Item: "figure 12, center (v1: figure 9)",
		Title: "Training times, MNIST",
		Needs: []string{"mnist"}, Protocol: fitTimesProtocol, run: onTask("mnist", trainingTimes),
		read: readFigure12},
	{ID: "sqfa-fig12-speed",
		Notes:   fitTimesNotes,
		Earlier: "LDA without shrinkage, FA by the posterior means",
		Version: 1, Paper: "SQFA", Item: "figure 12, right (v1: figure 9)",
		Title:    "Training times, speed",
		Protocol: fitTimesProtocol,
		run:      onTask("speed", trainingTimes), read: readFigure12Speed, state: speedState},
	{ID: "sqfa-fig13-svhn",
		Notes: slices.Concat(gaussianNotes, []string{
			"The paper says that the relative performance of the methods is similar to their performance on the " +
				"original data. It adds that SQFA and smSQFA outperform BDM on these data too (footnote 5). A run on " +
				"SVHN tests both claims.",
		}),
		Paper: "SQFA", Item: "figure 13, top", Title: "Test data drawn from the classes' " +
			"Gaussians, SVHN", Needs: []string{"svhn"},
		Protocol: svhnRows + gaussianProtocol, run: onPlane("svhn", gaussianTest)},
	{ID: "sqfa-fig13-mnist",
		Notes:   gaussianNotes,
		Earlier: "LDA without shrinkage, FA by the posterior means",
		Version: 1, Paper: "SQFA", Item: "figure 13, middle", Title: "Test data drawn " +
			"from the classes' Gaussians, MNIST", Needs: []string{"mnist"},
		Protocol: mnistRows + gaussianProtocol, run: onPlane("mnist", gaussianTest),
		read: readFigure13(10000)},
	{ID: "sqfa-fig13-speed",
		Notes:   slices.Concat(gaussianNotes, speedNotes),
		Earlier: "LDA without shrinkage, FA by the posterior means",
		Version: 1, Paper: "SQFA", Item: "figure 13, bottom", Title: "Test data drawn " +
			"from the classes' Gaussians, speed", Protocol: speedSet + gaussianProtocol,
		run: onPlane("speed", gaussianTest), read: readFigure13(12300),
		state: speedState},
	{ID: "sqfa-fig13-digits",
		Notes:   gaussianNotes,
		Earlier: "LDA without shrinkage, FA by the posterior means",
		Version: 1, Paper: "SQFA", Item: "next to figure 13", Title: "Test data drawn from the classes' " +
			"Gaussians, optical digits", Protocol: digitsRows + gaussianProtocol,
		run:  onPlane("digits", gaussianTest),
		read: readFigure13(599)},
	{ID: "sqfa-appendix-b", Paper: "SQFA", Item: "appendix B",
		Title:  "LDA maximizes the squared Fisher-Rao distances of Gaussians with one covariance",
		NotRun: "a proof; a test in sqfa/toy_test.go checks it"},
	{ID: "sqfa-appendix-c", Paper: "SQFA", Item: "appendix C",
		Title:  "Invariance without noise, and its loss with noise",
		NotRun: "a proof; TestCongruenceInvariance in package sqfa checks the invariance, and its loss with noise"},
	{ID: "sqfa-footnote-4",
		Notes: reducedNotes,
		Paper: "SQFA", Item: "footnote 4", Title: "The other methods have similar results on " +
			"the reduced data of LMNN", Needs: []string{"mnist"}, Protocol: mnistRows + reducedProtocol +
			comparisonProtocol + imagesShort,
		run: onTask("mnist", reducedData)},
	{ID: "sqfa-objectives-mnist",
		Notes: objectivesNotes,
		Paper: "SQFA", Item: "an open question", Title: "Exact Fisher-Rao, Calvo-Oller, " +
			"Bhattacharyya or Bayes bound: MNIST", Needs: []string{"mnist"},
		Protocol: mnistRows + objectivesProtocol + comparisonProtocol + fewerShort, run: compareObjectives("mnist"),
		read: readNoiseChoice(12000)},
	{ID: "sqfa-objectives-digits",
		Notes: objectivesNotes,
		Paper: "SQFA", Item: "an open question", Title: "Exact Fisher-Rao, Calvo-Oller, " +
			"Bhattacharyya or Bayes bound: optical digits",
		Protocol: digitsRows + objectivesProtocol + comparisonProtocol +
			fewerShort, run: compareObjectives("digits"), read: readNoiseChoice(239)},
	{ID: "sqfa-objectives-speed",
		Notes: slices.Concat(objectivesNotes, speedNotes),
		Paper: "SQFA", Item: "an open question", Title: "Exact Fisher-Rao, Calvo-Oller, " +
			"Bhattacharyya or Bayes bound: speed", Protocol: speedSet + objectivesProtocol + "Each objective learns " +
			"eight filters in pairs. The noise of the task is 0.001. " +
			comparisonProtocol + videosShort, run: compareObjectives("speed"),
		read:  readNoiseChoice(4100),
		state: speedState},
	{ID: "sqfa-error-order",
		Notes: pairNotes,
		Paper: "SQFA", Item: "an open question (appendix A.3)", Title: "Which dissimilarity " +
			"follows the Bayes error, by kind of " +
			"pair",
		Protocol: "We draw 400 pairs of each of six kinds. Four kinds have zero means and variance ratios drawn " +
			"log-uniformly up to 3 or 30, in one, two or eight dimensions. The other two kinds have means with a " +
			"standard deviation of 1.5 and log-normal variances in random directions. " + pairProtocol,
		run: errorOrder},
	{ID: "sqfa-error-order-digits",
		Notes: pairNotes,
		Paper: "SQFA", Item: "an open question (appendix A.3)",
		Title: "Which dissimilarity follows the Bayes error: pairs of optical digits",
		Protocol: digitsRows + "We compare all 45 pairs of classes as Gaussians in the space of nine SQFA filters. " +
			pairProtocol, run: onPlane("digits", classPairs)},
	{ID: "sqfa-error-order-mnist",
		Notes: pairNotes,
		Paper: "SQFA", Item: "an open question (appendix A.3)",
		Title: "Which dissimilarity follows the Bayes error: pairs of MNIST digits", Needs: []string{"mnist"},
		Protocol: mnistRows + "We compare all 45 pairs of classes as Gaussians in the space of nine SQFA " +
			"filters. " + pairProtocol,
		run: onPlane("mnist", classPairs)},
	{ID: "sqfa-error-order-speed",
		Notes: slices.Concat(pairNotes, speedNotes),
		Paper: "SQFA", Item: "an open question (appendix A.3)",
		Title: "Which dissimilarity follows the Bayes error: pairs of speeds",
		Protocol: speedSet + "We compare all 820 pairs of classes as Gaussians in the space of eight SQFA filters, " +
			"learned together with noise 0.001. " + pairProtocol, run: onPlane("speed", classPairs),
		state: speedState},
	{ID: "sqfa-random-pairs-1d",
		Notes: pairNotes,
		Paper: "SQFA", Item: "next to figure 10", Title: "Dissimilarities and the Bayes " +
			"error of random pairs with different means, in one dimension",
		Protocol: "We draw 400 pairs of Gaussians. The means have a " +
			"standard deviation of 1.5, and the variances are log-normal. " + pairProtocol,
		run: randomPairs(1)},
	{ID: "sqfa-random-pairs-2d",
		Notes: pairNotes,
		Paper: "SQFA", Item: "next to figure 11", Title: "Dissimilarities and the Bayes " +
			"error of random pairs with different means, in two dimensions",
		Protocol: "We draw 400 pairs of Gaussians. The means have a " +
			"standard deviation of 1.5, and the variances are log-normal in random directions. " +
			pairProtocol, run: randomPairs(2)},
	{ID: "sqfa-times",
		Paper: "SQFA", Item: "next to figure 12", Title: "Fit time by dimension",
		Protocol: "The statistics of the ten classes are synthetic. Each time is the wall-clock time of one fit. A " +
			"pass reads all statistics once. From 192 dimensions on, the filters are found in a growing subspace, " +
			"which needs few passes.", run: timesOverDimensions},
	{ID: "sqfa-filters",
		Paper: "SQFA", Item: "next to figure 4", Title: "Accuracy by number of filters, MNIST",
		Needs:    []string{"mnist"},
		Protocol: imageProtocol + "The feature noise is 1." + imagesShort, run: onTask("mnist", sweepFilters)},
	{ID: "sqfa-filters-digits",
		Paper: "SQFA", Item: "next to figure 4", Title: "Accuracy by number of filters, " +
			"optical digits", Protocol: imageProtocol + "The feature noise is " +
			"1." + imagesShort, run: onTask("digits", sweepFilters)},
	{ID: "sqfa-noise",
		Notes: []string{
			noiseUnits,
			"The objective has maxima of nearly the same height, with filters of different accuracy. With noise " +
				"3 and 20, SQFA reaches 90.98 and 91.41 % if it starts from principal components (--init pca), " +
				"although the objectives differ by at most 0.1 %.",
		},
		Paper: "SQFA", Item: "next to figure 8", Title: "Accuracy by feature noise, MNIST",
		Needs:    []string{"mnist"},
		Protocol: imageProtocol + "Each method learns nine filters." + imagesShort,
		run:      onTask("mnist", sweepNoise)},
	{ID: "sqfa-noise-digits",
		Paper: "SQFA", Item: "next to figure 8", Title: "Accuracy by feature noise, optical " +
			"digits", Protocol: imageProtocol + "Each method learns nine " +
			"filters." + imagesShort, run: onTask("digits", sweepNoise)},
	{ID: "fisher-rao",
		Paper: "SQFA", Item: "next to equation 4", Title: "The exact Fisher-Rao distance and its " +
			"bound",
		Protocol: "In each dimension we compare all pairs of 12 random Gaussians with normal means and Wishart " +
			"covariances.",
		run: exactScatter},
}

// otherExperiments run the methods with which we compare ours.
var otherExperiments = []Experiment{
	{ID: "lmnn-mnist",
		Notes: lmnnNotes,
		Paper: "LMNN", Item: "3-NN errors on MNIST", Title: "Large-margin nearest neighbors on MNIST",
		Needs:    []string{"mnist"},
		Protocol: lmnnProtocol, run: lmnnOnMNIST},
}
