package report

import "sort"

// window is the context of one thread: its pieces in the order in which a model reads them. Each request
// charges all pieces, at rates that depend on where they stand. To make that cheap a charge of a range is
// noted at the range's last piece alone and handed on to the one below when that piece leaves, so that a
// request costs the logarithm of the window's size, however large it is.
type window struct {
	pieces  []held
	entries []mark         // what brought them, and what brought nothing, in order
	known   map[uint64]int // how many pieces there were after an entry
}

// mark says how many pieces there were after an entry.
type mark struct {
	entry uint64
	end   int
}

// held is a piece in a window.
type held struct {
	piece   owned
	weight  float64 // estimated tokens
	end     float64 // weight of all pieces up to this one
	own     float64 // dollars charged to it alone
	pending charge  // of this piece and all below it
}

// charge is what requests charge for each token of weight.
type charge struct {
	requests float64 // a whole number
	sent     float64 // tokens
	dollars  float64
}

func (c charge) plus(d charge) charge {
	return charge{c.requests + d.requests, c.sent + d.sent, c.dollars + d.dollars}
}

// weight returns the estimated tokens of the first n pieces.
func (w *window) weight(n int) float64 {
	if n == 0 {
		return 0
	}
	return w.pieces[n-1].end
}

// push puts a piece at the end.
func (w *window) push(weight float64, p owned) {
	w.pieces = append(w.pieces, held{piece: p, weight: weight, end: w.weight(len(w.pieces)) + weight})
}

// cut takes out the pieces from the nth on, the last one first, and pays each out.
func (w *window) cut(n int) {
	for i := len(w.pieces) - 1; i >= n; i-- {
		h := w.pieces[i]
		if i > 0 {
			w.pieces[i-1].pending = w.pieces[i-1].pending.plus(h.pending)
		}
		h.piece.pay(h.pending.requests, h.pending.sent*h.weight, h.own+h.pending.dollars*h.weight)
	}
	w.pieces = w.pieces[:n]
}

// add charges all pieces in [from, to).
func (w *window) add(from, to int, c charge) {
	if from >= to {
		return
	}
	last := &w.pieces[to-1].pending
	*last = last.plus(c)
	if from > 0 {
		below := &w.pieces[from-1].pending
		*below = below.plus(charge{-c.requests, -c.sent, -c.dollars})
	}
}

// carry charges a request that sent the first n pieces, each token of weight as so many of the provider's.
func (w *window) carry(n int, scale float64) { w.add(0, n, charge{requests: 1, sent: scale}) }

// pay charges dollars for each token of weight in [from, to) of the first n pieces, which may begin and end inside a
// piece.
func (w *window) pay(n int, from, to, dollars float64) {
	to = min(to, w.weight(n))
	if from >= to {
		return
	}
	first, last := w.at(from), w.at(to)
	if first == last {
		w.pieces[first].own += (to - from) * dollars
		return
	}
	w.pieces[first].own += (w.pieces[first].end - from) * dollars
	w.add(first+1, last, charge{dollars: dollars})
	if last < len(w.pieces) {
		h := &w.pieces[last]
		h.own += (to - (h.end - h.weight)) * dollars
	}
}

// at returns the piece that a token of weight belongs to.
func (w *window) at(weight float64) int {
	return sort.Search(len(w.pieces), func(i int) bool { return w.pieces[i].end > weight })
}

// note notes that all of an entry's pieces are there.
func (w *window) note(entry uint64) {
	if w.known == nil {
		w.known = map[uint64]int{}
	}
	w.known[entry] = len(w.pieces)
	w.entries = append(w.entries, mark{entry, len(w.pieces)})
}

// position returns how many pieces there were after an entry, and whether it is known.
func (w *window) position(entry uint64) (int, bool) {
	n, ok := w.known[entry]
	return n, ok
}

// back takes back all that came after an entry that is known.
func (w *window) back(entry uint64) {
	for i := len(w.entries) - 1; w.entries[i].entry != entry; i-- {
		delete(w.known, w.entries[i].entry)
		w.entries = w.entries[:i]
	}
	w.cut(w.entries[len(w.entries)-1].end)
}

// clear takes out all pieces and forgets what brought them.
func (w *window) clear() {
	w.cut(0)
	w.entries, w.known = nil, nil
}
