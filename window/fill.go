package window

import (
	"slices"

	"ctxledger.dev/transcript"
)

// Content is what a part of a view is.
type Content int

// The kinds of content.
const (
	User   Content = iota
	Loaded         // what the host put into the conversation
	Assistant
	System
	Calls
	Results
	Stubs     // for results that were kept out from the start
	Shortened // results that an edit shows less of
	Collapsed // notes that replace ranges
	Manifests // of what was evicted
	Summary   // of what was compacted: by the host, or by us, which no slot has, see Fill.With
	contents
)

// String returns the name of a kind of content, as people read it.
func (c Content) String() string {
	if c < 0 || c >= contents {
		return ""
	}
	return [contents]string{
		"user", "added by the agent", "assistant", "system", "tool calls", "tool results", "artifact stubs",
		"shortened results", "collapsed calls", "list of removed results", "summary",
	}[c]
}

// Fill is what fills a view, in o200k_base tokens by kind of content.
type Fill [contents]int

// Total returns the tokens of all kinds together.
func (f Fill) Total() (n int) {
	for _, part := range f {
		n += part
	}
	return n
}

// Kinds returns the kinds of content that are there, in order.
func (f Fill) Kinds() (kinds []Content) {
	for c, n := range f {
		if n > 0 {
			kinds = append(kinds, Content(c))
		}
	}
	return kinds
}

// With returns the fill with more of one kind.
func (f Fill) With(c Content, tokens int) Fill {
	f[c] += tokens
	return f
}

// plus returns the sum of two fills.
func (f Fill) plus(o Fill) Fill {
	for c, n := range o {
		f[c] += n
	}
	return f
}

// fill splits the tokens of the slot made of a draft by kind of content. They add up to the slot's Tokens: what is
// not shown, such as a dropped call or a forgotten result, is not included, and the rest counts as words. stubbed
// is how much larger the results would be without their stubs.
func (d *draft) fill(s *Slot, edits editSet) (f Fill, stubbed int) {
	rest := s.Tokens
	take := func(c Content, n int) {
		n = max(0, min(n, rest))
		f[c] += n
		rest -= n
	}
	if len(edits) > 0 {
		for _, seq := range s.Seqs {
			take(Manifests, edits[editKey{seq, "", PartManifest}].Tokens)
		}
	}
	if d.note != nil {
		take(Collapsed, rest)
		return f, 0
	}
	if !d.texts {
		stubbed = d.takeTools(edits, take)
	}
	for _, e := range d.entries {
		if e.HostSummary() {
			take(Summary, e.Tokens)
		}
	}
	if d.first().Loaded {
		take(Loaded, rest)
	}
	take(contentOf(s.Role), rest)
	return f, stubbed
}

// takeTools takes the calls and results that a draft shows, and returns what stubs save.
func (d *draft) takeTools(edits editSet, take func(Content, int)) (stubbed int) {
	var shown map[string]int // results so far, by call; only where some are left out
	if len(d.keep) > 0 {
		shown = map[string]int{}
	}
	for _, e := range d.entries {
		for _, c := range callsOf(e) {
			if slices.Contains(d.drop, c.ID) {
				continue
			}
			if edit, edited := edits[editKey{e.Seq, c.ID, PartArguments}]; edited {
				c.Tokens = edit.Tokens
			}
			take(Calls, c.Tokens)
		}
		for _, r := range resultsOf(e) {
			if keep, limited := d.keep[r.CallID]; limited {
				if shown[r.CallID]++; shown[r.CallID] > keep {
					continue
				}
			}
			switch edit, edited := edits[editKey{e.Seq, r.CallID, PartResult}]; {
			case edited:
				take(Shortened, edit.Tokens)
			case r.Artifact != "":
				take(Stubs, r.StubTokens)
				stubbed += r.Tokens - r.StubTokens
			default:
				take(Results, r.Tokens)
			}
		}
	}
	return stubbed
}

// contentOf returns the kind of content that the words of a role are.
func contentOf(r transcript.Role) Content {
	switch r {
	case transcript.RoleUser:
		return User
	case transcript.RoleAssistant:
		return Assistant
	case transcript.RoleSystem:
		return System
	}
	return Results
}
