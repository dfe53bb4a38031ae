package window

import (
	"slices"

	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// slot finishes a draft: it counts, notes the stubs of results that became artifacts, and the recorded edits.
func (d *draft) slot(edits editSet) Slot {
	f := d.first()
	if d.note != nil {
		return d.collapsed(edits)
	}
	s := Slot{
		Role: f.Role, Format: f.Format, Turn: f.Turn, Compacted: isCompacted(f),
		DropCalls: d.drop, TextOnly: d.texts, KeepResults: d.keep, AddResults: d.add,
		Open: len(d.openCalls()) > 0, Answers: d.results,
	}
	if d.results && !d.onlyTools() {
		s.Role = transcript.RoleUser
	}
	var shown map[string]int // results so far, by call; only where some are left out
	if len(d.keep) > 0 {
		shown = map[string]int{}
	}
	gone := false
	for _, e := range d.entries {
		s.Seqs = append(s.Seqs, e.Seq)
		s.Prompt = s.Prompt || e.Prompt
		if e.Forgotten != nil {
			gone = true
			continue
		}
		s.Tokens += e.Tokens
		if d.texts {
			s.Tokens += frameTokens + wordTokens(e) - e.Reasoning - e.Tokens
			s.shorten(edits, editKey{e.Seq, "", PartWords}, wordTokens(e))
			continue
		}
		if len(edits) > 0 {
			s.shorten(edits, editKey{e.Seq, "", PartWords}, wordTokens(e))
		}
		for _, c := range e.Calls {
			if slices.Contains(d.drop, c.ID) {
				s.Tokens -= c.Tokens
			} else {
				s.shorten(edits, editKey{e.Seq, c.ID, PartArguments}, c.Tokens)
			}
		}
		for _, r := range e.Results {
			keep, limited := d.keep[r.CallID]
			if limited {
				shown[r.CallID]++
			}
			switch {
			case limited && shown[r.CallID] > keep:
				s.Tokens -= r.Tokens
			case s.shorten(edits, editKey{e.Seq, r.CallID, PartResult}, r.Tokens):
			case r.Artifact != "":
				s.Tokens += r.StubTokens - r.Tokens
				if s.Stubs == nil {
					s.Stubs = map[string]string{}
				}
				s.Stubs[r.CallID] = r.Artifact
			}
		}
	}
	s.Tokens = max(0, s.Tokens)
	if len(edits) > 0 {
		s.follow(edits)
	}
	s.Edited = gone || d.texts || len(s.Seqs) > 1 || len(s.Stubs)+len(s.DropCalls)+len(s.KeepResults)+
		len(s.AddResults)+len(s.Shortened) > 0
	return s
}

// shorten notes the recorded edit of a part, if there is one, and counts what is shown instead.
func (s *Slot) shorten(edits editSet, at editKey, tokens int) bool {
	e, edited := edits[at]
	if edited {
		s.Shortened = append(s.Shortened, e)
		s.Tokens += e.Tokens - tokens
	}
	return edited
}

// wordTokens is what the words, the reasoning and the images of an entry take.
func wordTokens(e *sessions.Entry) int {
	n := e.Tokens - frameTokens
	for _, c := range e.Calls {
		n -= c.Tokens
	}
	for _, r := range e.Results {
		n -= r.Tokens
	}
	return max(n, 0)
}
