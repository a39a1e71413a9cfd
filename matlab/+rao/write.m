function path = write(X, y)
%WRITE Write observations (one per row, or n x n x count matrices) and labels to a temporary MAT file.
  path = [tempname '.mat'];
  if nargin < 2
    save('-v6', path, 'X');
  else
    y = y(:);
    save('-v6', path, 'X', 'y');
  end
end
