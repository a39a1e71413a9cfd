# Run the command-line tool rao with JSON output, and print its notes as messages. Set RAO_EXECUTABLE if the program is not in the search path.
rao_call <- function(...) {
  program <- Sys.getenv("RAO_EXECUTABLE", "rao")
  notes <- tempfile()
  on.exit(unlink(notes))
  missing <- function(e)
    stop("the program ", program, " cannot be started; add it to the search path, or set RAO_EXECUTABLE", call. = FALSE)
  out <- tryCatch(suppressWarnings(system2(program, shQuote(c(..., "--json")), stdout = TRUE, stderr = notes)),
                  error = missing)
  status <- attr(out, "status")
  if (identical(as.integer(status), 127L)) missing()
  said <- sub("^rao: ", "", readLines(notes, warn = FALSE))
  if (!is.null(status) && !(status %in% c(0, 3))) stop(paste(said, collapse = "\n"), call. = FALSE)
  said <- said[!grepl(": commas, a header;", said, fixed = TRUE)] # describes the temporary file
  if (length(said) > 0) message(paste(said, collapse = "\n"))
  invisible(out)
}

rao_write <- function(X, y = NULL) {
  if (length(dim(X)) != 2) stop("X must be a matrix or data frame with one row per observation", call. = FALSE)
  if (!is.null(y) && length(y) != nrow(X))
    stop("X has ", nrow(X), " rows, but y has ", length(y), " labels; give one label per row", call. = FALSE)
  path <- tempfile(fileext = ".csv")
  d <- as.data.frame(X)
  names(d) <- if (is.null(colnames(X))) paste0("x", seq_len(ncol(X))) else colnames(X)
  if (!is.null(y)) d$label <- y
  write.csv(d, path, row.names = FALSE)
  path
}

# Fit a model: rao_fit("sqfa", X, y, filters = 4). X has one row per observation, y one label per row.
rao_fit <- function(method, X, y, ...) {
  data <- rao_write(X, y)
  on.exit(unlink(data))
  file <- tempfile(fileext = ".rao")
  options <- list(...)
  words <- unlist(lapply(names(options), function(n) c(paste0("--", gsub("_", "-", n)), as.character(options[[n]]))))
  rao_call("fit", method, "--data", data, "--y", "label", "--out", file, words)
  structure(list(file = file, method = method), class = "rao_model")
}

# Return a data frame with the label of each row, whether the row is rejected or an outlier, and the probability of each
# class.
rao_predict <- function(model, X) {
  data <- rao_write(X)
  out <- tempfile(fileext = ".csv")
  on.exit(unlink(c(data, out)))
  rao_call("predict", "--model", model$file, "--data", data, "--y", "none", "--out", out)
  p <- read.csv(out, check.names = FALSE, colClasses = c(label = "character"))
  number <- suppressWarnings(as.numeric(p$label)) # not type.convert, which changes the labels T and F
  if (!anyNA(number)) p$label <- number
  p$rejected <- as.logical(p$rejected)
  p$outlier <- as.logical(p$outlier)
  p
}

# Return the counts, means (classes x n) and covariances (classes x n x n) of the classes.
rao_statistics <- function(X, y) {
  data <- rao_write(X, y)
  on.exit(unlink(data))
  file <- tempfile(fileext = ".npz")
  rao_call("stats", "--data", data, "--y", "label", "--out", file)
  list(counts = rao_array(file, "counts"), means = rao_array(file, "means"), covariances = rao_array(file, "covariances"),
       file = file)
}

# Return the linear filters of a model, one per column.
rao_filters <- function(model) {
  if (!("feature.filters.npy" %in% unzip(model$file, list = TRUE)$Name))
    stop("a model of ", model$method, " has no filters; fit a method that learns filters, such as sqfa", call. = FALSE)
  rao_array(model$file, "feature.filters")
}

# Draw filters as images of rows x columns, or as lines if no size is given.
plot_filters <- function(model, rows = NULL, columns = NULL) {
  w <- rao_filters(model)
  old <- par(mfrow = c(1, ncol(w)))
  on.exit(par(old))
  for (k in seq_len(ncol(w))) {
    if (is.null(rows)) plot(w[, k], type = "l", main = paste("filter", k), ylab = "")
    else image(matrix(w[, k], columns, rows)[, rows:1], zlim = max(abs(w[, k])) * c(-1, 1), axes = FALSE, main = paste("filter", k))
  }
}

# Return a numeric array from an npz file or a model file.
rao_array <- function(file, name) {
  folder <- tempfile()
  on.exit(unlink(folder, recursive = TRUE))
  f <- file(unzip(file, paste0(name, ".npy"), exdir = folder), "rb")
  on.exit(close(f), add = TRUE)
  readBin(f, "raw", 8)
  header <- readChar(f, readBin(f, "integer", 1, 2, signed = FALSE, endian = "little"))
  type <- sub(".*'descr': '.(..)'.*", "\\1", header)
  shape <- as.integer(strsplit(gsub("[^0-9,]", "", sub(".*\\(([^)]*)\\).*", "\\1", header)), ",")[[1]])
  n <- prod(shape)
  a <- switch(type, f8 = readBin(f, "double", n, 8, endian = "little"), f4 = readBin(f, "double", n, 4, endian = "little"),
              i8 = readBin(f, "integer", 2 * n, 4, endian = "little")[2 * seq_len(n) - 1],
              stop("the array ", name, " has the unsupported type ", type))
  if (length(shape) > 1) aperm(array(a, rev(shape)), rev(seq_along(shape))) else a
}
