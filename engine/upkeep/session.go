package upkeep

import (
	"cmp"
	"context"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/changes"
	"ctxledger.dev/engine/attribution"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/intents"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// session forgets everything that a session has received and what was derived from it. Its entries stay as tombstones:
// their handles say that they were forgotten, and an import continues where it was.
func (e *eraser) session(ctx context.Context, id string) error {
	parts, err := core.View(ctx, e.l.core, func(tx kv.Tx) (sessionParts, error) { return partsOf(tx, id) })
	if err != nil {
		return err
	}
	e.ids[id] = true
	if err := e.messages(ctx, parts.messages, parts.artifacts, (*step).message); err != nil {
		return err
	}
	err = inBatches(ctx, e, parts.summaries, func(s *step, seq int64) error {
		return s.summary(id, seq, e.emptySummary)
	})
	if err != nil {
		return err
	}
	err = inBatches(ctx, e, parts.steps, func(s *step, seq int64) error { return s.emptyStep(id, seq) })
	if err != nil {
		return err
	}
	err = inBatches(ctx, e, parts.shared, func(s *step, a string) error { return artifacts.Leave(s, a, id) })
	if err != nil {
		return err
	}
	e.buried = append(e.buried, id)
	return e.update(ctx, func(s *step) error {
		return s.derived(id, parts)
	})
}

// bury marks the sessions that were forgotten as such: only then all is done, and a policy does not ask for them again.
func (e *eraser) bury(ctx context.Context) error {
	return inBatches(ctx, e, e.buried, (*step).tombstone)
}

// sessionParts are the things of a session to be forgotten.
type sessionParts struct {
	messages  []place
	summaries []int64         // entries that record compactions
	steps     []int64         // entries that record edits and decisions
	all       []int64         // all entries with an author
	artifacts map[string]bool // that only this session has
	shared    []string        // artifacts that others have, too, or that were put by hand
	files     []changes.File  // that its calls name
}

func partsOf(tx kv.Tx, id string) (sessionParts, error) {
	p := sessionParts{artifacts: map[string]bool{}}
	s, err := sessions.Get(tx, id)
	if err != nil {
		return p, err
	}
	for e, err := range sessions.Scan(tx, id, 0, 0) {
		if err != nil {
			return p, err
		}
		p.add(id, s.Tree, e.Entry)
	}
	for a, err := range artifacts.All(tx) {
		if err != nil {
			return p, err
		}
		own, others := false, a.ByHand()
		for _, r := range a.Refs {
			own, others = own || r.Session == id, others || r.Session != id
		}
		switch {
		case own && !others:
			p.artifacts[a.ID] = true
		case own:
			p.shared = append(p.shared, a.ID)
		}
	}
	all, err := intents.OfSession(tx, id)
	for _, in := range all {
		p.names(s.Tree, in.Target, in.From)
	}
	return p, err
}

// add takes an entry into account.
func (p *sessionParts) add(id, tree string, e sessions.Entry) {
	switch e.Kind {
	case sessions.KindCompaction:
		p.summaries = append(p.summaries, e.Seq)
	case sessions.KindEdits, sessions.KindDecision:
		p.steps = append(p.steps, e.Seq)
	case sessions.KindMessage, sessions.KindNote, sessions.KindNotes, sessions.KindCost:
		p.messages = append(p.messages, place{id, e.Seq})
	}
	if e.Author != "" {
		p.all = append(p.all, e.Seq)
	}
	for _, c := range e.Calls {
		p.names(tree, c.Target, c.From, c.Prints)
	}
}

// names adds files that a call names. What is no path has no state, and costs nothing.
func (p *sessionParts) names(tree string, paths ...string) {
	for _, path := range paths {
		if path != "" {
			p.files = append(p.files, changes.File{Tree: tree, Path: path}, changes.File{Path: path})
		}
	}
}

// derived removes what was derived from a session outside its log.
func (s *step) derived(id string, parts sessionParts) error {
	err := intents.ForgetSession(s, id)
	for _, seq := range parts.all {
		err = cmp.Or(err, sessions.ForgetAuthor(s, id, seq))
	}
	for _, b := range []kv.Bucket{attribution.BucketCommands, core.BucketStubs, core.BucketRequests} {
		err = cmp.Or(err, s.clear(b, id))
	}
	files, wrong := changes.ForgetSession(s, id, s.e.stone())
	return cmp.Or(err, wrong, s.files(append(parts.files, files...), id), s.events(func(e *ledger.Event) bool {
		if e.Session != id || e.Detail == "" && e.Data == nil {
			return false
		}
		e.Detail, e.Data = "", nil
		return true
	}))
}

// clear deletes the records of a session in a bucket whose keys begin with it.
func (s *step) clear(b kv.Bucket, session string) error {
	var keys [][]byte
	for r, err := range s.Scan(b, kv.Range{Prefix: []byte(session + "\x00")}) {
		if err != nil {
			return err
		}
		keys = append(keys, r.Key)
	}
	return kv.DeleteAll(s, b, keys)
}

// files forgets files that a forgotten session worked on.
func (s *step) files(files []changes.File, session string) error {
	done := map[changes.File]bool{}
	var err error
	for _, f := range files {
		if !done[f] {
			done[f] = true
			err = cmp.Or(err, s.file(f, session))
		}
	}
	return err
}

// file forgets a file that a forgotten session worked on, unless another one has; of no session, unless any has.
func (s *step) file(f changes.File, session string) error {
	others, err := changes.ChangedElsewhere(s, f, session)
	if others || err != nil {
		return err
	}
	if others, err = sessions.ReadElsewhere(s, f.Path, session); others || err != nil {
		return err
	}
	all, err := intents.OfPath(s, f.Path)
	if err != nil {
		return err
	}
	for _, in := range all {
		if in.Session != session {
			return nil
		}
	}
	if _, known, err := changes.StateOf(s, f.Tree, f.Path); err != nil || !known {
		touched, err2 := changes.IsTouched(s, f)
		if err = cmp.Or(err, err2); err != nil || !touched {
			return err
		}
	}
	return changes.ForgetFile(s, f, s.e.stone())
}

// events changes the recorded events by edit, which reports whether it changed one.
func (s *step) events(edit func(*ledger.Event) bool) error {
	changed := map[string]ledger.Event{}
	for r, err := range s.Scan(core.BucketEvents, kv.Range{}) {
		var e ledger.Event
		if err = cmp.Or(err, kv.Decode(r.Value, &e)); err != nil {
			return err
		}
		if edit(&e) {
			changed[string(r.Key)] = e
		}
	}
	var err error
	for k, e := range changed {
		err = cmp.Or(err, kv.PutJSON(s, core.BucketEvents, []byte(k), e))
	}
	return err
}

// emptyStep removes the words from an entry that records edits or a decision. What it edited is forgotten.
func (s *step) emptyStep(session string, seq int64) error {
	e, err := sessions.GetEntry(s, session, seq)
	if err != nil {
		return err
	}
	data, err := core.EmptyStep(e.Entry, tombstoneWord(s.e.expired))
	if err != nil || string(data) == string(e.Data) {
		return err
	}
	e.Data = data
	return sessions.Amend(s, session, e)
}

// tombstone removes the words from a session's record, and records the time.
func (s *step) tombstone(id string) error {
	record, err := sessions.Get(s, id)
	if err != nil {
		return err
	}
	s.item(kindSession, id, 0, func() string { return record.Title })
	at := s.e.at
	record.Title, record.Forgotten, record.Expired = "", &at, s.e.expired
	if record.Hooked != nil {
		record.Hooked.Owed, record.Hooked.OwesRecord, record.Hooked.Shown = "", false, nil
	}
	return sessions.Save(s, record)
}
