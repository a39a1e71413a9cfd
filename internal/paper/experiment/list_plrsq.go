package experiment

// endsOnly is the note on grids of σ².
const endsOnly = "the paper gives only the ends of the range; we chose the values between them"

// synUnexplained is the note on the synthetic sets.
const synUnexplained = "We cannot explain the differences on SynII. No interpretation of section 6.1 that we tried " +
	"gives the paper's values on both sets."

// plrsqExperiments are the tables and figures of the PLRSQ paper (arXiv 2102.00667), in its order, and our own
// protocols and studies related to them.
var plrsqExperiments = []Experiment{
	{ID: "plrsq-fig1",
		Paper: "PLRSQ", Item: "figure 1", Title: "The four sets of eigenvalues",
		Protocol: "The eigenvalues are from the formulas of section 6.1 with n = " +
			"10.", run: synSpectraFigure, read: readFigure1},
	{ID: "plrsq-table1",
		Paper: "PLRSQ", Item: "table 1", Title: "The synthetic sets", Protocol: "`rao data make " +
			"syn1` and `rao data make syn2` draw the sets.", run: synSets},
	{ID: "plrsq-readings",
		Notes: []string{
			"Section 6.1 draws eigenvalues from U(η − ε, η + ε) with ε = 0.1. It adds noise N(0, v²I) with v = 0.3 " +
				"to eigenvectors and then orthogonalizes them.",
			synUnexplained,
		},
		Paper: "PLRSQ", Item: "next to section 6.1", Version: 1,
		Title: "MDRM on the synthetic sets with twelve interpretations of section 6.1",
		Protocol: "Each row changes one thing in the literal interpretation of section 6.1. MDRM learns from the " +
			"training and validation parts, as in table 3. There are 30 repetitions.",
		run: synReadingsTable, read: readReadings},
	{ID: "plrsq-fig2",
		Earlier: "4 repetitions with bases of their own, decided by the posterior",
		Paper:   "PLRSQ", Item: "figure 2", Title: "PLRSQ by σ² on the synthetic sets", Version: 1,
		Protocol: curveProtocol + "σ²opt is 0.45, 0.5, 1, 2, 4, 8, 20 or 50, constant or annealed. There are 30 " +
			"repetitions.",
		Whole: "15 values of σ² (the paper gives only the ends of the range)",
		run:   sigmaCurves},
	{ID: "plrsq-table2",
		Paper: "PLRSQ", Item: "table 2", Title: "PLRSQ under three learning rates", Version: 1,
		Protocol: curveProtocol + "σ² is 1.5 and constant; the paper does not say whether it was annealed. The rate " +
			"starts at nξ/50, nξ/100 or nξ/200. There are 30 repetitions.",
		run: rateTable, read: readTable2},
	{ID: "plrsq-fig3",
		Notes: []string{
			"The errors after an epoch are from a fit that is stopped after this epoch.",
		},
		Paper: "PLRSQ", Item: "figure 3", Title: "Cost and errors during training",
		Protocol: curveProtocol + "As in the paper, σ²opt is 8 on SynI; on SynII it is 0.5 if constant and 0.45 if " +
			"annealed. There is one repetition.", run: courses, read: readFigure3},
	{ID: "plrsq-fig4",
		Paper: "PLRSQ", Item: "figure 4", Title: "Cost and errors during training on SynII with a " +
			"slower change of σ²", Protocol: curveProtocol + "σ²opt is 0.45. The first fit has β(t) = β(t−1)^1.1, " +
			"starting at 0.99; the second has β = 0.99 in all epochs. There is one repetition.",
		run: slowerAnnealing, read: readFigure4PLRSQ},
	{ID: "plrsq-table3",
		Notes: synNotes,
		Earlier: "6 repetitions with bases of their own; σ²opt of 0.45, 1 and 8, 1 and 3 " +
			"prototypes, 100 epochs (GMLVQ 30); decided by the posterior",
		Paper: "PLRSQ", Item: "tables 3, 4 and B.7", Title: "PLRSQ, MDRM, RSLVQ and GMLVQ on the " +
			"synthetic sets", Version: 1, Protocol: synProtocol, Whole: "15 values of σ², 1, 2 and 3 prototypes " +
			"per class and 20, 50 and 100 epochs together (" + endsOnly + ")", run: synTables, read: readTable3},
	{ID: "plrsq-fig5",
		Notes:   ethCurvesNotes,
		Earlier: "2 draws, 50 epochs, decided by the posterior",
		Paper:   "PLRSQ", Item: "figure 5", Title: "PLRSQ on ETH-80 by σ² and by number of " +
			"prototypes", Version: 1, Needs: []string{"eth80"},
		Protocol: ethCurvesProtocol, Whole: "all of 3 to 8 categories, 15 values of σ² and 1 to 8 prototypes (" +
			endsOnly + ")", run: ethCurves, read: readFigure5},
	{ID: "plrsq-table5",
		Notes:   ethTableNotes,
		Earlier: "one draw; 2 or 6 prototypes chosen in five folds; decided by the posterior",
		Paper:   "PLRSQ", Item: "tables 5 and B.8", Title: "Object categories of ETH-80", Version: 1,
		Needs:    []string{"eth80"},
		Protocol: ethTableProtocol, Whole: "15 values of σ² and 1 to 6 prototypes per class (" +
			endsOnly + ")", run: ethPaperTable, read: readTable5},
	{ID: "plrsq-eth80",
		Notes: ethNotes,
		Paper: "PLRSQ", Item: "next to table 5", Title: "Object categories of ETH-80, our protocol",
		Needs:    []string{"eth80"},
		Protocol: ethProtocol, run: ethTable, read: readETH},
	{ID: "plrsq-groups",
		Notes: groupsNotes,
		Paper: "PLRSQ", Version: 1, Item: "next to table 5",
		Title:    "K-means of table 5 on the descriptors of ETH-80 with twelve interpretations",
		Needs:    []string{"eth80"},
		Protocol: groupsProtocol, run: groupReadings, read: readGroups},
	{ID: "plrsq-fig6",
		Notes: cifarNotes,
		Paper: "PLRSQ", Item: "figure 6", Title: "Accuracy by number of images, CIFAR-10",
		Needs:    []string{"cifar10"},
		Protocol: cifarProtocol, Whole: "five draws, 1 to 5 prototypes per class and 8 values of σ² " +
			"(" + endsOnly + "), and takes about fifteen times as long",
		run: cifarSizes, read: readFigure6},
	{ID: "plrsq-fig6-vgg",
		Notes: vggNotes,
		Paper: "PLRSQ", Item: "figure 6, VGG-11", Title: "PLRSQ and VGG-11 on the same draws",
		Needs:    []string{"cifar10", "torch"},
		Protocol: vggProtocol, Whole: "200, 500, 1000 and 5000 images and five draws, and takes about 25 times as long",
		Long: "about an hour and a half of processor time", run: cifarNetwork},
	{ID: "plrsq-footnote-3",
		Notes: cifarFeaturesNotes,
		Paper: "PLRSQ", Item: "footnote 3",
		Title: "9×9 descriptors do better than 5×5 on CIFAR-10", Needs: []string{"cifar10"},
		Protocol: cifarFeaturesProtocol, run: cifarFeatures},
	{ID: "plrsq-fig7",
		Notes: []string{
			"Figure 7 of the paper compares VGG-11 (133 million parameters, in Python) with PLRSQ (at most 4051, in " +
				"Matlab). The text gives only test times for 10000 images: 26.3 s and 10.5 s.",
		},
		Paper: "PLRSQ", Item: "figure 7", Title: "Training time of PLRSQ", Protocol: timesProtocol,
		run: plrsqTimes, read: readFigure7PLRSQ},
	{ID: "plrsq-decide",
		Paper: "PLRSQ", Item: "next to figure 7", Title: "Time of 10000 decisions",
		Protocol: decideProtocol, run: decisionTime},
	{ID: "plrsq-table6",
		Notes: bciPaperNotes,
		Paper: "PLRSQ", Item: "tables 6 and B.9", Title: "Motor imagery: BCI competition IV 2a",
		Version: 1, Needs: []string{"bci-iv-2a"}, Protocol: bciPaperProtocol, Whole: "15 values of σ², 1 to 4 " +
			"prototypes per class, and 20, 50 and 100 epochs (" + endsOnly + ")", run: bciPaperTable,
		read: readTable6},
	{ID: "plrsq-bci",
		Notes:   bciNotes,
		Earlier: "subjects A01 to A05",
		Paper:   "PLRSQ", Item: "next to table 6", Title: "Motor imagery, our protocol", Version: 1,
		Needs:    []string{"bci-iv-2a"},
		Protocol: bciProtocol, run: bciTable, read: readBCI},
	{ID: "plrsq-sigma2",
		Paper: "PLRSQ", Item: "an open question", Title: "Ways to set σ² and the rate",
		Protocol: sigmaFormsProtocol, run: sigmaFormsTable},
	{ID: "plrsq-reject",
		Paper: "PLRSQ", Item: "an open question", Title: "Rejection of uncertain decisions",
		Protocol: rejectProtocol, run: rejectCurves},
	{ID: "plrsq-represent",
		Notes: representNotes,
		Paper: "PLRSQ", Item: "an open question", Title: "A representability term in the cost",
		Protocol: representProtocol, run: representTable, read: readRepresent},
	{ID: "plrsq-geometry",
		Paper: "PLRSQ", Item: "an open question", Title: "Prototypes in three geometries on " +
			"CIFAR-10", Needs: []string{"cifar10"},
		Protocol: "The data are a part of CIFAR-10, with one 9×9 covariance descriptor per image. Prototypes start " +
			"from k-means and learn for 20 epochs. σ² is a half, one or two times its " +
			"automatic value, chosen on a held-out fifth of the training part. There are five " +
			"seeds.", run: geometryTable},
}
