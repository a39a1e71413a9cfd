function model = fit(method, X, y, varargin)
%FIT Fit a model: rao.fit('sqfa', X, y, 'filters', 4).
%   X has one row per observation, or is n x n x count for SPD matrices. y has numeric labels.
%   model.file is the path of the model file, which the tool and Python also read. model.classes contains the class names.
  data = rao.write(X, y);
  model.file = [tempname '.rao'];
  words = {'fit', method, '--data', data, '--x', 'X', '--y', 'y', '--out', model.file};
  for k = 1:2:numel(varargin)
    words(end+1:end+2) = {['--' strrep(varargin{k}, '_', '-')], num2str(varargin{k+1})};
  end
  rao.call(words{:});
  delete(data);
  about = rao.call('show', model.file);
  model.classes = about.classes;
end
