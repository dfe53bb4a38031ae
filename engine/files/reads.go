package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"ctxledger.dev/changes"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/filetext"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

const (
	// maxFresh is how many fresh files one answer lists.
	maxFresh = 1000
	// maxCompared is how many files one answer compares with their texts in the log: each is decoded.
	maxCompared = 200
	// slack is how much a file may be younger than its time says: systems stamp files with the time of the last tick.
	slack = 20 * time.Millisecond
	// cutLines is the number of lines up to which Claude Code has always shown a file whole.
	cutLines = 2000
	// cutBytes is the same in bytes: 25,000 tokens have more.
	cutBytes = 50_000
)

// read is the newest read of a file by a session.
type read struct {
	*sessions.Entry // of the call
	call            sessions.Call
	result          int64 // the entry with its result; 0: none, or it failed
	stub            bool  // the result is not the text of the file
}

// readsOf returns the newest read of each file, by its path.
func readsOf(entries []sessions.Entry) map[string]*read {
	newest, byCall := map[string]*read{}, map[string]*read{}
	for i := range entries {
		e := &entries[i]
		for _, c := range e.Calls {
			if c.Op == intents.OpRead && c.Target != "" {
				r := &read{Entry: e, call: c}
				newest[c.Target], byCall[c.ID] = r, r
			}
		}
		for _, res := range e.Results {
			if r := byCall[res.CallID]; r != nil && !res.Failed {
				r.result, r.stub = e.Seq, res.Whole > 0
			}
		}
	}
	return newest
}

// reads returns the files that a session has read, by path: those that others changed afterwards, at most
// core.DefaultList, and those that are known to be as the session knows them. Of the others nothing is known.
func (l *Files) reads(
	ctx context.Context, tx kv.Tx, session string,
) (stale []changes.Stale, fresh []string, err error) {
	f, err := l.core.Fold(tx, session)
	if err != nil {
		return nil, nil, err
	}
	stale, compared := []changes.Stale{}, 0
	newest, tree := readsOf(f.Entries), l.core.Trees.Apart(f.Session)
	for _, path := range slices.Sorted(maps.Keys(newest)) {
		r := newest[path]
		c, until, err := changes.Unknown(tx, path, tree, session, r.Time)
		if err != nil {
			return nil, nil, err
		}
		if c != nil {
			stale = append(stale, changes.Stale{Path: path, ReadSeq: r.Seq, Changed: c.Time, By: c.By()})
			continue
		}
		st, known, err := changes.StateOf(tx, tree, path)
		switch {
		case err != nil:
			return nil, nil, err
		case !known || !st.Exists:
			continue
		case seenBefore(st, until), ownSince(st, r.Time, until):
			fresh = append(fresh, path)
			continue
		case st.Hash == "" || !until.Equal(r.Time) || r.result == 0 || r.stub || compared == maxCompared:
			continue // there is nothing to compare
		}
		compared++ // whatever its time says: what is moved or unpacked there keeps an older one
		same, whole, err := l.compare(ctx, tx, f, r, st)
		switch {
		case err != nil:
			return nil, nil, err
		case same:
			fresh = append(fresh, path)
		case whole:
			changed := st.Since
			if changed.Before(r.Time.Add(-slack)) {
				changed = r.Time // after it, and states of earlier versions do not say when they were first seen
				if st.Looked.After(changed) {
					changed = st.Looked
				}
			}
			stale = append(stale, changes.Stale{Path: path, ReadSeq: r.Seq, Changed: changed, By: changes.External})
		}
	}
	return stale[:min(len(stale), core.DefaultList)], fresh[:min(len(fresh), maxFresh)], nil
}

// seenBefore reports whether a file was seen as it is before a time, and watched since.
func seenBefore(st changes.State, until time.Time) bool {
	return !st.Looked.IsZero() && st.Looked.Before(until.Add(-slack))
}

// ownSince reports whether a file is as the session itself left it, after a read: it was modified between the two.
func ownSince(st changes.State, read, until time.Time) bool {
	return !until.Equal(read) && !st.Since.After(until) && !st.Since.Before(read.Add(-slack))
}

// compare compares what a read returned with a file: whether it is the same text, and whether it would be if the file were
// unchanged. Line ends, whether the last line has one, and a mark of the byte order are not in it.
func (l *Files) compare(
	ctx context.Context, tx kv.Tx, f *core.Folded, r *read, st changes.State,
) (same, whole bool, err error) {
	m, err := l.core.DecodeEntry(ctx, tx, f, r.result)
	if fault.Is(err, fault.NotFound) {
		return false, false, nil // forgotten
	}
	if err != nil {
		return false, false, err
	}
	at := slices.IndexFunc(m.Parts, func(p transcript.Part) bool {
		return p.Kind == transcript.KindResult && p.ID == r.call.ID
	})
	if at < 0 || m.Parts[at].Media > 0 {
		return false, false, nil
	}
	printed := m.Parts[at].Text
	plain := filetext.Plain(printed, true)
	text := strings.TrimRight(plain, "\r\n")
	for _, end := range []string{"\n", "\r\n"} {
		for _, tail := range []string{"\n", "", "\n\n", plain[len(text):]} {
			body := strings.ReplaceAll(text+tail, "\n", end)
			same = same || hashIs(body, st.Hash) || hashIs("\ufeff"+body, st.Hash)
		}
	}
	numbered := text != strings.TrimRight(printed, "\r\n") // as the tool of Claude Code prints a file
	lines, more := strings.Count(text, "\n"), int(st.Size)-len(text)
	mixed := more > len("\r\n") && more < lines // some line ends may have two bytes
	return same, numbered && !r.call.Partial && lines < cutLines && len(text) < cutBytes && !mixed &&
		!strings.ContainsRune(text, utf8.RuneError), nil // it replaces bytes that were not UTF-8
}

func hashIs(text, hash string) bool {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:]) == hash
}
