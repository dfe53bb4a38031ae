package tokens

// The tokens of short pieces are remembered as well, apart from their numbers: most workers only
// count, and have no such slots.
const (
	encodedBits = 17 // log2 of the slots: 4 MiB
	maxEncoded  = 4  // tokens in a slot
)

// encodedSlot holds a piece, as a shortSlot does, and its tokens.
type encodedSlot struct {
	shortSlot
	ids [maxEncoded]uint32
}

// appendTokens appends the tokens of text to dst.
func (w *worker) appendTokens(dst []uint32, text []byte) []uint32 {
	if w.encoded == nil {
		w.encoded = new([1 << encodedBits]encodedSlot)
	}
	for start := 0; start < len(text); {
		for _, end := range w.cut(w.tokenizer, text, start) {
			if end-start > maxShortKey || start+16 > len(text) {
				dst = append(dst, w.merge(text[start:end])...)
				start = end
				continue
			}
			key := shortKey((*[16]byte)(text[start:]), end-start)
			slot := &w.encoded[key.index()&(1<<encodedBits-1)]
			switch {
			case !slot.holds(key):
				dst = append(dst, w.mergeInto(slot, key, text[start:end])...)
			case slot.high>>countShift == 1:
				dst = append(dst, slot.ids[0])
			default:
				dst = append(dst, slot.ids[:slot.high>>countShift]...)
			}
			start = end
		}
	}
	return dst
}

// mergeInto returns the tokens of a piece, valid until the next call, and keeps them in the slot
// where they fit.
func (w *worker) mergeInto(slot *encodedSlot, key shortSlot, piece []byte) []uint32 {
	ids := w.merge(piece)
	if len(ids) <= maxEncoded {
		slot.shortSlot = shortSlot{key.low, key.high | uint64(len(ids))<<countShift}
		copy(slot.ids[:], ids)
	}
	return ids
}
