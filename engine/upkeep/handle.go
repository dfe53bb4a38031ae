package upkeep

import (
	"context"
	"slices"
	"strings"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/compaction"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/scrub"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
)

// eraseBatch is how many records one transaction of a forgetting changes: other writers wait that long.
const eraseBatch = 64

// handle forgets what a handle names: an artifact with the messages that hold it, a message in every
// session that has it, the text of a summary, or a whole session.
func (e *eraser) handle(ctx context.Context, handle string) error {
	t, err := core.View(ctx, e.l.core, func(tx kv.Tx) (named, error) { return nameOf(tx, handle) })
	if err != nil {
		return err
	}
	e.about(t, handle)
	switch {
	case len(t.versions) > 0:
		for _, id := range t.versions {
			if err := e.wholeArtifact(ctx, id); err != nil {
				return err
			}
		}
		return nil
	case t.artifact != "":
		return e.wholeArtifact(ctx, t.artifact)
	case t.summary != nil:
		return e.wholeSummary(ctx, *t.summary)
	case t.session != "":
		return e.session(ctx, t.session)
	}
	return e.messages(ctx, t.messages, map[string]bool{}, (*step).messageAlone)
}

// about notes by what stored responses name the thing that is forgotten.
func (e *eraser) about(t named, handle string) {
	for _, id := range append(slices.Clone(t.versions), t.artifact, t.session) {
		if id != "" {
			e.ids[id] = true
		}
	}
	if t.summary != nil {
		e.ids[handle] = true
	}
}

// named is what a handle names, even if it was already forgotten: then what a crash left of it is removed.
type named struct {
	artifact string
	versions []string // the artifacts that were saved under a name
	summary  *core.SummaryPlace
	session  string
	messages []place // of one message, in every session that has it
}

// nameOf resolves a handle, or its unique beginning, as reading does, including forgotten things.
func nameOf(tx kv.Tx, handle string) (named, error) {
	n, err := exactly(tx, handle)
	if !fault.Is(err, fault.NotFound) {
		return n, err
	}
	whole, ambiguous := core.Whole(tx, handle)
	switch {
	case ambiguous != nil:
		return n, ambiguous
	case whole == handle:
		return n, err
	}
	return exactly(tx, whole)
}

// exactly resolves a handle that is given in full, or a name.
func exactly(tx kv.Tx, handle string) (named, error) {
	one, found, err := artifacts.Lookup(tx, handle)
	if err != nil {
		return named{}, err
	}
	if found && strings.Contains(handle, "@") {
		return named{artifact: one.ID}, nil
	}
	if found {
		all, err := artifacts.Versions(tx, handle, 0)
		n := named{}
		for _, v := range all {
			n.versions = append(n.versions, v.ID)
		}
		return n, err
	}
	if a, err := artifacts.Get(tx, handle); !fault.Is(err, fault.NotFound) {
		return named{artifact: a.ID}, err
	}
	if at, err := core.SummaryAt(tx, handle); err != nil || at != nil {
		return named{summary: at}, err
	}
	if s, err := sessions.Get(tx, handle); !fault.Is(err, fault.NotFound) {
		return named{session: s.ID}, err
	}
	places, err := sessions.Places(tx, handle, core.MaxBranches)
	if err != nil {
		return named{}, err
	}
	n := named{}
	for _, p := range places {
		if p.ID != places[0].ID {
			return named{}, fault.New(fault.Conflict, "engine.forget",
				"several messages have an id that starts with %.1000q", handle).
				WithHint("give more of its digits")
		}
		n.messages = append(n.messages, place{p.Session, p.Seq})
	}
	if len(n.messages) == 0 {
		return n, fault.New(fault.NotFound, "engine.forget",
			"no artifact, message, summary or session %.1000q in this workspace", handle).
			WithHint("a memory is forgotten by its name: ctxledger forget --memory NAME")
	}
	return n, nil
}

// wholeArtifact forgets an artifact and every entry that has its content as a result.
func (e *eraser) wholeArtifact(ctx context.Context, id string) error {
	held, err := core.View(ctx, e.l.core, func(tx kv.Tx) ([]place, error) { return heldBy(tx, id) })
	if err != nil {
		return err
	}
	if err := e.originals(ctx, held); err != nil {
		return err
	}
	if err := e.update(ctx, func(s *step) error { return s.artifact(id) }); err != nil {
		return err
	}
	return e.unlist(ctx, id)
}

