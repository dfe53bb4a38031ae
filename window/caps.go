package window

import (
	"strings"

	"ctxledger.dev/transcript"
)

// tailFrom is the limit from which a cut keeps the end as well, three tenths of it: errors are printed there.
const tailFrom = 1_000

// capResults bounds results, for each tool by itself.
func capResults(s *scene) (out []Edit) {
	for i := range s.acts {
		a := &s.acts[i]
		limit, own := s.policy.ResultCharsOf[strings.ToLower(a.Name)]
		if !own {
			limit = s.policy.ResultChars
		}
		if limit > 0 && a.result != nil && !a.resultEdited && a.result.Chars > limit {
			out = append(out, s.cut(a, bounded(limit, markFilter))...)
		}
	}
	return out
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

// shortenWords proposes to cut the words of an answer that are longer than the edit leaves.
func (s *scene) shortenWords(slot int, e Edit) (out []Edit) {
	d := s.drafts[slot]
	if s.slots[slot].Role != transcript.RoleAssistant || d.note != nil {
		return nil
	}
	for _, entry := range d.entries {
		_, edited := s.edits[editKey{entry.Seq, "", PartWords}]
		if edited || entry.Forgotten != nil || entry.Chars <= e.Head+e.Tail {
			continue
		}
		e.Seq, e.Part, e.Before = entry.Seq, PartWords, wordTokens(entry)
		e.Tokens = textTokens(e.Text) + e.Before*(e.Head+e.Tail)/entry.Chars
		out = append(out, smaller(e)...)
	}
	return out
}
