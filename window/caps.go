package window

import (
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// tailFrom is the limit from which a cut keeps the end as well, three tenths of it: errors are printed there.
const tailFrom = 1_000

// capResults bounds results, for each tool by itself.
func capResults(s *scene) (out []Edit) {
	for i := range s.acts {
		a := &s.acts[i]
		limit := s.policy.resultLimit(a)
		if limit > 0 && a.result != nil && a.result.Chars > limit && s.longer(a, limit) {
			out = append(out, s.cut(a, bounded(limit, kept(markFilter, a.handle())))...)
		}
	}
	return out
}

// resultLimit returns the bound of a call's result: that of its tool, else the widest of those for the same operation.
func (p Policy) resultLimit(a *act) int {
	limit, found := p.ResultChars, false
	for name, n := range p.ResultCharsOf {
		own, other := a.sameTool(name)
		switch {
		case own:
			return n
		case other && (!found || limit > 0 && (n == 0 || n > limit)):
			limit, found = n, true
		}
	}
	return limit
}

// longer reports whether more of a result is shown than so many characters: all of it, or what an earlier cap left.
func (s *scene) longer(a *act, limit int) bool {
	e, edited := s.edits[editKey{a.answer.Seq, a.ID, PartResult}]
	return !a.resultEdited || edited && e.Head+e.Tail > limit
}

// bounded is a cut to so many characters.
func bounded(limit int, marker string) Edit {
	e := Edit{Head: limit, Text: marker}
	if limit >= tailFrom {
		e.Tail = limit * 3 / 10
		e.Head = limit - e.Tail
	}
	return e
}

// capReplay bounds the words of answers before the newest.
func capReplay(s *scene) (out []Edit) {
	limit := s.policy.ReplayChars
	if limit <= 0 {
		return nil
	}
	for i := range s.sentSlots() {
		out = append(out, s.shortenWords(i, bounded(limit, markFilter))...)
	}
	return out
}

// userPreview is how many characters stay of a user's message that is too large, half of them from its end.
const userPreview = 4_000

// capUser bounds the user's messages: what is pasted whole is kept whole, but not in every request. Of a message in
// several parts those stay that are less than a tenth of the bound: the request is often beside what was pasted.
func capUser(s *scene) (out []Edit) {
	limit := s.policy.UserChars
	if limit <= 0 {
		return nil
	}
	half := min(userPreview, limit) / 2
	for _, d := range s.drafts {
		if d.note != nil {
			continue
		}
		for _, entry := range d.entries {
			if entry.Prompt && entry.Chars > limit {
				out = append(out, s.shortenEntry(entry, Edit{
					Head: half, Tail: half, Over: max(limit/10, 2*half), Text: large(entry),
				})...)
			}
		}
	}
	return out
}

// shortenWords proposes to cut the words of an answer that are longer than the edit leaves.
func (s *scene) shortenWords(slot int, e Edit) (out []Edit) {
	d := s.drafts[slot]
	if s.slots[slot].Role != transcript.RoleAssistant || d.note != nil {
		return nil
	}
	for _, entry := range d.entries {
		if entry.Chars > e.Head+e.Tail {
			with := e
			with.Text = kept(e.Text, entry.Handle())
			out = append(out, s.shortenEntry(entry, with)...)
		}
	}
	return out
}

// shortenEntry proposes to cut the words of one entry, unless they were cut before.
func (s *scene) shortenEntry(entry *sessions.Entry, e Edit) []Edit {
	_, edited := s.edits[editKey{entry.Seq, "", PartWords}]
	if edited || entry.Forgotten != nil {
		return nil
	}
	e.Seq, e.Part, e.Before = entry.Seq, PartWords, wordTokens(entry)
	e.Tokens = textTokens(e.Text) + e.Before*(e.Head+e.Tail)/entry.Chars
	return smaller(e)
}
