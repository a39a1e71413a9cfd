function plotfilters(model, rows, columns)
%PLOTFILTERS Draw the filters of a model as images of the given size, or as lines if no size is given.
  w = rao.filters(model);
  for k = 1:size(w, 2)
    subplot(1, size(w, 2), k);
    if nargin > 1
      imagesc(reshape(w(:, k), columns, rows)', max(abs(w(:, k))) * [-1 1]);
      axis image off
    else
      plot(w(:, k));
    end
    title(sprintf('filter %d', k));
  end
end
