package dense

import (
	"slices"

	"rao/internal/par"
)

// pipeline adds alpha A'B to the rows [r0,r1) and columns [c0,c1) of C. k is cut
// into rounds: A and B are packed for a round, and blocks of C take what it adds.
// The panels of a round are packed, to a second set, amid the blocks of the round
// before, so that goroutines hardly ever wait for each other. They take the
// pieces in one order, that of piece, and wait at gates for the pieces before
// that theirs builds on; every block takes its rounds in their order, so that the
// sums do not depend on how many goroutines there are.
type pipeline[T float32 | float64] struct {
	*kernels[T]
	target
	k              int
	a, b           view[T]  // b is not packed for an upper triangle: it is a
	rows           *rows[T] // instead of a and b, where not nil
	r0, r1, c0, c1 int

	rounds, depth int
	left, right   int // panels of a and of b, of depth values each
	packs         int // pieces that pack a round
	blocks        []block
	packed, added []par.Gate // by round: pieces done
	at            []par.Gate // by block: rounds done
	panels        [2][]T     // of even and of odd rounds
	tiles         []float64
}

// block is a part of C that one goroutine works on at a time.
type block struct{ i0, i1, j0, j1 int }

// packGrain is how many panels are packed as one piece.
const packGrain = 4

// serialWork is the number of products below which one goroutine is enough.
const serialWork = 1 << 17

// runPipeline does all pieces, alone on the calling goroutine or with others.
func runPipeline[T float32 | float64](p *pipeline[T], alone bool) {
	p.depth = min(p.k, p.kernels.depth)
	p.rounds = par.Chunks(p.k, p.depth)
	p.left, p.right = par.Chunks(p.r1-p.r0, p.kernels.cols), par.Chunks(p.c1-p.c0, p.kernels.cols)
	if p.upper {
		p.right = 0
	}
	p.packs = par.Chunks(p.left+p.right, packGrain)
	set := (p.left + p.right) * p.kernels.cols * p.depth
	s := borrow[T](2*set, tileSpace(p.kernels))
	defer giveBack(s)
	p.panels, p.tiles = [2][]T{s.panels[:set], s.panels[set:]}, s.tiles
	s.blocks = p.cut(s.blocks[:0])
	p.blocks = s.blocks
	s.gates = slices.Grow(s.gates[:0], 2*p.rounds+len(p.blocks))[:2*p.rounds+len(p.blocks)]
	clear(s.gates)
	p.packed, p.added, p.at = s.gates[:p.rounds], s.gates[p.rounds:2*p.rounds], s.gates[2*p.rounds:]

	pieces, grain := p.rounds*(p.packs+len(p.blocks)), 1
	work := float64(p.r1-p.r0) * float64(p.c1-p.c0) * float64(p.k) // more than an int of 32 bits may hold
	if alone || work < serialWork {
		grain = pieces
	}
	par.For(pieces, grain, func(worker, lo, hi int) {
		for piece := lo; piece < hi; piece++ {
			p.piece(piece, worker)
		}
	})
}

// cut appends the blocks of C, those of a group of columns next to each other.
func (p *pipeline[T]) cut(blocks []block) []block {
	width := blockPanels * p.kernels.cols
	for j := p.c0; j < p.c1; j += width {
		for i := p.r0; i < p.r1; i += blockRows {
			x := block{i, min(i+blockRows, p.r1), j, min(j+width, p.c1)}
			if !p.upper || x.i0 < x.j1 {
				blocks = append(blocks, x)
			}
		}
	}
	return blocks
}

// piece does piece number n: first come those that pack the first round, then for
// every round half of its blocks, the packing of the next, and the other half.
func (p *pipeline[T]) piece(n, worker int) {
	if n < p.packs {
		p.pack(0, n)
		return
	}
	n -= p.packs
	round, half := n/(p.packs+len(p.blocks)), len(p.blocks)/2
	n -= round * (p.packs + len(p.blocks))
	switch {
	case n < half || round == p.rounds-1:
		p.multiply(round, n, worker)
	case n < half+p.packs:
		p.pack(round+1, n-half)
	default:
		p.multiply(round, n-p.packs, worker)
	}
}

// values returns the number of values of k in a round.
func (p *pipeline[T]) values(round int) int { return min(p.depth, p.k-round*p.depth) }

// pack packs piece n of the panels of a round. Its set of panels must have served
// the round before the last.
func (p *pipeline[T]) pack(round, n int) {
	defer p.packed[round].Done()
	if round >= 2 {
		p.added[round-2].Wait(len(p.blocks))
	}
	k, wide := p.values(round), p.kernels.cols
	for q := n * packGrain; q < min((n+1)*packGrain, p.left+p.right); q++ {
		dst := p.panels[round%2][q*wide*k : (q+1)*wide*k]
		if p.rows != nil {
			p.rows.pack(p.kernels, q*wide, round, k, dst)
			continue
		}
		x, lo, hi := p.a, p.r0+q*wide, p.r1
		if q >= p.left {
			x, lo, hi = p.b, p.c0+(q-p.left)*wide, p.c1
		}
		packPanel(p.kernels, x, lo, min(lo+wide, hi), round*p.depth, k, dst)
	}
}

// multiply adds a round to block n. Both ranges of a block start at multiples of
// the panel's width.
func (p *pipeline[T]) multiply(round, n, worker int) {
	defer p.added[round].Done()
	defer p.at[n].Done()
	p.packed[round].Wait(p.packs)
	p.at[n].Wait(round)
	if p.rows != nil && p.rows.leftOut(round) {
		return
	}
	g, x, k := p.kernels, p.blocks[n], p.values(round)
	a := p.panels[round%2]
	b := a[p.left*g.cols*k:]
	if p.upper {
		b = a
	}
	tile := p.tiles[worker*g.rows*g.cols : (worker+1)*g.rows*g.cols]
	for i := x.i0; i < x.i1; i += g.rows {
		row := (i-p.r0)/g.cols*g.cols*k + (i-p.r0)%g.cols
		for j := x.j0; j < x.j1; j += g.cols {
			if p.upper && i >= j+g.cols {
				continue
			}
			addTile(g, &p.target, k, i, j, a[row:], b[(j-p.c0)*k:], tile)
		}
	}
}
