function w = filters(model)
%FILTERS Linear filters of a model, one in each column.
  w = rao.array(model.file, 'feature.filters');
end
