package upkeep

import (
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/transcript"
)

// Bounds of a residue.
const (
	residueWindow = 8       // bytes of a secret by which a piece of it is known again
	residueBytes  = 1 << 20 // of the secrets that are remembered; what more there is, masks alone have to find
)

// residue takes secrets, and pieces of them, out of a text that was made from exact words: there they may stand
// without what shows that they are some.
type residue struct {
	masks   *redact.Redactor
	windows map[string]bool
	short   map[string]bool // whole secrets shorter than a window
	room    int
}

func newResidue(masks *redact.Redactor) *residue {
	return &residue{masks: masks, windows: map[string]bool{}, short: map[string]bool{}, room: residueBytes}
}

// learn remembers the secrets of a message.
func (r *residue) learn(m transcript.Message) {
	for _, p := range m.Parts {
		for _, text := range []string{p.Text, p.Name, string(p.Args)} {
			for _, s := range r.masks.Find([]byte(text)) {
				r.add(text[s.Start:s.End])
			}
		}
	}
}

func (r *residue) add(secret string) {
	if r.room -= len(secret); r.room < 0 {
		return
	}
	if len(secret) < residueWindow {
		r.short[secret] = true
	}
	for i := 0; i+residueWindow <= len(secret); i++ {
		r.windows[secret[i:i+residueWindow]] = true
	}
}

// pieceMask stands for what was known again.
const pieceMask = "[masked:secret:00000000]"

// String returns a text without the secrets that are known and those that show themselves.
func (r *residue) String(text string) string {
	text = r.masks.String(text)
	var out []byte
	from := 0
	for i := 0; i < len(text); {
		n := r.at(text, i)
		if n == 0 {
			i++
			continue
		}
		out = append(append(out, text[from:i]...), pieceMask...)
		i += n
		from = i
	}
	if out == nil {
		return text
	}
	return string(append(out, text[from:]...))
}

// at returns the length of the piece of a secret that stands at i, 0 for none.
func (r *residue) at(text string, i int) int {
	end := i
	for j := i; j <= end && j+residueWindow <= len(text); j++ {
		if r.windows[text[j:j+residueWindow]] {
			end = j + residueWindow
		}
	}
	if end > i && !r.windows[text[i:i+residueWindow]] {
		return 0
	}
	for s := range r.short {
		if len(s) > end-i && len(text)-i >= len(s) && text[i:i+len(s)] == s {
			end = i + len(s)
		}
	}
	return end - i
}
