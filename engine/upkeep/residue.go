package upkeep

import (
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/transcript"
)

// Bounds of a residue.
const (
	residueWindow = 8       // bytes of a secret by which a piece of it is recognised
	residueBytes  = 1 << 20 // of the secrets that are remembered; further ones are left to the masks alone
)

// residue removes secrets, and pieces of them, from a text that was derived from unmasked words. There a secret may lack
// the context by which the masks recognise it.
type residue struct {
	masks   *redact.Redactor
	windows map[string]bool
	short   map[string]bool // whole secrets shorter than a window
	left    int             // bytes of secrets that can still be remembered
}

func newResidue(masks *redact.Redactor) *residue {
	return &residue{masks: masks, windows: map[string]bool{}, short: map[string]bool{}, left: residueBytes}
}

// remember adds the secrets of a message.
func (r *residue) remember(m transcript.Message) {
	for _, p := range m.Parts {
		for _, text := range []string{p.Text, p.Name, string(p.Args)} {
			for _, s := range r.masks.Find([]byte(text)) {
				r.add(text[s.Start:s.End])
			}
		}
	}
}

func (r *residue) add(secret string) {
	if r.left -= len(secret); r.left < 0 {
		return
	}
	if len(secret) < residueWindow {
		r.short[secret] = true
	}
	for i := 0; i+residueWindow <= len(secret); i++ {
		r.windows[secret[i:i+residueWindow]] = true
	}
}

// pieceMask replaces a recognised piece.
const pieceMask = "[masked:secret:00000000]"

// String returns a text without the remembered secrets and those that the masks find.
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

// at returns the length of the piece of a secret at i, 0 for none.
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
