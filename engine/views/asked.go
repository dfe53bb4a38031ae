package views

import "ctxledger.dev/sessions"

// asking tells those of the main conversation apart that the provider measured. Each is one answer, whatever calls of
// models it took, as in an audit. Programs that write one session at once write parts of theirs between those of others.
type asking struct {
	numbers map[string]int // by group
	n       int
}

// of returns which request an entry is the answer to, or a part of it, from 0; false for other entries.
func (r *asking) of(e *sessions.Entry) (number int, ok bool) {
	if !e.Measured() || e.Hidden || e.Copied {
		return 0, false
	}
	number, known := r.numbers[e.Group]
	if e.Group == "" || !known {
		if r.numbers == nil {
			r.numbers = map[string]int{}
		}
		number = r.n
		r.numbers[e.Group] = number
		r.n++
	}
	return number, true
}
