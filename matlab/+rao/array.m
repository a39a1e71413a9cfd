function a = array(file, name)
%ARRAY Read a numeric array from an npz file or a model file.
  folder = tempname;
  mkdir(folder);
  copyfile(file, [folder '.zip']);
  unzip([folder '.zip'], folder);
  f = fopen(fullfile(folder, [name '.npy']), 'r', 'l');
  if f < 0, error('rao:array', '%s contains no array %s', file, name); end
  fread(f, 8, 'uint8');
  header = fread(f, fread(f, 1, 'uint16'), '*char')';
  type = regexp(header, '''descr'': ''([^'']*)''', 'tokens', 'once');
  shape = str2num(['[' regexprep(header, '.*\(([^)]*)\).*', '$1') ']']); %#ok<ST2NM>
  types = struct('f8', 'double', 'f4', 'single', 'i8', 'int64', 'u1', 'uint8');
  a = double(fread(f, inf, ['*' types.(type{1}(2:end))]));
  fclose(f);
  rmdir(folder, 's');
  delete([folder '.zip']);
  if numel(shape) > 1, a = permute(reshape(a, fliplr(shape)), numel(shape):-1:1); end
end
