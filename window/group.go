package window

import (
	"slices"

	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// draft is a message in the making.
type draft struct {
	entries []*sessions.Entry
	results bool // it carries results
	drop    []string
	keep    map[string]int
	add     []transcript.Part
	texts   bool  // only the texts of its entries are shown
	note    *Edit // replaces the whole draft, whose entries are all those that it replaces
}

func (d *draft) first() *sessions.Entry { return d.entries[0] }

// group joins records to messages: records of one group and role that follow each other, and results
// that follow each other, since a provider wants all results of a message's calls in the next one.
// A host that writes records as they come may write a result in front of the rest of the message that
// asked for it: such a record joins its message, and its results the results. Words behind a result answer it, whatever
// their group: earlier versions gave all answers of some gateways one. What the host loaded stands behind the message that
// it came within.
func group(entries []*sessions.Entry) []*draft {
	made, out := make([]draft, len(entries)), make([]*draft, 0, len(entries)) // two allocations, not two for each
	loaded := 0                                                               // drafts at the end that it loaded
	for i, e := range entries {
		n := len(out) - loaded
		switch d := owner(out[:n], e); {
		case d == nil:
			made[i] = draft{entries: entries[i : i+1 : i+1], results: carriesResults(e)}
			if !made[i].results {
				n = len(out)
			}
			out = slices.Insert(out, n, &made[i])
			switch {
			case e.Loaded:
				loaded++
			case !made[i].results:
				loaded = 0
			}
		case !d.repeats(e):
			d.entries = append(d.entries, e)
		}
	}
	return out
}

// owner returns the draft that an entry belongs to, nil if it begins a new message.
func owner(drafts []*draft, e *sessions.Entry) *draft {
	n := len(drafts)
	if n == 0 {
		return nil
	}
	last := drafts[n-1]
	switch {
	case carriesResults(e):
		if last.results && last.first().Format == e.Format {
			return last
		}
	case last.sameMessage(e) || last.goesOn(e):
		return last
	case e.Role == transcript.RoleAssistant && e.Chars == 0 && n > 1 && last.onlyTools() && drafts[n-2].sameMessage(e):
		return drafts[n-2]
	}
	return nil
}

func (d *draft) sameMessage(e *sessions.Entry) bool {
	f := d.first()
	return !d.results && e.Group != "" && f.Group == e.Group && f.Role == e.Role && f.Format == e.Format
}

// goesOn reports whether a record is the next item of an answer that is a list of items.
func (d *draft) goesOn(e *sessions.Entry) bool {
	f := d.first()
	if isCompacted(f) || isCompacted(e) {
		return false // it stays in front of every summary, by itself
	}
	return !d.results && e.Role == transcript.RoleAssistant && f.Role == e.Role && f.Format == e.Format &&
		transcript.Itemised(e.Format)
}

// onlyTools reports whether all records of a draft are from tools.
func (d *draft) onlyTools() bool {
	for _, e := range d.entries {
		if e.Role != transcript.RoleTool {
			return false
		}
	}
	return true
}

// repeats reports whether a record makes calls and all of them are in the draft already: a host that
// resumes a session may write a record twice, and no provider takes two calls with one id.
func (d *draft) repeats(e *sessions.Entry) bool {
	made := map[string]bool{}
	for _, have := range d.entries {
		for _, c := range callsOf(have) {
			made[c.ID] = true
		}
	}
	for _, c := range e.Calls {
		if !made[c.ID] {
			return false
		}
	}
	return len(e.Calls) > 0
}
