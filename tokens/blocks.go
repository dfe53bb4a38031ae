package tokens

// A long piece is merged in blocks that overlap, each small enough for the caches of the
// processor, and the tokens of the blocks are joined. That is exact because byte-pair encoding
// is local: a sequence of tokens is the encoding of its bytes exactly when each two neighbours
// are the encoding of theirs. For the lowest id merges first, the leftmost of several: what happens
// inside two neighbours, whatever happens around them, comes in the order in which it comes when they
// are alone. The first merge across a border would be inside two neighbours, whose own encoding has
// none there. This holds for every vocabulary, ordered or not.
//
// Where two blocks have the same token at the same place, the tokens of the first up to it and those
// of the second from it on are such a sequence, because every two neighbours are adjacent in one of
// the blocks.
//
// A block begins where a token of the block before begins, so that runs of one character stay
// in step. Where two blocks agree on no token, the piece is merged as a whole.
const (
	mergeBlock   = 8 << 10 // bytes
	mergeOverlap = 256     // bytes, at least: more than the longest token
)

// joined is the tokens of the blocks so far and their lengths in bytes.
type joined struct {
	ids     []uint32
	lengths []uint8
}

// mergeLong returns the tokens of a piece, valid until the next call.
func (w *worker) mergeLong(piece []byte) []uint32 {
	if w.sweep == nil {
		w.sweep = new(sweep)
	}
	if len(piece) > mergeBlock && w.mergeBlocks(piece) {
		return w.joined.ids
	}
	ids, _ := w.sweep.merge(w.vocabulary, piece)
	return ids
}

// mergeBlocks puts the tokens of piece into joined, or reports that its blocks do not join.
func (w *worker) mergeBlocks(piece []byte) bool {
	j := &w.joined
	j.ids, j.lengths = j.ids[:0], j.lengths[:0]
	for end := 0; end < len(piece); {
		overlap, size := j.overlap()
		start := end - size
		end = min(start+mergeBlock, len(piece))
		ids, lengths := w.sweep.merge(w.vocabulary, piece[start:end])
		if !j.join(overlap, ids, lengths) {
			return false
		}
	}
	return true
}

// overlap returns the index of the token where the next block begins, and the number of bytes
// from there to the end.
func (j *joined) overlap() (index, size int) {
	index = len(j.ids)
	for index > 0 && size < mergeOverlap {
		index--
		size += int(j.lengths[index])
	}
	return index, size
}

// join appends the tokens of a block that begins where the token at index does, from the first
// one that both have at the same place, and reports whether there is one.
func (j *joined) join(index int, ids []uint32, lengths []uint8) bool {
	if index == 0 && len(j.ids) == 0 {
		j.ids, j.lengths = append(j.ids, ids...), append(j.lengths, lengths...)
		return true
	}
	place, next := 0, 0 // where the token at index and the next one of the block begin
	for index < len(j.ids) && len(ids) > 0 {
		switch {
		case place == next && j.ids[index] == ids[0]:
			j.ids, j.lengths = append(j.ids[:index], ids...), append(j.lengths[:index], lengths...)
			return true
		case place <= next:
			place += int(j.lengths[index])
			index++
		default:
			next += int(lengths[0])
			ids, lengths = ids[1:], lengths[1:]
		}
	}
	return false
}
