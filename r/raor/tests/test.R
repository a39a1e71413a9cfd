# Needs RAO_EXECUTABLE. From the checkout: Rscript -e 'source("r/raor/R/raor.R"); source("r/raor/tests/test.R")'
if (!exists("rao_fit")) library(raor)
set.seed(1)
y <- rep(c("a", "b", "c"), 60)
X <- matrix(rnorm(900), 180)
for (k in 1:3) X[y == c("a", "b", "c")[k], k] <- X[y == c("a", "b", "c")[k], k] + 4
model <- rao_fit("sqfa", X, y, filters = 2, noise = 0.1)
p <- rao_predict(model, X)
stopifnot(mean(p$label == y) > 0.8, nrow(p) == 180, identical(dim(rao_filters(model)), c(5L, 2L)))
s <- rao_statistics(X, y)
stopifnot(all(s$counts == 60), max(abs(s$means[2, ] - colMeans(X[y == "b", ]))) < 1e-9)
stopifnot(max(abs(s$covariances[3, , ] - cov(X[y == "c", ]))) < 1e-9)
stopifnot(inherits(try(rao_fit("nothing", X, y), silent = TRUE), "try-error"))
stopifnot(is.logical(p$rejected), is.logical(p$outlier))
few <- try(rao_fit("sqfa", X, y[1:3]), silent = TRUE) # R must not recycle labels
stopifnot(inherits(few, "try-error"), grepl("X has 180 rows, but y has 3 labels", few))
letter <- rao_predict(rao_fit("lda-raw", X[1:120, ], rep(c("T", "F", "F"), 40)), X)$label
stopifnot(all(letter %in% c("T", "F")))
pdf(NULL)
plot_filters(model)
cat("ok\n")
