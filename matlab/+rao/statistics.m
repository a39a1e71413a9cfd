function s = statistics(X, y)
%STATISTICS Counts, means (a row each) and covariances (classes x n x n) of classes, as rao stats has them.
  data = rao.write(X, y);
  file = [tempname '.npz'];
  rao.call('stats', '--data', data, '--x', 'X', '--y', 'y', '--out', file);
  s = struct('counts', rao.array(file, 'counts'), 'means', rao.array(file, 'means'), ...
             'covariances', rao.array(file, 'covariances'), 'file', file);
  delete(data);
end
