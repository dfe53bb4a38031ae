package window

import (
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// hostCut is where the host itself replaced what came before by a summary. What it keeps verbatim follows the summary.
type hostCut struct {
	seq  int64           // of the summary; 0: the host has not compacted
	kept map[string]bool // ids of the host
}

// hostCutOf returns the newest compaction of the host on a path.
func hostCutOf(path []*sessions.Entry) (cut hostCut) {
	const near = 10 // entries between the note of the compaction and its summary
	for i := len(path) - 1; i >= 0; i-- {
		if !path[i].HostSummary() {
			continue
		}
		cut = hostCut{seq: path[i].Seq, kept: map[string]bool{}}
		for k := i; k >= max(0, i-near) && (k == i || !path[k].HostSummary()); k-- {
			if said := path[k].Cut; said != nil {
				for _, id := range said.Kept {
					cut.kept[id] = true
				}
				break
			}
		}
		return cut
	}
	return cut
}

// Held says what of a log is in the host's window now.
type Held struct {
	log     []sessions.Entry
	path    View // the active one
	cut     hostCut
	cleared map[string]int
}

// HeldOf returns what of a log is in the host's window.
func HeldOf(log []sessions.Entry) Held {
	path := activePath(log)
	view := View{path: path.runs}
	return Held{log, view, hostCutOf(path.entries(0)), view.Cleared(log)}
}

// Cleared returns the results that the host has taken out of its own window, by their calls, with the o200k_base tokens of what
// is in their place. The view itself has them. The log is the one that the view is of.
func (v View) Cleared(log []sessions.Entry) map[string]int {
	cleared := map[string]int{}
	for i := range log {
		for _, c := range log[i].Cleared {
			if v.Active(i) {
				cleared[c.Call] = c.Tokens
			}
		}
	}
	return cleared
}

// Left reports whether the host has gone back to before the entry at an index.
func (h Held) Left(i int) bool { return !h.path.Active(i) }

// Has reports whether the window has the entry at an index: the host has neither gone back to before it, nor compacted since.
func (h Held) Has(i int) bool {
	return !h.Left(i) && (h.log[i].Seq >= h.cut.seq || h.cut.kept[h.log[i].HostID])
}

// HasResult reports whether the window has the result of a call in the entry at an index: Has, and it was not cleared.
func (h Held) HasResult(i int, call string) bool {
	_, cleared := h.cleared[call]
	return !cleared && h.Has(i)
}

// size returns the tokens of what the host kept of a path.
func (c hostCut) size(path []*sessions.Entry) (n int) {
	for _, e := range path {
		if e.Seq < c.seq && c.kept[e.HostID] && isShown(e) {
			n += e.Tokens
		}
	}
	return n
}

// behindHost returns what the host holds of a path: leading system messages, its summary, what it kept, and what came
// after the summary.
func behindHost(path []*sessions.Entry, cut hostCut) []*sessions.Entry {
	var out, kept []*sessions.Entry
	begun := false // by a message that is not of the system
	for _, e := range path {
		if e.Seq == cut.seq {
			out = append(append(out, e), kept...)
			continue
		}
		if !isShown(e) {
			continue
		}
		begun = begun || e.Role != transcript.RoleSystem
		switch {
		case e.Seq > cut.seq, !begun:
			out = append(out, e)
		case cut.kept[e.HostID]:
			kept = append(kept, e)
		}
	}
	return out
}
