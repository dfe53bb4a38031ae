package core

import (
	"context"
	"strings"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/search"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// Bounds of one step of indexing. Other transactions wait as long as a step writes.
const (
	indexBytes   = 2 << 20 // originals
	indexEntries = 2_000
)

// IndexWords adds the words of what was recorded to the indexes, a few megabytes of it, and reports whether there is more:
// appends only note that there are words, so that recording takes no longer. Errors: those of the store.
func (l *Ledger) IndexWords(ctx context.Context) (more bool, err error) {
	if more, err := l.indexMessages(ctx); more || err != nil {
		return more, err
	}
	return l.indexArtifact(ctx)
}

// unindexed are entries that are not indexed yet, and the sequence number of the one after them.
type unindexed struct {
	sessions.Unindexed
	entries []sessions.Stored
	next    int64
}

// indexMessages indexes a part of a session.
func (l *Ledger) indexMessages(ctx context.Context) (more bool, err error) {
	part, err := View(ctx, l, nextUnindexed)
	if err != nil || part.Session == "" {
		return false, err
	}
	bags := make([]search.Bag, len(part.entries))
	err = each(len(part.entries), func(i int) error {
		bags[i] = l.wordsOf(ctx, part.entries[i])
		return ctx.Err()
	})
	if err != nil {
		return false, fault.Wrap(fault.Unavailable, "engine.index", err)
	}
	docs := make(map[int64]search.Bag, len(bags))
	for i, e := range part.entries {
		docs[e.Seq] = bags[i]
	}
	return true, l.Store.Update(ctx, func(tx kv.Tx) error {
		return sessions.Index(tx, part.Unindexed, part.next, docs)
	})
}

// nextUnindexed reads a part of a session that is not indexed yet.
func nextUnindexed(tx kv.Tx) (part unindexed, err error) {
	if part.Unindexed, err = sessions.NextUnindexed(tx); err != nil || part.Session == "" {
		return part, err
	}
	size := int64(0)
	for e, err := range sessions.Scan(tx, part.Session, part.From, 0) {
		if fault.Is(err, fault.Corrupt) {
			break // a check says so, and a repair indexes what it saves
		}
		if err != nil {
			return part, err
		}
		if e.Said() {
			part.entries = append(part.entries, e)
			size += e.Size
		}
		if size > indexBytes || e.Seq-part.From >= indexEntries {
			part.next = e.Seq + 1
			return part, nil
		}
	}
	s, err := sessions.Get(tx, part.Session)
	if part.next = s.Seq + 1; fault.Is(err, fault.NotFound) {
		err = nil
	}
	return part, err
}

// wordsOf returns the words of an entry but for results that are artifacts; none of one that cannot be read.
func (l *Ledger) wordsOf(ctx context.Context, e sessions.Stored) (words search.Bag) {
	if text, err := l.textOf(ctx, e); err == nil {
		words.Add(text, 1)
	}
	return words
}

// textOf returns what an entry says, without results that are artifacts and without secrets.
func (l *Ledger) textOf(ctx context.Context, e sessions.Stored) (string, error) {
	raw, err := l.Message(ctx, e)
	if err != nil {
		return "", err
	}
	if e.Kind == sessions.KindNotes {
		return l.Masks.String(sessions.NotesOf(raw).Text), nil
	}
	m, err := transcript.Decode(e.Format, raw)
	if err != nil {
		return "", err
	}
	elsewhere := map[string]bool{}
	for _, r := range e.Results {
		elsewhere[r.CallID] = r.Artifact != ""
	}
	transcript.Identify(&m, e.CallIDs())
	kept := m.Parts[:0:0]
	for _, p := range m.Parts {
		if p.Kind != transcript.KindResult || !elsewhere[p.ID] {
			kept = append(kept, p)
		}
	}
	m.Parts = kept
	return l.Masks.String(transcript.FullText(m)), nil
}

// indexArtifact indexes an artifact.
func (l *Ledger) indexArtifact(ctx context.Context) (more bool, err error) {
	a, err := View(ctx, l, artifacts.NextUnindexed)
	if err != nil || a.ID == "" {
		return false, err
	}
	bag, err := l.wordsOfBlob(ctx, a)
	if err != nil {
		return false, err
	}
	return true, l.Store.Update(ctx, func(tx kv.Tx) error { return artifacts.Index(tx, a.ID, bag) })
}

// wordsOfBlob returns the words of an artifact's content, of its title and of its name; of one that is lost only of the latter.
func (l *Ledger) wordsOfBlob(ctx context.Context, a artifacts.Artifact) (words search.Bag, err error) {
	words.Add(l.Masks.String(a.Title+"\n"+a.Name), 1)
	b, err := l.Store.OpenBlob(ctx, a.Hash)
	if err == nil {
		defer b.Close() // opened for reading
		err = eachChunk(ctx, b, func(chunk []byte) {
			words.Add(l.Masks.String(strings.ToValidUTF8(string(chunk), " ")), 1)
		})
	}
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Corrupt) {
		err = nil // a check says so
	}
	return words, err
}
