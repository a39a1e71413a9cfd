// Package learners contains the linear filters that package method fits by name: factor analysis, independent
// components, neighborhood components, large-margin and Wasserstein discriminants, accuracy maximization, generalized
// eigenvectors, local discriminants, supervised components and gaPCA. Each fit returns a [feature.Model], except
// gaPCA, which reduces SPD matrices.
package learners
