function s = statistics(X, y)
%STATISTICS Return the counts, means (classes x n) and covariances (classes x n x n) of the classes.
%   s.file is the path of the statistics file.
  data = rao.write(X, y);
  file = [tempname '.npz'];
  rao.call('stats', '--data', data, '--x', 'X', '--y', 'y', '--out', file);
  s = struct('counts', rao.array(file, 'counts'), 'means', rao.array(file, 'means'), ...
             'covariances', rao.array(file, 'covariances'), 'file', file);
  delete(data);
end
