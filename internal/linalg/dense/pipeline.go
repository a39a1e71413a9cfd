package dense

import (
	"rao/internal/linalg/vec"
	"rao/internal/par"
)

// pipeline adds alpha A'B to rows r0 to r1-1 and columns c0 to c1-1 of C. k is cut into rounds. Each round packs A and
// B and adds their product to the blocks of C. The panels of the next round are packed into a second set while the
// blocks of the current round are computed, so goroutines rarely wait for each other. The method piece defines the
// order of the pieces. A goroutine waits at gates for the earlier pieces that its own piece depends on. Every block
// adds its rounds in order, so the sums do not depend on the number of goroutines.
type pipeline[T float32 | float64] struct {
	*kernels[T]
	target
	k              int
	a, b           view[T]  // b is not packed for an upper triangle, where it equals a
	rows           *rows[T] // used instead of a and b if not nil
	r0, r1, c0, c1 int

	rounds, depth int
	left, right   int // number of panels of a and of b, of depth values each
	packs         int // number of pieces that pack a round
	blocks        []block
	packed, added []par.Gate // by round: number of finished pieces
	at            []par.Gate // by block: number of finished rounds
	panels        [2][]T     // panels of even and of odd rounds
	tiles         []float64
}

// block is the part of C that a goroutine works on at a time.
type block struct{ i0, i1, j0, j1 int }

// packGrain is the number of panels that one piece packs.
const packGrain = 4

// serialWork is the number of products below which one goroutine is enough.
const serialWork = 1 << 17

// runPipeline processes all pieces on the calling goroutine if alone is set or the work is small, otherwise on several
// goroutines. The pipeline is copied to the memory of the call, so it may be on the stack of the caller.
func runPipeline[T float32 | float64](given *pipeline[T], alone bool) {
	s := poolOf[T]().Get().(*scratch[T])
	defer giveBack(s)
	s.pipeline = *given
	p := &s.pipeline
	p.depth = min(p.k, p.kernels.depth)
	p.rounds = par.Chunks(p.k, p.depth)
	p.left, p.right = par.Chunks(p.r1-p.r0, p.kernels.cols), par.Chunks(p.c1-p.c0, p.kernels.cols)
	if p.upper {
		p.right = 0
	}
	p.packs = par.Chunks(p.left+p.right, packGrain)
	set := (p.left + p.right) * p.kernels.cols * p.depth
	s.grow(2*set, tileSpace(p.kernels))
	p.panels, p.tiles = [2][]T{s.panels[:set], s.panels[set:]}, s.tiles
	s.blocks = p.cut(s.blocks[:0])
	p.blocks = s.blocks
	vec.Room(&s.gates, 2*p.rounds+len(p.blocks))
	clear(s.gates)
	p.packed, p.added, p.at = s.gates[:p.rounds], s.gates[p.rounds:2*p.rounds], s.gates[2*p.rounds:]

	pieces := p.rounds * (p.packs + len(p.blocks))
	work := float64(p.r1-p.r0) * float64(p.c1-p.c0) * float64(p.k) // may overflow a 32-bit int
	if alone || work < serialWork {
		for piece := range pieces {
			p.piece(piece, 0)
		}
		return
	}
	par.For(pieces, 1, func(worker, piece, _ int) { p.piece(piece, worker) })
}

// cut appends the blocks of C, with the blocks of a group of columns next to each other.
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

// piece runs piece number n. The first pieces pack the first round. Then, for every round, come half of its blocks,
// the packing of the next round, and the other half.
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

// pack packs piece n of the panels of a round, after the round before the last has finished with this set of panels.
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

// multiply adds a round to block n. Both ranges of a block start at multiples of the panel's width.
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
