package tokens

// Index counts the tokens of any part of a text without reading the rest, and follows edits.
//
// An Index never changes: Replace returns another one, which shares with it all but what the
// edit touched. So answers may be given from one while the next is made, from any number of
// goroutines, without locks.
//
// All counts are exact: they equal Encoding.Count of the bytes in question. What they cost
// depends on the safe points of the text (safe.go). In source and in prose, and in base64 too,
// the next one is a few bytes away: a count then takes about half a microsecond and an edit two
// or three, at one megabyte (lab/benchmark). A stretch without safe points, such as a
// megabyte of Chinese without punctuation, is scanned from the place in question to the next one
// or to the end of the range, and after an edit as a whole, which takes one to a few milliseconds
// a megabyte. It is not merged again but for some tens of bytes around the ends of the range or
// the edit. In runs that repeat themselves, such as one letter, the tokens seldom fall into step:
// there a count or an edit costs what counting the stretch outright does, tens of milliseconds a
// megabyte.
//
// Besides the text, an Index takes about a quarter of a byte for each of its bytes.
type Index struct {
	encoding *Encoding
	list
}

// Index returns the index of text, which it keeps and which must not change any more. Large
// texts are read by up to GOMAXPROCS goroutines; all have ended when it returns.
func (e *Encoding) Index(text []byte) *Index {
	return &Index{e, newList(e.build(text, workersFor(text)))}
}

// Len returns the length of the text in bytes.
func (x *Index) Len() int { return x.size }

// Count returns the number of tokens of the bytes from from to before to: what Encoding.Count
// gives for them. Positions beyond the ends of the text count as its ends, those inside a
// character for its start; the count is 0 where to does not lie behind from.
func (x *Index) Count(from, to int) int {
	if from >= to || x.size == 0 {
		return 0
	}
	a, from := x.border(from)
	b, to := x.border(to)
	t := x.encoding.tokenizer()
	w := t.worker()
	defer t.release(w)
	if a.leaf == b.leaf {
		return a.count(w, from-a.at, to-a.at)
	}
	return a.count(w, from-a.at, len(a.text)) + b.before - (a.before + a.tokens) + b.count(w, 0, to-b.at)
}

// border returns position i, brought into the text and to the start of the character that it is
// inside of, and the leaf that it is in.
func (x *Index) border(i int) (placed, int) {
	i = max(0, min(i, x.size))
	l := x.byByte(i)
	return l, l.at + charStart(l.text, i-l.at)
}
