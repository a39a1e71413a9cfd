function out = call(varargin)
%CALL Run the command-line tool rao with the given arguments and return its JSON output.
%   Set RAO_EXECUTABLE if the program is not in the search path.
  program = getenv('RAO_EXECUTABLE');
  if isempty(program), program = 'rao'; end
  words = cellfun(@(w) ['"' strrep(w, '"', '\"') '"'], varargin, 'UniformOutput', false);
  notes = [tempname '.txt'];
  [status, text] = system([program ' ' strjoin(words, ' ') ' --json 2>"' notes '"']);
  said = strtrim(fileread(notes));
  delete(notes);
  if any(status == [127 9009]) || (status == 1 && isempty(strfind(said, 'rao: ')))
    error('rao:missing', ['the program ' program ' cannot be started; add it to the search path, or set ' ...
      'RAO_EXECUTABLE']);
  end
  if status ~= 0 && status ~= 3, error('rao:failed', '%s', said); end
  if ~isempty(said), warning('rao:note', '%s', said); end
  out = jsondecode(text);
end
