package files

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/changes"
	"ctxledger.dev/engine/attribution"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/window"
)

const (
	// maxFresh is how many fresh files one answer lists.
	maxFresh = 1000
	// maxDecoded is how many calls one answer decodes at most, to compare files with their texts in the log.
	maxDecoded = 500
	// maxRead is how many bytes of files one answer reads at most, to find the parts in them that were read.
	maxRead = 8 << 20
	// slack is how much a file may be younger than its time says: systems stamp files with the time of the last tick.
	slack = 20 * time.Millisecond
	// cutLines is the number of lines up to which Claude Code has always shown a file whole.
	cutLines = 2000
	// cutBytes is the same in bytes: 25,000 tokens have more.
	cutBytes = 50_000
	// cutLine is the length of a line in bytes from which on earlier versions of it cut lines.
	cutLine = 2000
)

// spent is what an answer has taken of maxDecoded and maxRead.
type spent struct {
	decoded int
	read    int64
}

// step is a call of a session on one file.
type step struct {
	*sessions.Entry // of the call
	call            sessions.Call
	result          int64 // the entry with its result; 0: none, or it failed
	failed          bool
	stub            string // why the result is not the text of the file, see sessions.Result; "": it is
	tokens          int    // of the call and its result, o200k_base
	left            bool   // the host has gone back to before it
	rewound         bool   // the host has gone back since, to behind it
	dropped         bool   // the window has it no more: the host has gone back, compacted or cleared it since
}

// stepsOf returns the calls on each file, oldest first, by its path.
func stepsOf(entries []sessions.Entry) map[string][]*step {
	all, byCall, held, gone := map[string][]*step{}, map[string]*step{}, window.HeldOf(entries), int64(0)
	for i := range entries {
		e := &entries[i]
		if held.Left(i) {
			gone = e.Seq
		}
		for _, c := range e.Calls {
			if c.Prints != "" { // how much of the file, only the text could say
				c.Op, c.Target, c.Partial = intents.OpRead, c.Prints, true
			}
			s := &step{Entry: e, call: c, tokens: c.Tokens, left: held.Left(i), dropped: !held.Has(i)}
			if !intents.OfFile(c.Op) || c.Target == "" {
				continue
			}
			byCall[c.ID], all[c.Target] = s, append(all[c.Target], s)
			if c.From != "" && c.From != c.Target {
				all[c.From] = append(all[c.From], s)
			}
		}
		if a := e.Attached; a != nil {
			read := sessions.Call{ID: e.HostID, Op: intents.OpRead, Target: a.Path, Partial: a.Partial}
			all[a.Path] = append(all[a.Path], &step{Entry: e, result: e.Seq, tokens: e.Tokens, left: held.Left(i),
				dropped: !held.Has(i), call: read})
		}
		for _, res := range e.Results {
			s := byCall[res.CallID]
			if s == nil {
				continue
			}
			s.failed, s.dropped, s.tokens = res.Failed, !held.HasResult(i, res.CallID), s.call.Tokens+res.Tokens
			if s.result = e.Seq; s.failed {
				s.result = 0
			}
			if res.Whole > 0 {
				s.stub = cmp.Or(res.Cause, artifacts.CauseLarge)
			}
		}
	}
	for _, steps := range all {
		for _, s := range steps {
			s.rewound = !s.left && s.Seq < gone
		}
	}
	return all
}

// toldOf returns when the host last told the agent what others changed in a file, by its path. What the window has no more
// does not count.
func toldOf(entries []sessions.Entry) map[string]time.Time {
	told, held := map[string]time.Time{}, window.HeldOf(entries)
	for i := range entries {
		if e := &entries[i]; e.Told != "" && !e.Hidden && held.Has(i) && !held.Left(i) {
			told[e.Told] = e.Time
		}
	}
	return told
}

// newestRead returns the newest read among the calls on a file, if there is one: best one that is no subagent's, whose
// results the session does not have. Without any it is the newest write, whose text the session has. What failed, and what
// the host's window has no more, is neither.
func newestRead(steps []*step) (newest *step) {
	steps = slices.DeleteFunc(slices.Clone(steps), func(s *step) bool { return s.failed || s.dropped })
	for _, s := range steps {
		if s.call.Op == intents.OpRead && (newest == nil || newest.Hidden || !s.Hidden) {
			newest = s
		}
	}
	for i := len(steps) - 1; i >= 0 && newest == nil; i-- {
		if s := steps[i]; s.wrote() && !s.Hidden && s.result > 0 {
			newest = s
		}
	}
	return newest
}

// wrote reports whether a call has written the file.
func (s *step) wrote() bool { return s.call.Op == intents.OpWrite || s.call.Op == intents.OpPatch }

