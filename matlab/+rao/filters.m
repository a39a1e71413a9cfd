function w = filters(model)
%FILTERS Return the linear filters of a model, one per column.
  w = rao.array(model.file, 'feature.filters');
end
