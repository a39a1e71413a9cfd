% Test of the package in MATLAB or Octave. Set RAO_EXECUTABLE and run it in this folder.
rand('seed', 1); randn('seed', 1);
y = repmat([1; 2; 3], 60, 1);
X = randn(180, 5);
for k = 1:3, X(y == k, k) = X(y == k, k) + 4; end
model = rao.fit('sqfa', X, y, 'filters', 2, 'noise', 0.1);
[labels, p] = rao.predict(model, X);
assert(mean(labels == y) > 0.8 && isequal(size(p), [180 3]) && all(abs(sum(p, 2) - 1) < 1e-6));
assert(isequal(size(rao.filters(model)), [5 2]));
s = rao.statistics(X, y);
assert(isequal(s.counts(:), [60; 60; 60]) && norm(s.means(2, :) - mean(X(y == 2, :))) < 1e-9);
assert(norm(squeeze(s.covariances(3, :, :)) - cov(X(y == 3, :))) < 1e-9);
C = zeros(3, 3, 60);
for k = 1:60, a = randn(3, 30) .* [1; 1 + mod(k, 2); 1]; C(:, :, k) = a * a' / 30; end
m = rao.fit('mdm', C, mod(1:60, 2)');
assert(mean(rao.predict(m, C) == mod(1:60, 2)') > 0.9);
try, rao.fit('nothing', X, y); error('no error'); catch e, assert(~isempty(strfind(e.message, 'nothing'))); end
try, rao.filters(m); error('no error'); catch e, assert(~isempty(strfind(e.message, 'has no filters; fit'))); end
here = getenv('RAO_EXECUTABLE');
setenv('RAO_EXECUTABLE', 'no-such-program');
try, rao.fit('sqfa', X, y); error('no error'); catch e, assert(~isempty(strfind(e.message, 'set RAO_EXECUTABLE'))); end
setenv('RAO_EXECUTABLE', here);
disp('ok');
