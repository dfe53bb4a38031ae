package upkeep

import (
	"cmp"
	"encoding/json"
	"slices"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/compaction"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// rederive derives again what older programs derived from unmasked texts: names, paths, labels of calls, arguments,
// commands and outcomes of intents, titles, labels of artifacts and of cuts. One original is in memory at a time,
// and only records that change are written. What the view shows (stubs, edits, summaries) stays as it was sent; a
// summary gets a second, masked wording for other readers.
func (m *migrating) rederive() error {
	all, err := sessions.List(m)
	if err != nil {
		return err
	}
	for i := range all {
		if err := m.session(all[i]); err != nil {
			return err
		}
	}
	if err := intents.MapWords(m, m.l.Masks.String); err != nil { // those without an original
		return err
	}
	return m.artifacts()
}

// session derives one log again.
func (m *migrating) session(s sessions.Session) error {
	d := derivation{migrating: m, session: s, known: newResidue(m.l.Masks)}
	for seq := int64(1); seq <= s.Seq; seq++ {
		e, err := sessions.GetEntry(m, s.ID, seq)
		if damaged(err) {
			continue
		}
		if err == nil {
			err = d.entry(e)
		}
		if err != nil {
			return err
		}
	}
	for _, w := range []*string{&d.session.Title, &d.session.Model} {
		*w = m.l.Masks.String(*w)
	}
	if d.session.Title == s.Title && d.session.Model == s.Model {
		return nil
	}
	return sessions.Save(m, d.session)
}

// damaged reports whether err says that a record is lost or unreadable. Such a record is skipped: a ledger under repair
// is migrated as well, and check and repair report the record.
func damaged(err error) bool { return fault.Is(err, fault.Corrupt) || fault.Is(err, fault.NotFound) }

// derivation derives the records of one session again.
type derivation struct {
	*migrating
	session sessions.Session
	known   *residue // the secrets of the log so far
}

// entry derives the header of one entry again, and stores it if it has changed.
func (d *derivation) entry(e sessions.Stored) error {
	before, err := json.Marshal(e.Entry)
	if err != nil {
		return fault.Wrap(fault.Internal, "engine.rederive", err)
	}
	switch e.Kind {
	case sessions.KindMessage:
		err = d.message(&e)
	case sessions.KindCompaction:
		err = d.summary(&e)
	}
	if err != nil {
		return err
	}
	for _, w := range []*string{&e.Author, &e.Model, &e.Note} {
		*w = d.l.Masks.String(*w)
	}
	after, err := json.Marshal(e.Entry)
	if err != nil || string(after) == string(before) {
		return fault.Wrap(fault.Internal, "engine.rederive", err)
	}
	return sessions.Amend(d, d.session.ID, e)
}

// message derives the facts of a message again. Without its original, it drops names and paths and masks the labels.
func (d *derivation) message(e *sessions.Stored) error {
	var m transcript.Message
	raw, err := d.l.Message(d.ctx, *e)
	if err == nil && e.Forgotten == nil {
		m, err = transcript.Decode(e.Format, raw)
	}
	if err != nil || e.Forgotten != nil {
		e.Names, e.Paths = nil, nil
		d.labels(e, func(c sessions.Call) string { return d.l.Masks.String(c.Target) })
		return nil
	}
	shown := core.MaskMessage(d.l.Masks, m)
	if same(m, shown) {
		return nil
	}
	d.known.remember(m)
	facts := transcript.Extract(shown)
	e.Paths, e.Names = facts.Paths, facts.Names
	for i, p := range m.Parts {
		if p.Kind == transcript.KindText && d.session.Title == core.FirstLine(p.Text) {
			d.session.Title = core.FirstLine(shown.Parts[i].Text)
		}
	}
	transcript.Identify(&m, e.CallIDs())
	transcript.Identify(&shown, e.CallIDs())
	return cmp.Or(d.calls(e, m, shown), d.results(e, m, shown))
}

// same reports whether no part of a message was masked.
func same(m, shown transcript.Message) bool {
	return slices.EqualFunc(m.Parts, shown.Parts, func(a, b transcript.Part) bool {
		return a.Text == b.Text && a.Name == b.Name && string(a.Args) == string(b.Args)
	})
}

// calls derives the labels and intents of an entry's calls again.
func (d *derivation) calls(e *sessions.Stored, m, shown transcript.Message) error {
	meant := map[string]intents.Meaning{}
	for i, p := range shown.Parts {
		if p.Kind != transcript.KindCall || p.Sealed {
			continue
		}
		meaning := intents.Classify(m.Parts[i].Name, p.Args)
		meant[p.ID] = meaning
		err := intents.Restate(d, d.session.ID, p.ID, core.CutLabel(p.Name), meaning.Command, p.Args)
		if err != nil && !damaged(err) {
			return err
		}
	}
	d.labels(e, func(c sessions.Call) string { m := meant[c.ID]; return core.CutLabel(m.What()) })
	return nil
}

// labels replaces the names of tools, and the targets of calls that are words. Paths of files stay.
func (d *derivation) labels(e *sessions.Stored, label func(sessions.Call) string) {
	for i := range e.Calls {
		c := &e.Calls[i]
		c.Name = d.l.Masks.String(c.Name)
		if c.Target != "" && !intents.OfFile(c.Op) {
			c.Target = label(*c)
		}
	}
}

// results derives again what intents say about an entry's results.
func (d *derivation) results(e *sessions.Stored, m, shown transcript.Message) error {
	for i, p := range m.Parts {
		if p.Kind != transcript.KindResult || p.Sealed {
			continue
		}
		if err := intents.Retell(d, d.session.ID, p.ID, p.Text, shown.Parts[i].Text); err != nil && !damaged(err) {
			return err
		}
	}
	return nil
}

// summary derives the wording of a summary for other readers, and its labels.
func (d *derivation) summary(e *sessions.Stored) error {
	var r compaction.Record
	if err := json.Unmarshal(e.Data, &r); err != nil {
		return fault.Wrap(fault.Corrupt, "engine.rederive", err)
	}
	text, err := d.l.SummaryText(d.ctx, r)
	if err != nil {
		return nil // its blob is lost: check and repair report it
	}
	if shown := d.known.String(text); shown != text {
		r.Shown = core.CutText(shown, maxShown)
	}
	for i := range r.Cut {
		r.Cut[i].Label = d.known.String(r.Cut[i].Label)
	}
	data, err := json.Marshal(r)
	e.Data = data
	return fault.Wrap(fault.Internal, "engine.rederive", err)
}

// maxShown bounds the wording of an older summary for other readers, in bytes: it is part of a record.
const maxShown = kv.MaxValue / 8

// artifacts derives the labels of artifacts again, from their call if they have one.
func (m *migrating) artifacts() error {
	all, err := kv.Collect(artifacts.All(m), kv.All)
	if err != nil {
		return err
	}
	mask := m.l.Masks.String
	for _, a := range all {
		tool, hinted, title := mask(a.Tool), mask(a.Hint), mask(a.Title)
		if len(a.Refs) > 0 && a.Hint != "" {
			c, _, err := sessions.CallOf(m, a.Refs[0].Session, a.Refs[0].CallID)
			if err != nil && !damaged(err) {
				return err
			}
			if c != nil && c.Name == tool {
				hinted = core.Hint(*c)
			}
		}
		if tool == a.Tool && hinted == a.Hint && title == a.Title {
			continue
		}
		if err := artifacts.Relabel(m, a.ID, tool, hinted, title); err != nil {
			return err
		}
	}
	return nil
}
