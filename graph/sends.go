package graph

// sends is how often the blocks of a document are sent.
type sends struct {
	by     []int32     // by block, once it is summed; before that, where runs of blocks begin and end
	live   fenwick     // by, from when a block is replaced on
	frozen map[int]int // how often the blocks were sent that are replaced
}

func newSends(d *Document) sends { return sends{by: make([]int32, len(d.Blocks)+1)} }

// add notes that blocks are sent, so many times.
func (s *sends) add(x extent, times int) {
	s.by[x.from] += int32(times)
	s.by[x.to] -= int32(times)
	if s.live != nil {
		s.live.add(x.from, times)
		s.live.add(x.to, -times)
	}
}

// freeze notes that a block is replaced: what is sent from now on is another one.
func (s *sends) freeze(i int) {
	if s.live == nil {
		s.live, s.frozen = make(fenwick, len(s.by)), map[int]int{}
		for j, n := range s.by {
			s.live.add(j, int(n))
		}
	}
	s.frozen[i] = s.live.upTo(i + 1)
}

// sum turns beginnings and ends into how often each block is sent: never where it has no tokens, by sizes, or is a system block.
func (s *sends) sum(d *Document, sizes []int32) {
	times := int32(0)
	for i, b := range d.Blocks {
		times += s.by[i]
		s.by[i] = times
		if n, replaced := s.frozen[i]; replaced {
			s.by[i] = int32(n)
		}
		if b.System || sizes[i] == 0 { // there may be nothing before the first heading
			s.by[i] = 0
		}
	}
}
