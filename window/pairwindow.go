package window

import (
	"fmt"
	"strings"

	"ctxledger.dev/intents"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/sessions"
)

// keptUnits returns how many of g units stay under a bound of n. A quarter of n goes at once, at least, so that the
// provider's cache holds for as many rounds.
func keptUnits(g, n int) int {
	if g <= n {
		return g
	}
	return g - max(g-n, n/4)
}

// noteLines is how many calls a note names.
const noteLines = 100

// pairWindow collapses the oldest units into a note when there are too many. Adjacent units of one step become one
// note; notes of earlier steps stay as they are.
func pairWindow(s *scene) (out []Edit) {
	if s.policy.ToolPairs <= 0 {
		return nil
	}
	units := s.newest() + 1
	gone := units - keptUnits(units, s.policy.ToolPairs)
	if gone == 0 {
		return nil
	}
	late := s.late()
	for from := 0; from < len(s.acts) && s.acts[from].unit < gone; {
		to := from
		for to+1 < len(s.acts) && s.acts[to+1].unit < gone && s.joined(to) &&
			late[s.acts[to+1].unit] == late[s.acts[from].unit] {
			to++
		}
		if !late[s.acts[from].unit] {
			out = append(out, s.note(s.acts[from:to+1])...)
		}
		from = to + 1
	}
	return out
}

// late returns the units of which a result stands behind the message after the calls, where answers are lists of items:
// they do not end there.
func (s *scene) late() map[int]bool {
	at := map[string]int{}
	for i, d := range s.drafts {
		for id := range d.answers() {
			at[id] = i
		}
	}
	units := map[int]bool{}
	for _, a := range s.acts {
		if a.result == nil && at[a.ID] > a.slot {
			units[a.unit] = true
		}
	}
	return units
}

// joined reports whether the unit of a call ends where that of the next one begins.
func (s *scene) joined(i int) bool {
	a, b := &s.acts[i], &s.acts[i+1]
	return a.unit == b.unit || b.slot == a.slot+2
}

// note proposes to replace whole units by a note, which names the handle of all of them, and those of their results unless
// these are so short that the note would be longer.
func (s *scene) note(acts []act) []Edit {
	first, last := acts[0].slot, acts[len(acts)-1].slot+1
	if last >= len(s.slots) || acts[len(acts)-1].result == nil {
		return nil // its results are on their way
	}
	e := Edit{Part: PartRange}
	e.Seq, e.To = bounds(s.slots[first : last+1])
	for _, slot := range s.slots[first : last+1] {
		e.Before += slot.Tokens
	}
	for _, handles := range []bool{true, false} {
		e.Text = s.collapsed(acts, s.rangeHandle(e.Seq, e.To), handles)
		if e.Tokens = frameTokens + textTokens(e.Text); e.freed() > 0 {
			return []Edit{e}
		}
	}
	return nil
}

// collapsed is the text of a note. all is the handle of what it replaces.
func (s *scene) collapsed(acts []act, all string, handles bool) string {
	var b strings.Builder
	b.WriteString(kept(fmt.Sprintf(collapsedHead, len(acts)), all))
	for i := range acts {
		if i == noteLines {
			fmt.Fprintf(&b, "\n- … and %s more", chars.Commas(len(acts)-i))
			break
		}
		fmt.Fprintf(&b, "\n- %s → %s", acts[i].label(), s.outcome(&acts[i]))
		if h := acts[i].handle(); h != "" && handles {
			fmt.Fprintf(&b, " (read_artifact id %s)", h)
		}
	}
	return b.String()
}

// rangeHandle reads a range of the log back; "" where there is no ledger.
func (s *scene) rangeHandle(from, to int64) string {
	if s.Session == "" {
		return ""
	}
	return sessions.RangeHandle(s.Session, from, to)
}

// bounds returns the first and the last entry of slots.
func bounds(slots []Slot) (from, to int64) {
	from = slots[0].Seqs[0]
	for _, slot := range slots {
		for _, seq := range slot.Seqs {
			from, to = min(from, seq), max(to, seq)
		}
	}
	return from, to
}

// outcome summarises the result of a call in a few words.
func (s *scene) outcome(a *act) string {
	switch {
	case a.result == nil:
		return "no result"
	case a.Op == intents.OpShell:
		return s.ended(a) + ", " + chars.Commas(a.result.Chars) + " chars"
	case a.result.Failed:
		return "failed, " + chars.Commas(a.result.Chars) + " chars"
	}
	return "ok, " + chars.Commas(a.result.Chars) + " chars"
}
