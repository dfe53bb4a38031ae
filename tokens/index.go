package tokens

import "sort"

// Index counts the tokens of any part of a text without reading the rest, and follows edits.
//
// An Index never changes: Replace returns another one, which shares with it all but what the
// edit touched. So answers may be given from one while the next is made, from any number of
// goroutines, without locks.
//
// All counts are exact: they equal Encoding.Count of the bytes in question. What they cost
// depends on the safe points of the text (safe.go). In source and in prose the next one is a
// few bytes away: a count then takes less than a microsecond and an edit a few, at one
// megabyte (make bench). A stretch without safe points, such as a megabyte of one letter or of
// Chinese without punctuation, is scanned from the safe point before the place in question to
// the one behind it, or to the end of the range, which takes milliseconds a megabyte. It is not
// merged again, but for a few hundred bytes around the ends of the range or the edit. In runs
// that repeat themselves, such as one letter, that may be all of the piece: the price is never
// more than that of counting the stretch outright.
//
// Beside the text, an Index takes about 0.2 bytes for each of its bytes.
type Index struct {
	encoding *Encoding
	leaves   []placed // of at least one byte each, in the order of the text
	size     int      // bytes
	tokens   int
}

// placed is a leaf with what lies before it in the text: at bytes and before tokens.
type placed struct {
	at, before int
	*leaf
}

// Index returns the index of text, which it keeps and which must not change any more. Large
// texts are read by up to GOMAXPROCS goroutines; all have ended when it returns.
func (e *Encoding) Index(text []byte) *Index {
	x := &Index{encoding: e}
	x.append(e.build(text, workersFor(text))...)
	return x
}

// append adds leaves at the end.
func (x *Index) append(leaves ...*leaf) {
	for _, l := range leaves {
		x.leaves = append(x.leaves, placed{x.size, x.tokens, l})
		x.size += len(l.text)
		x.tokens += l.tokens
	}
}

// Len returns the length of the text in bytes.
func (x *Index) Len() int { return x.size }

// Count returns the number of tokens of the bytes from from to before to: what Encoding.Count
// gives for them. Positions beyond the ends of the text stand for its ends, those inside a
// character for its start; the count is 0 where to does not lie behind from.
func (x *Index) Count(from, to int) int {
	from, to = x.border(from), x.border(to)
	if from >= to {
		return 0
	}
	t := x.encoding.tokenizer()
	w := t.worker()
	defer t.release(w)
	return x.count(w, from, to)
}

func (x *Index) count(w *worker, from, to int) int {
	first, last := x.find(from), x.find(to)
	if first == last {
		l := x.leaves[first]
		return l.count(w, from-l.at, to-l.at)
	}
	a, b := x.leaves[first], x.leaves[last]
	return a.count(w, from-a.at, len(a.text)) + b.before - x.leaves[first+1].before + b.count(w, 0, to-b.at)
}

// find returns the number of the leaf in which position i lies, or the last one for the end of
// the text. There must be one.
func (x *Index) find(i int) int {
	return sort.Search(len(x.leaves)-1, func(k int) bool { return x.leaves[k+1].at > i })
}

// border returns i, brought into the text and to the start of the character that it lies in.
func (x *Index) border(i int) int {
	if i <= 0 || i >= x.size {
		return max(0, min(i, x.size))
	}
	l := x.leaves[x.find(i)]
	return l.at + charStart(l.text, i-l.at)
}
