function w = filters(model)
%FILTERS Return the linear filters of a model, one per column.
  try
    w = rao.array(model.file, 'feature.filters');
  catch e
    if ~strcmp(e.identifier, 'rao:array'), rethrow(e); end
    error('rao:filters', 'the model has no filters; fit a method that learns filters, such as sqfa');
  end
end
