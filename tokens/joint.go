package tokens

// Byte-pair encoding is local: a sequence of tokens is the encoding of its bytes exactly when
// each two neighbours in it are the encoding of theirs. So a stretch of a long piece can be
// encoded on its own and put between tokens that are known, if it joins at both ends (blocks.go has
// the proof). To tell whether it does, this file needs an ordered vocabulary.

// joins reports whether left and right stay side by side when the bytes of both are merged:
// whether their bytes encode to exactly these two. It takes the last merges back one by one,
// the younger first, and looks at the two tokens that then face each other at the seam: if
// those merge, and earlier than what was taken back, the seam would have been merged over.
func (v *vocabulary) joins(left, right uint32) bool {
	splits := v.splits()
	limit := uint32(noID) // merges across the seam with a lower id would have come first
	for {
		if v.merged(left, right) < limit {
			return false
		}
		l, r := splits[left], splits[right]
		switch {
		case l.right == noID && r.left == noID:
			return true
		case r.left == noID || l.right != noID && left > right:
			limit = left // of two equal merges the left one comes first: it was this one
			left = l.right
		default:
			limit = right + 1 // and here it was the one across the seam
			right = r.left
		}
	}
}

// split is what a token is made of: two tokens, noID for both where it is a single byte, and a
// number of bytes.
type split struct {
	left, right uint32
	length      uint32
}

// splits returns the split of each token, by id. The table is made when it is first needed.
func (v *vocabulary) splits() []split {
	v.splitOnce.Do(func() { v.splitTable = v.split() })
	return v.splitTable
}

func (v *vocabulary) split() []split {
	table := make([]split, max(len(v.bytes), len(v.records)/recordSize))
	for _, id := range v.bytes {
		table[id] = split{noID, noID, 1}
	}
	for id := range len(v.records) / recordSize { // in the order of ids, since a token is made of earlier ones
		if left, right := record(v.records, id); right != noID {
			table[id] = split{left, right, table[left].length + table[right].length}
		}
	}
	return table
}
