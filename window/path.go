package window

import (
	"encoding/json"
	"slices"
	"sort"

	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// A rewind makes a log a tree: what follows continues from an earlier entry. The log is cut into
// segments, each a run of entries that continue each other, and each but the first with the point in
// an earlier segment that it continues from. The active path leads back from the last segment.

// segment is a run of the log, by index, with the point it continues from.
type segment struct {
	start int
	base  int // index of the entry that it continues from; -1: none
}

// logPath is the way through a log that is active at its end.
type logPath struct {
	log  []sessions.Entry
	runs []run // in order of the log
}

// run is a part of the active path, by index: [from, to).
type run struct {
	from, to int
}

// tree is the structure that the rewinds of a log give it, as far as it was read.
type tree struct {
	byHost map[string]int // the newest entry of a host's id
	segs   []segment
}

// add processes the entry of a log at index i, after those before it, and reports whether it rewinds.
func (t *tree) add(log []sessions.Entry, i int) bool {
	if i == 0 {
		*t = tree{byHost: make(map[string]int), segs: []segment{{start: 0, base: -1}}}
	}
	to, ok := rewindTarget(log, i, t.byHost)
	rewinds := ok && to < i-1
	if rewinds {
		t.segs = append(t.segs, segment{start: i, base: to})
	}
	if id := log[i].HostID; id != "" {
		t.byHost[id] = i
	}
	return rewinds
}

// path returns the active path of the log that was read.
func (t *tree) path(log []sessions.Entry) logPath {
	p := logPath{log: log}
	for end, s := len(log), len(t.segs)-1; end > 0; {
		p.runs = append(p.runs, run{from: t.segs[s].start, to: end})
		end = t.segs[s].base + 1
		s = sort.Search(len(t.segs), func(k int) bool { return t.segs[k].start >= end }) - 1
	}
	slices.Reverse(p.runs)
	return p
}

// activePath follows the rewinds of a log.
func activePath(log []sessions.Entry) logPath {
	var t tree
	for i := range log {
		t.add(log, i)
	}
	return t.path(log)
}

// rewindTarget returns the index of the entry after which entry i continues, if i rewinds: -1 is the
// very beginning. Only a request of the user, or an explicit record, can rewind: the results of
// parallel calls each continue from the record of their own call, so that parents alone say nothing.
func rewindTarget(log []sessions.Entry, i int, byHost map[string]int) (int, bool) {
	e := &log[i]
	switch {
	case e.Kind == sessions.KindRewind:
		var data struct {
			To *int64 `json:"to"`
		}
		if json.Unmarshal(e.Data, &data) != nil || data.To == nil {
			return 0, false // a record that cannot be read changes nothing
		}
		after := sort.Search(i, func(k int) bool { return log[k].Seq > *data.To })
		return after - 1, true
	case e.Prompt && isShown(e) && len(e.Results) == 0 && e.HostParent != "":
		parent, ok := byHost[e.HostParent]
		if !ok {
			return 0, false
		}
		return endOfUnit(log, parent, i), true
	}
	return 0, false
}

// endOfUnit returns the index of the last entry before limit that belongs to the same unit as the entry at index
// at: a rewind separates neither an answer from its other records nor a call from its results, whichever of them
// the host names as parent. Records that are never shown, or that the host loaded, do not count.
func endOfUnit(log []sessions.Entry, at, limit int) int {
	groups, calls := map[string]bool{}, map[string]bool{}
	join := func(e *sessions.Entry) {
		groups[e.Group] = e.Group != ""
		for _, c := range e.Calls {
			calls[c.ID] = true
		}
	}
	for k, found := at, false; k >= 0; k-- {
		e := &log[k]
		if !isShown(e) || e.Loaded || len(e.Results) > 0 {
			continue
		}
		if e.Role != transcript.RoleAssistant || found && !groups[e.Group] {
			break
		}
		join(e)
		found = true
	}
	end := at
	for k := at + 1; k < limit; k++ {
		e := &log[k]
		switch {
		case !isShown(e) || e.Loaded:
		case answersAny(e, calls), groups[e.Group]:
			join(e)
			end = k
		default:
			return end
		}
	}
	return limit - 1
}

func answersAny(e *sessions.Entry, calls map[string]bool) bool {
	for _, r := range e.Results {
		if calls[r.CallID] {
			return true
		}
	}
	return false
}

// entries returns the entries on the path, in order, from an index of the log on.
func (p logPath) entries(start int) []*sessions.Entry {
	out := make([]*sessions.Entry, 0, len(p.log)-start)
	for _, r := range p.runs {
		for i := max(r.from, start); i < r.to; i++ {
			out = append(out, &p.log[i])
		}
	}
	return out
}

// behind reports whether, after the compaction was recorded, a rewind went back into the summarised range: then
// the summary describes things that are no longer part of the conversation.
func (p logPath) behind(c *Cutoff) bool {
	base := 0
	for _, r := range p.runs {
		if c.Recorded > 0 && p.log[r.from].Seq > c.Recorded {
			for i := base; i < r.from && p.log[i].Seq < c.FirstKept; i++ {
				if isShown(&p.log[i]) {
					return true
				}
			}
		}
		base = r.to
	}
	return false
}
