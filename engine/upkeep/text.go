package upkeep

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/compaction"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/scrub"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/rewrite"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// maxRounds is how often forgetting a text repeats: an active session may record the text again meanwhile.
const maxRounds = 3

// text forgets a text wherever the ledger has it, and then searches every file for it.
func (e *eraser) text(ctx context.Context, text string, m core.Mutation) (ledger.Forgotten, error) {
	t, err := scrub.New(text, e.stone())
	if err != nil {
		return ledger.Forgotten{}, err
	}
	listed, err := scrub.New(text, "[…]") // in a list of what is not forgotten yet
	if err != nil {
		return ledger.Forgotten{}, err
	}
	e.without = listed.Out
	for range maxRounds {
		before := e.forgotten().Total()
		if err := e.round(ctx, t); err != nil {
			return ledger.Forgotten{}, err
		}
		if e.dry || e.forgotten().Total() == before {
			break
		}
	}
	e.ids = map[string]bool{} // rules have changed answers and events
	damaged, err := e.damagedCopies(ctx, t)
	if err != nil {
		return ledger.Forgotten{}, err
	}
	f := e.forgotten()
	if e.dry {
		return f, nil
	}
	if err := e.l.discard(ctx); err != nil {
		return ledger.Forgotten{}, err
	}
	if err := e.logs(ctx, t); err != nil {
		return ledger.Forgotten{}, err
	}
	if f.Searched, f.Left, err = e.l.searchState(ctx, t); err != nil {
		return ledger.Forgotten{}, err
	}
	f.Left = append(f.Left, damaged...)
	if f.Outside, err = e.outside(ctx, f, e.unfinished); err != nil {
		return ledger.Forgotten{}, err
	}
	return e.forgot(ctx, m, f, "")
}

// round forgets everything that contains the text now.
func (e *eraser) round(ctx context.Context, t scrub.Text) error {
	blobs, err := e.blobs(ctx, t)
	if err != nil {
		return err
	}
	// Before anything goes: what is derived from an original loses the text with it, so that a dry run, after which the
	// originals are still there, would count more.
	found, err := e.derived(ctx, t)
	if err != nil {
		return err
	}
	if err := e.artifactsIn(ctx, blobs); err != nil {
		return err
	}
	all, err := core.View(ctx, e.l.core, sessions.List)
	if err != nil {
		return err
	}
	for _, s := range all {
		if err := e.summaries(ctx, s.ID, t, blobs); err != nil {
			return err
		}
		if err := e.entries(ctx, s.ID, t, blobs); err != nil {
			return err
		}
	}
	for _, d := range found {
		if err := e.apply(ctx, d, t); err != nil {
			return err
		}
	}
	return e.update(ctx, func(s *step) error {
		for hash := range blobs { // also unreferenced ones, which a crash may leave
			if err := core.MarkUnreferenced(s, hash); err != nil {
				return err
			}
		}
		return nil
	})
}

// blobs returns the stored blobs that contain the text.
func (e *eraser) blobs(ctx context.Context, t scrub.Text) (map[string]bool, error) {
	found := map[string]bool{}
	for b, err := range e.l.core.Store.Blobs(ctx) {
		if err != nil {
			return nil, err
		}
		holds, err := e.l.blobHolds(ctx, b.Hash, t)
		if err != nil {
			return nil, err
		}
		if holds {
			found[b.Hash] = true
		}
	}
	return found, nil
}

// blobHolds searches a blob for a text. A blob that was deleted in the meantime contains nothing.
func (l *Upkeep) blobHolds(ctx context.Context, hash string, t scrub.Text) (bool, error) {
	b, err := l.core.Store.OpenBlob(ctx, hash)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer b.Close() // opened for reading
	return t.Find(ctx, io.NewSectionReader(b, 0, b.Ref().Size))
}

// artifactsIn forgets the artifacts whose content is one of some blobs.
func (e *eraser) artifactsIn(ctx context.Context, blobs map[string]bool) error {
	ids, err := core.View(ctx, e.l.core, func(tx kv.Tx) (ids []string, err error) {
		for a, err := range artifacts.All(tx) {
			if err != nil {
				return nil, err
			}
			if a.Forgotten == nil && blobs[a.Hash] {
				ids = append(ids, a.ID)
			}
		}
		return ids, nil
	})
	if err != nil {
		return err
	}
	return inBatches(ctx, e, ids, (*step).artifact)
}

// entries forgets the originals of a session that contain the text.
func (e *eraser) entries(ctx context.Context, session string, t scrub.Text, blobs map[string]bool) error {
	places, err := core.View(ctx, e.l.core, func(tx kv.Tx) (places []place, err error) {
		found, err := sessions.Holders(tx, session, t, blobs)
		for _, seq := range found {
			places = append(places, place{session, seq})
		}
		return places, err
	})
	if err != nil {
		return err
	}
	return e.originals(ctx, places)
}

// summaries removes the text from a session's summaries.
func (e *eraser) summaries(ctx context.Context, session string, t scrub.Text, blobs map[string]bool) error {
	found, err := core.View(ctx, e.l.core, func(tx kv.Tx) (found map[int64]compaction.Record, err error) {
		found = map[int64]compaction.Record{}
		for entry, err := range sessions.Scan(tx, session, 0, 0) {
			if err != nil {
				return nil, err
			}
			var r compaction.Record
			if entry.Kind != sessions.KindCompaction {
				continue
			}
			if err := json.Unmarshal(entry.Data, &r); err != nil {
				return nil, fault.Wrap(fault.Corrupt, "engine.forget", err)
			}
			if t.Near(entry.Data) || blobs[r.TextBlob] {
				found[entry.Seq] = r
			}
		}
		return found, nil
	})
	if err != nil {
		return err
	}
	for seq, r := range found {
		if err := e.summaryWithout(ctx, session, seq, r, t); err != nil {
			return err
		}
	}
	return nil
}

