// Package learners has the linear filters that are fitted by the name of a method: factor analysis, independent
// components, neighborhood components, large-margin and Wasserstein discriminants, accuracy maximization, generalized
// eigenvectors, local discriminants, supervised components and gaPCA. Each fit returns a [feature.Model], except
// gaPCA, which reduces SPD matrices.
package learners