// unlist removes the handle of an artifact from the summaries of the sessions that have it: they offer it to be read.
// That is no forgetting of a summary, and is not counted as one.
func (e *eraser) unlist(ctx context.Context, id string) error {
	a, err := core.View(ctx, e.l.core, func(tx kv.Tx) (artifacts.Artifact, error) { return artifacts.Get(tx, id) })
	if err != nil || e.dry {
		return err
	}
	t, err := scrub.New(id, e.stone())
	if err != nil {
		return err
	}
	done := map[string]bool{}
	for _, ref := range a.Refs {
		if done[ref.Session] || ref.Session == "" {
			continue
		}
		done[ref.Session] = true
		if err := e.summaries(ctx, ref.Session, t, nil); err != nil {
			return err
		}
	}
	delete(e.counts, kindSummary)
	return nil
}

// inBatches calls fn for each item, in transactions of eraseBatch items.
func inBatches[T any](ctx context.Context, e *eraser, items []T, fn func(*step, T) error) error {
	for batch := range slices.Chunk(items, eraseBatch) {
		err := e.update(ctx, func(s *step) error {
			for _, item := range batch {
				if err := fn(s, item); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// originals forgets the originals of entries, a few at a time.
func (e *eraser) originals(ctx context.Context, places []place) error {
	return inBatches(ctx, e, places, func(s *step, p place) error {
		_, err := s.original(p.session, p.seq)
		return err
	})
}

// messages forgets entries by fn, with what was extracted from them. Of their artifacts and those in ids, it forgets the
// ones that are then unreferenced.
func (e *eraser) messages(
	ctx context.Context, places []place, ids map[string]bool, fn func(*step, string, int64) error,
) error {
	err := inBatches(ctx, e, places, func(s *step, p place) error { return fn(s, p.session, p.seq) })
	if err != nil {
		return err
	}
	gone := map[place]bool{}
	err = e.l.core.Store.View(ctx, func(tx kv.Tx) error {
		for _, p := range places {
			gone[p] = true
			entry, err := sessions.GetEntry(tx, p.session, p.seq)
			if err != nil {
				return err
			}
			for _, r := range entry.Results {
				if r.Artifact != "" {
					ids[r.Artifact] = true
				}
			}
			e.mention(entry.Entry)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return e.artifactsOf(ctx, ids, gone)
}

// mention notes by what stored responses name an entry.
func (e *eraser) mention(entry sessions.Entry) {
	if len(e.ids) > 0 {
		return // the session is, by its id
	}
	e.ids[entry.ID] = true
	for _, c := range entry.Calls {
		e.ids[c.ID] = true
	}
	for _, r := range entry.Results {
		e.ids[r.CallID] = true
	}
	delete(e.ids, "")
}

// artifactsOf forgets those of some artifacts that nobody put and no entry refers to except the forgotten ones in gone.
func (e *eraser) artifactsOf(ctx context.Context, ids map[string]bool, gone map[place]bool) error {
	if len(ids) == 0 {
		return nil
	}
	return e.update(ctx, func(s *step) error {
		held := map[string]bool{}
		err := eachHeld(s, func(p place, artifact string) { held[artifact] = held[artifact] || !gone[p] })
		if err != nil {
			return err
		}
		for id := range ids {
			a, err := artifacts.Get(s, id)
			if err != nil {
				return err
			}
			if held[id] || a.ByHand() {
				continue
			}
			if err := s.artifact(id); err != nil {
				return err
			}
		}
		return nil
	})
}

// wholeSummary forgets the text of a summary. Its handle still reads the messages that it covers.
func (e *eraser) wholeSummary(ctx context.Context, at core.SummaryPlace) error {
	return e.update(ctx, func(s *step) error { return s.summary(at.Session, at.Seq, e.emptySummary) })
}

// emptySummary removes everything that a summary says about its range.
func (e *eraser) emptySummary(r *compaction.Record) {
	r.Text, r.TextBlob, r.Shown, r.Resume, r.Cut, r.Reason = e.tombstoneText(), "", "", "", nil, ""
	r.TextHash = sessions.Digest([]byte(r.Text))
	if r.Run != nil {
		r.Run.Reason = ""
	}
}