// summaryWithout removes the text from one summary. A long one is first stored as a blob again.
func (e *eraser) summaryWithout(
	ctx context.Context, session string, seq int64, r compaction.Record, t scrub.Text,
) error {
	text, err := e.l.core.SummaryText(ctx, r)
	if err != nil {
		return err
	}
	defer e.l.core.HoldBlobs()()
	clean := compaction.Record{Text: r.Text, TextBlob: r.TextBlob, TextHash: r.TextHash}
	if out := t.Out(text); out != text {
		clean.Text, clean.TextBlob = "", ""
		if !e.dry {
			if clean, err = e.l.core.StoreText(ctx, clean, out); err != nil {
				return err
			}
		}
	}
	return e.update(ctx, func(s *step) error {
		return s.summary(session, seq, func(r *compaction.Record) {
			r.Text, r.TextBlob, r.TextHash = clean.Text, clean.TextBlob, clean.TextHash
			rewrite.Words(t, &r.Shown, &r.Resume, &r.Reason, &r.Model)
			if r.Run != nil {
				rewrite.Words(t, &r.Run.Reason, &r.Run.Model)
			}
			for i := range r.Cut {
				rewrite.Words(t, &r.Cut[i].Label)
			}
		})
	})
}

// derivedWords are the records of a bucket that contain the text in words, and the rule by which they lose it.
type derivedWords struct {
	rule  rewrite.Rule
	keys  [][]byte
	items []ledger.ForgottenItem // those of them that have an id or a name
}

// derived finds and counts the records that lose the text by a rule.
func (e *eraser) derived(ctx context.Context, t scrub.Text) (found []derivedWords, err error) {
	for _, r := range rules(e.at) {
		d, err := core.View(ctx, e.l.core, func(tx kv.Tx) (derivedWords, error) { return losing(tx, r, t) })
		if err != nil {
			return nil, err
		}
		if len(d.keys) > 0 {
			e.counts[r.Kind] += len(d.keys)
			found = append(found, d)
		}
		if e.dry {
			for i := range d.items {
				d.items[i].Handle = e.shown(d.items[i].Handle)
			}
			e.describe(d.items)
		}
	}
	return found, nil
}

// losing returns the records that a rule would change.
func losing(tx kv.Tx, r rewrite.Rule, t scrub.Text) (derivedWords, error) {
	d := derivedWords{rule: r}
	keys, err := r.Keys(tx, t)
	if err != nil {
		return d, err
	}
	for _, k := range keys {
		v, err := tx.Get(r.Bucket, k)
		if err != nil {
			return d, err
		}
		changes, err := r.Out(noWrites{tx}, kv.Record{Key: k, Value: v}, t)
		if err != nil {
			return d, err
		}
		if changes {
			d.keys = append(d.keys, k)
			if r.Bucket != core.BucketEvents { // whose id is that of another thing
				d.items = append(d.items, foundIn(r.Kind, v, t)...)
			}
		}
	}
	return d, nil
}

// foundIn says in which fields of a record the text is, if the record has an id or a name.
func foundIn(kind string, record []byte, t scrub.Text) []ledger.ForgottenItem {
	var label struct{ ID, Name string }
	var fields map[string]json.RawMessage
	if json.Unmarshal(record, &fields) != nil || json.Unmarshal(record, &label) != nil {
		return nil // a plain text
	}
	var in []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if t.Near(fields[name]) {
			in = append(in, name)
		}
	}
	if label.ID+label.Name == "" || in == nil {
		return nil
	}
	return []ledger.ForgottenItem{{Kind: kind, Handle: cmp.Or(label.ID, label.Name),
		Title: "found in its " + strings.Join(in, ", ")}}
}

// apply removes the text from the records that were found in one bucket, a few at a time.
func (e *eraser) apply(ctx context.Context, d derivedWords, t scrub.Text) error {
	return inBatches(ctx, e, d.keys, func(s *step, k []byte) error {
		v, err := s.Get(d.rule.Bucket, k)
		if err != nil || v == nil {
			return err // or deleted in the meantime
		}
		_, err = d.rule.Out(s, kv.Record{Key: k, Value: v}, t)
		return err
	})
}

// outside returns the places that forgetting did not reach: those that found names, and if anything was forgotten the
// agents' session files and what nobody knows the whereabouts of.
func (e *eraser) outside(
	ctx context.Context, f ledger.Forgotten, found func() ([]ledger.LeftPlace, error),
) ([]ledger.LeftPlace, error) {
	out, err := found()
	if err != nil || len(f.Counts) == 0 {
		return out, err
	}
	files, err := core.View(ctx, e.l.core, func(tx kv.Tx) ([]ledger.LeftPlace, error) {
		return outsideOf(tx, f.Sessions)
	})
	return slices.Concat(out, files, untold()), err
}

// outsideOf returns the places outside the ledger from which sessions were read.
func outsideOf(tx kv.Tx, ids []string) ([]ledger.LeftPlace, error) {
	out := []ledger.LeftPlace{}
	for _, id := range ids[:min(len(ids), maxLeft)] {
		s, err := sessions.Get(tx, id)
		if err != nil {
			return nil, err
		}
		if s.HostID != "" {
			out = append(out, ledger.LeftPlace{
				Place: "the session file of " + s.Host + " for " + s.HostID,
				Why:   "files of " + s.Host + " are never changed; records already read are not read again, unless the agent copies them into another session",
			})
		}
	}
	return out, nil
}
