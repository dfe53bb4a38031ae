package core

import (
	"cmp"
	"slices"
	"time"

	"ctxledger.dev/engine/attribution"
	"ctxledger.dev/intents"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// recorder appends prepared entries to one session inside one transaction.
type recorder struct {
	l       *Ledger
	tx      kv.Tx
	session *sessions.Session
	at      time.Time
	files   *attribution.Effects
	entries []sessions.Entry // that were appended, of a session that is new; nil: those of another are not kept
}

func (l *Ledger) recorder(tx kv.Tx, session *sessions.Session, at time.Time) *recorder {
	return &recorder{l: l, tx: tx, session: session, at: at, files: attribution.NewEffects(l.Trees, tx, session, at)}
}

// recordAll appends prepared entries in order.
func (rec *recorder) recordAll(ready []*prepared) error {
	for _, p := range ready {
		if err := rec.record(p); err != nil {
			return err
		}
	}
	return nil
}

// record appends p to the session and records all that follows from it.
func (rec *recorder) record(p *prepared) error {
	p, err := rec.identify(p)
	if err != nil {
		return err
	}
	s, e := rec.session, p.entry // a copy: the transaction may run twice
	e.ID = sessions.MessageID(s.Chain, cmp.Or(e.Value, p.digest))
	if e.Prompt {
		s.Turns++
	}
	e.Turn = s.Turns
	if e.Model != "" && !e.Hidden {
		s.Model = e.Model
	}
	s.Version = cmp.Or(p.version, s.Version)
	s.Charge(e.Billed())
	if err := noteWindow(rec.tx, s, &e); err != nil {
		return err
	}
	left := maxFacts
	for _, c := range p.calls {
		target := rec.target(c)
		if len(target) <= left {
			c.Target = target
			left -= len(target)
		}
		c.Same = intents.Same(c.Name, c.Shown.Meaning, c.Shown.Args, target)
		if from := rec.files.From(c.Meaning); c.Op == intents.OpMove && len(from) <= left {
			c.From = from
			left -= len(from)
		}
		if printed := rec.files.Path(c.Meaning.Prints); len(printed) <= left {
			c.Prints = printed
			left -= len(printed)
		}
		e.Calls = append(e.Calls, c.Call)
	}
	for _, f := range p.effects {
		if path := rec.files.Path(f.Path); f.Op == sessions.EffectTold && len(path) <= left {
			e.Told = path
		}
	}
	results, err := rec.results(p)
	if err != nil {
		return err
	}
	for _, r := range results {
		e.Results = append(e.Results, r.Result)
	}
	if a := p.attached; a.Path != "" {
		if a.Path = rec.files.Path(a.Path); a.Path != "" && len(a.Path) <= left {
			e.Attached = &a
		}
	}
	chain := s.Chain
	e, err = sessions.Append(rec.tx, s, e, p.original)
	if err != nil {
		return err
	}
	if rec.entries != nil {
		rec.entries = append(rec.entries, e)
	}
	err = cmp.Or(rec.alias(chain, e, p, results), rec.l.ReferenceBlob(rec.tx, e.Blob), rec.files.Begin(e, p.calls))
	outcomes, wrong := rec.outcomes(p)
	if err = cmp.Or(err, wrong); err != nil {
		return err
	}
	if err := rec.files.Finish(e, outcomes, p.effects); err != nil || !e.Prompt {
		return err
	}
	return rec.files.Abandon(e.Time)
}

// outcomes returns how calls ended: those whose results an entry carries, and those in the background of which it tells.
func (rec *recorder) outcomes(p *prepared) (out []attribution.Outcome, err error) {
	notices := slices.Clip(p.notices)
	for _, r := range p.results {
		out = append(out, attribution.Outcome{CallID: r.CallID, Text: r.shown, Failed: r.Failed})
		n, ok := intents.StoppedBy(r.shown)
		if !ok {
			continue
		}
		if tool, err := rec.called(r.CallID); err != nil {
			return nil, err
		} else if intents.Stops(tool) {
			notices = append(notices, n)
		}
	}
	for _, n := range notices {
		call, err := intents.CallOf(rec.tx, rec.session.ID, n)
		if err != nil {
			return nil, err
		}
		if call != "" && n.Ended() {
			out = append(out, attribution.Outcome{CallID: call, Text: n.Text(), Failed: n.Failed()})
		}
	}
	return out, nil
}

// identify gives calls and results without ids of their own the ids by which the session knows them: ids that the
// format derives repeat in every answer. A result belongs to the newest answer before it, after the results that have
// arrived already.
func (rec *recorder) identify(p *prepared) (*prepared, error) {
	if !transcript.Derives(p.entry.Format) {
		return p, nil
	}
	calls := slices.ContainsFunc(p.calls, func(c attribution.Call) bool { return derived(c.ID) })
	results := slices.ContainsFunc(p.results, func(r result) bool { return derived(r.CallID) })
	if !calls && !results {
		return p, nil
	}
	own := *p // a copy: the transaction may run twice
	own.calls, own.results = slices.Clone(p.calls), slices.Clone(p.results)
	for i := range own.calls {
		if name, n, ok := transcript.Derived(own.calls[i].ID); ok {
			own.calls[i].ID = transcript.PlacedID(name, n, rec.session.Seq+1)
		}
	}
	if !results {
		return &own, nil
	}
	caller, came, err := rec.caller()
	for i := range own.results {
		if name, n, ok := transcript.Derived(own.results[i].CallID); ok {
			own.results[i].CallID = transcript.PlacedID(name, came[name]+n, caller)
		}
	}
	return &own, err
}

func derived(id string) bool {
	_, _, ok := transcript.Derived(id)
	return ok
}

// caller returns the newest answer of the conversation, 0 when none is near, and the number of results since, by
// function.
func (rec *recorder) caller() (seq int64, came map[string]int, err error) {
	const near = 100 // entries between an answer and the results of its calls
	came = map[string]int{}
	at, _, err := sessions.PlaceIn(rec.tx, rec.session.ID, rec.session.Chain)
	for seq = at.Seq; err == nil && seq > max(0, at.Seq-near); seq-- {
		e, err := sessions.GetEntry(rec.tx, rec.session.ID, seq)
		if err != nil || e.Role == transcript.RoleAssistant {
			return seq, came, err
		}
		for _, r := range e.Results {
			if name, _, ok := transcript.Derived(r.CallID); ok {
				came[name]++
			}
		}
	}
	return 0, came, err
}

// target returns the target of a call; a path in the form of the ledger.
func (rec *recorder) target(c attribution.Call) string {
	switch c.Meaning.Op {
	case intents.OpShell, intents.OpCommit, intents.OpGrep, intents.OpList, "":
		return CutLabel(c.Shown.Meaning.What())
	}
	return rec.files.Target(c.Meaning)
}

// results offloads the large results of p. It returns copies, since the transaction may run twice.
func (rec *recorder) results(p *prepared) ([]result, error) {
	out := slices.Clone(p.results)
	for i := range out {
		if err := rec.replaced(&out[i].Result, out[i].text); err != nil {
			return nil, err
		}
		if out[i].blob == nil {
			continue
		}
		if err := rec.offload(&out[i]); err != nil {
			return nil, err
		}
		if out[i].Artifact != "" {
			continue
		}
		if err := MarkUnreferenced(rec.tx, out[i].blob.Hash); err != nil { // it was stored for nothing
			return nil, err
		}
	}
	return out, nil
}
