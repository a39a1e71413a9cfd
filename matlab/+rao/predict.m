function [labels, p] = predict(model, X)
%PREDICT Return the most probable class of each observation, and the probability of each class.
  data = rao.write(X);
  out = [tempname '.csv'];
  rao.call('predict', '--model', model.file, '--data', data, '--x', 'X', '--out', out);
  lines = strsplit(strtrim(fileread(out)), "\n");
  delete(data);
  delete(out);
  header = strsplit(strtrim(lines{1}), ',');
  rows = cellfun(@(s) strsplit(strtrim(s), ','), lines(2:end), 'UniformOutput', false);
  rows = vertcat(rows{:});
  labels = str2double(rows(:, strcmp(header, 'label')));
  if any(isnan(labels)), labels = rows(:, strcmp(header, 'label')); end
  p = str2double(rows(:, strncmp(header, 'p_', 2)));
end
