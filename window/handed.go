package window

import (
	"slices"

	"ctxledger.dev/tokens"
)

// Handed is what another agent handed to the reader of a view.
type Handed struct {
	Seq    int64 // its entry in the log
	Text   string
	Tokens int // o200k_base, as a message
}

// NewHanded returns what an entry hands over.
func NewHanded(seq int64, text string) Handed {
	return Handed{seq, text, tokens.Framing + textTokens(text)}
}

// with returns the view with what was handed to its reader, each text as a message of its own behind what was said before, or
// behind the first message that is left. It stands between no call and its results.
func (v View) with(handed []Handed) View {
	if len(handed) == 0 || len(v.Slots) == 0 {
		return v
	}
	v.Slots = slices.Clone(v.Slots)
	for _, h := range handed {
		if v.Active(int(h.Seq) - 1) { // sequence numbers have no gaps
			v.put(h)
		}
	}
	return v
}

// put puts a text of ours into a view whose slots are its own.
func (v *View) put(h Handed) {
	at := min(v.Head(), len(v.Slots)-1)
	for i := at; i < len(v.Slots) && v.Slots[i].Seqs[0] < h.Seq; i++ {
		at = i
	}
	for at+1 < len(v.Slots) && v.Slots[at+1].Answers {
		at++
	}
	s := &v.Slots[at]
	if s.Open {
		return // the results are on their way
	}
	if s.After != "" {
		s.After += "\n\n"
	}
	s.After += h.Text
	s.Tokens, s.Fill = s.Tokens+h.Tokens, s.Fill.With(User, h.Tokens)
	v.Tokens, v.Fill = v.Tokens+h.Tokens, v.Fill.With(User, h.Tokens)
}
