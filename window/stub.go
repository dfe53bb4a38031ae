package window

import "ctxledger.dev/transcript"

// slot finishes a draft: it counts, and lets stubs stand for results that became artifacts.
func (d *draft) slot() Slot {
	f := d.first()
	s := Slot{
		Role: f.Role, Format: f.Format, Turn: f.Turn,
		DropCalls: d.drop, KeepResults: d.keep, AddResults: d.add,
	}
	if d.results && !d.onlyTools() {
		s.Role = transcript.RoleUser
	}
	dropped := map[string]bool{}
	for _, id := range d.drop {
		dropped[id] = true
	}
	shown, gone := map[string]int{}, false
	for _, e := range d.entries {
		s.Seqs = append(s.Seqs, e.Seq)
		s.Prompt = s.Prompt || e.Prompt
		if e.Forgotten != nil {
			gone = true
			continue
		}
		s.Tokens += e.Tokens
		for _, c := range e.Calls {
			if dropped[c.ID] {
				s.Tokens -= c.Tokens
			}
		}
		for _, r := range e.Results {
			keep, limited := d.keep[r.CallID]
			shown[r.CallID]++
			switch {
			case limited && shown[r.CallID] > keep:
				s.Tokens -= r.Tokens
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
	s.Edited = gone || len(s.Seqs) > 1 || len(s.Stubs)+len(s.DropCalls)+len(s.KeepResults)+len(s.AddResults) > 0
	return s
}
