// Package optim minimizes smooth functions with limited-memory BFGS.
//
// There are two entry points:
//
//   - [Minimize] takes a function of a vector with its gradient. Use it for
//     anything unconstrained, such as logistic regression.
//   - [Run] takes a [Problem] on a [Manifold] of n×m matrices: columns of unit
//     norm (a product of spheres), orthonormal columns (Stiefel), or no
//     constraint. The problem evaluates along an entire curve x(t), so the
//     expensive part, a pass over data or statistics, is done once for each
//     direction and not once for each trial step.
//
// Both search the line with the strong Wolfe conditions (Nocedal and Wright, Numerical
// Optimization, 2006, algorithms 3.5 and 3.6). Near the rounding floor the conditions
// have the approximate form of Hager and Zhang, 2005. Both use the two-loop recursion
// (Nocedal and Wright's algorithm 7.4). On a manifold the newest step and change of
// gradient are moved to the new tangent space by projection (Absil, Mahony and
// Sepulchre, 2008, section 8.1.3). Older ones stay as they are, and the direction that
// results from them is projected. It descends, since the memory's inverse Hessian is
// positive definite in the surrounding space. To move them all at every step took as
// many evaluations (8586 against 8575 in 72 fits of SQFA).
//
// Everything runs on the calling goroutine, apart from what the function itself
// starts, and allocates nothing after the first iteration. The same input gives
// the same bits.
package optim
