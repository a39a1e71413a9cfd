function path = write(X, y)
%WRITE Write observations and labels to a temporary MAT file, and return its path.
%   X has one row per observation, or is n x n x count for SPD matrices.
  path = [tempname '.mat'];
  if nargin < 2
    save('-v6', path, 'X');
  else
    y = y(:);
    save('-v6', path, 'X', 'y');
  end
end