// seenWith returns the calls known to the reader: a session knows neither what its subagents read nor what it went back from.
func (s *step) seenWith(steps []*step) []*step {
	return slices.DeleteFunc(slices.Clone(steps), func(o *step) bool { return o.left || o.Hidden && !s.Hidden })
}

// reads adds the files that a session has read or written, by path: those that others changed afterwards, at most
// core.DefaultList, and those that are known to be as the session knows them, as a whole or in the parts that it read. Of the
// others nothing is known.
func (l *Files) reads(ctx context.Context, tx kv.Tx, session string, resp *ledger.ChangesResponse) error {
	f, err := l.core.Fold(tx, session)
	if err != nil {
		return err
	}
	stale, n, own := []changes.Stale{}, spent{}, attribution.ChangesOf(tx, session)
	growth, _ := f.Growth("")
	steps, told, tree := stepsOf(f.Entries), toldOf(f.Entries), l.core.Trees.Apart(f.Session)
	for _, path := range slices.Sorted(maps.Keys(steps)) {
		if read := readsOf(path, steps[path], growth); read.Reads > 0 || read.Window != (tokens.Amount{}) {
			resp.Reads = append(resp.Reads, read)
		}
		r := newestRead(steps[path])
		if r == nil {
			continue
		}
		at, since := r.Time, told[path].After(r.Time) // the text that the agent was told since is not known as a whole
		if since {
			at = told[path]
		}
		file := path
		c, until, err := changes.StaleRead(tx, file, tree, at, own)
		if real := l.core.Trees.Real(tree, path); err == nil && c == nil && real != path {
			file = real // earlier versions recorded the link
			c, until, err = changes.StaleRead(tx, file, tree, at, own)
		}
		if err != nil {
			return err
		}
		st, known, err := changes.StateOf(tx, tree, file)
		if err != nil {
			return err
		}
		known = known && st.Exists && !since
		if known && c == nil && !r.rewound && (seenBefore(st, until) || ownSince(st, r.Time, until)) {
			resp.Fresh = append(resp.Fresh, path)
			continue
		}
		like, other := unlike, (*changes.Stale)(nil)
		if known && st.Hash != "" { // whatever its time says: what is moved or unpacked there keeps an older one
			if like, other, err = l.compare(ctx, tx, f, r.seenWith(steps[path]), st, &n); err != nil {
				return err
			}
		}
		switch {
		case like == same:
			resp.Fresh = append(resp.Fresh, path)
		case like == moved:
			resp.Moved = append(resp.Moved, path)
		case like == partly:
			resp.Parts = append(resp.Parts, path)
		case c != nil:
			stale = append(stale, changes.Stale{Path: path, ReadSeq: r.Seq, Wrote: r.wrote(),
				Gone: c.Op == changes.Deleted, Changed: c.Time, By: c.By()})
		case other != nil:
			other.Path, other.ReadSeq, other.Wrote = path, r.Seq, r.wrote()
			stale = append(stale, *other)
		}
	}
	resp.Reads = core.Fitting(resp.Reads, limits.Page/3, func(r ledger.FileReads) int { return 100 + len(r.Path) })
	for _, list := range []*[]string{&resp.Fresh, &resp.Parts, &resp.Moved} {
		*list = (*list)[:min(len(*list), maxFresh)]
	}
	resp.Tree, resp.Stale = tree, stale[:min(len(stale), core.DefaultList)]
	for i, s := range resp.Stale {
		if by, err := sessions.Get(tx, s.By); err == nil { // else it is no session, or forgotten
			resp.Stale[i].Subagent = by.Parent == session
		}
	}
	return nil
}

// readsOf sums up what a session itself has read of a file, and what its window has of it.
func readsOf(path string, steps []*step, growth *window.Growth) ledger.FileReads {
	r, seen := ledger.FileReads{Path: path}, map[string]bool{}
	for _, s := range steps {
		if s.Hidden || s.failed {
			continue
		}
		took := growth.Amount(s.Seq, s.tokens)
		if !s.dropped && cmp.Or(s.call.Prints, s.call.Target) == path {
			r.Window = r.Window.Plus(took)
		}
		if s.call.Op != intents.OpRead || s.result == 0 {
			continue
		}
		if !seen[s.call.ID] { // else a compaction moved it behind its summary
			r.Reads, r.Tokens, seen[s.call.ID] = r.Reads+1, r.Tokens.Plus(took), true
		}
		if !s.dropped {
			r.Held = r.Held.Plus(took)
		}
	}
	return r
}

// seenBefore reports whether a file was seen as it is before a time, and watched since.
func seenBefore(st changes.State, until time.Time) bool {
	return !st.Looked.IsZero() && st.Looked.Before(until.Add(-slack))
}

// ownSince reports whether a file is as the session itself left it, after a read: it was modified between the two.
func ownSince(st changes.State, read, until time.Time) bool {
	return !until.Equal(read) && !st.Since.After(until) && !st.Since.Before(read.Add(-slack))
}
