% Writes octave.mat with GNU Octave; run with octave --no-gui make.m.
P = reshape (1:24, 2, 3, 4);
flag = logical ([1 0 1]);
labels = {"one", "two"; "three", ""};
word = "tongue";
rows = ["ab "; "cde"];
n = int16 ([1 -2; 3 4]);
x = single ([0.5 1.5]);
save ("-v7", "octave.mat", "P", "flag", "labels", "word", "rows", "n", "x");
save ("-v4", "octave4.mat", "word", "rows");
