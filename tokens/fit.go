package tokens

import "unicode/utf8"

// Fit returns the end of the longest part of the text that starts at from, ends at a border of
// characters and has at most budget tokens, and the number of its tokens. Positions are taken as
// by Count; from itself is returned where nothing fits.
//
// A longer part may have fewer tokens than a shorter one, which cuts a word in two. Longest means
// that no part with an end behind the one returned fits. Only where the budget runs out in a
// stretch of more than 256 bytes without safe points, it means that the part with one more
// character does not fit.
func (x *Index) Fit(from, budget int) (end, n int) {
	if x.size == 0 {
		return 0, 0
	}
	l, from := x.border(from)
	if from == x.size || budget <= 0 {
		return from, 0
	}
	budget = min(budget, 3*x.size) // no byte has more: that is U+FFFD for an invalid one
	t := x.encoding.tokenizer()
	w := t.worker()
	defer t.release(w)

	next := from // the first safe point, from where on counts add up
	if from > l.at {
		next = l.at + l.safeAfter(from-l.at, len(l.text))
		if n = l.countStretch(w, from-l.at, next-l.at); n > budget {
			end, n = l.fitStretch(w, from-l.at, next-l.at, budget)
			return l.at + end, n
		}
	}
	last := l.before + l.countBefore(w, next-l.at) + budget - n // of the tokens of the text that fit
	if last >= x.tokens {
		return x.size, budget - (last - x.tokens)
	}
	l = x.byToken(last)
	end, n = l.fit(w, last-l.before)
	return l.at + end, budget - (last - l.before - n)
}

// fit returns the end of the longest part at the start of a leaf that has at most budget tokens,
// which is fewer than the leaf has, and the number of its tokens.
func (l *leaf) fit(w *worker, budget int) (end, n int) {
	start, next := l.straddling(w, budget)
	n = l.countBefore(w, start)
	end, more := l.fitStretch(w, start, next, budget-n)
	return end, n + more
}

// straddling returns the last safe point with at most budget tokens before it, and the next one.
// The ends of the leaf count as safe points.
func (l *leaf) straddling(w *worker, budget int) (start, next int) {
	if l.ends == nil {
		for next = l.safeAfter(0, len(l.text)); w.count(l.text[:next]) <= budget; {
			start, next = next, l.safeAfter(next, len(l.text))
		}
		return start, next
	}
	first := l.ends.nth(budget) // the first byte of which the token does not fit
	start = min(first+utf8.UTFMax, len(l.text))
	for start > first {
		start = l.safeBefore(0, start)
	}
	return start, l.safeAfter(start, len(l.text))
}

// fitStretch is fit for a stretch without safe points, from from to before to, which has more
// than budget tokens.
func (l *leaf) fitStretch(w *worker, from, to, budget int) (end, n int) {
	if to-from > longPiece {
		return l.bisect(w, from, to, budget)
	}
	for end = to - 1; end > from; end-- {
		if inside(l.text, end) {
			continue
		}
		if n = w.count(l.text[from:end]); n <= budget {
			return end, n
		}
	}
	return from, 0
}

// bisect is fitStretch for a long stretch. It looks near the place where the tokens of the whole
// stretch exceed the budget first, and then by halves.
func (l *leaf) bisect(w *worker, from, to, budget int) (end, n int) {
	fits := func(i int) bool {
		c := l.countStretch(w, from, i)
		if c <= budget {
			end, n = i, c
			return true
		}
		to = i
		return false
	}
	end = from
	middle, step := from, 0
	if l.ends != nil {
		middle, step = l.ends.nth(l.ends.count(0, from)+budget), 16
	}
	for {
		if step == 0 || middle <= end || middle >= to {
			middle, step = end+(to-end)/2, 0
		}
		for middle > end && inside(l.text, middle) {
			middle--
		}
		if middle == end {
			for middle++; middle < to && inside(l.text, middle); {
				middle++
			}
			if middle == to {
				return end, n
			}
		}
		if fits(middle) {
			middle += step
		} else {
			middle -= step
		}
		step *= 2
	}
}

// inside reports whether i is inside a character of text, which is valid
// UTF-8 there.
func inside(text []byte, i int) bool { return charStart(text, i) != i }

// charStart returns the start of the character that i is inside of, or else i.
func charStart(text []byte, i int) int {
	for at := i - 1; at >= 0 && i < len(text) && at > i-utf8.UTFMax && !utf8.RuneStart(text[at+1]); at-- {
		if _, n := utf8.DecodeRune(text[at:]); at+n > i {
			return at
		}
	}
	return i
}
