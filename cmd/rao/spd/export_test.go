package spd

var WriteNpy = writeNpy
