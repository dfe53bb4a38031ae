package engine

import (
	"slices"
	"time"

	"ctxledger.dev/intents"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
)

// recorder appends prepared entries to one session inside one transaction.
type recorder struct {
	l       *Local
	tx      kv.Tx
	session *sessions.Session
	at      time.Time
	changed int // changes recorded
}

// record appends p to the session with everything that follows from it.
func (rec *recorder) record(p *prepared) (sessions.Entry, error) {
	s, e := rec.session, p.entry // a copy: the transaction may run twice
	e.ID = sessions.MessageID(s.Chain, p.digest)
	if e.Prompt {
		s.Turns++
	}
	e.Turn = s.Turns
	if e.Model != "" && !e.Hidden {
		s.Model = e.Model
	}
	if e.Usage != nil {
		s.Usage = s.Usage.Add(*e.Usage)
	}
	room := maxFacts
	for _, c := range p.calls {
		target := rec.target(c.meaning)
		if len(target) <= room {
			c.Target = target
			room -= len(target)
		}
		c.Same = intents.Same(c.Name, c.meaning, c.args, target)
		if from, _ := rec.l.normal(s.Dir, c.meaning.From); c.Op == intents.OpMove && len(from) <= room {
			c.From = from
			room -= len(from)
		}
		e.Calls = append(e.Calls, c.Call)
	}
	results, err := rec.results(p)
	if err != nil {
		return e, err
	}
	for _, r := range results {
		e.Results = append(e.Results, r.Result)
	}
	chain := s.Chain
	e, err = sessions.Append(rec.tx, s, e, p.original)
	if err != nil {
		return e, err
	}
	if err := rec.alias(chain, e, p, results); err != nil {
		return e, err
	}
	if e.Blob != "" {
		if err := rec.l.nameBlob(rec.tx, e.Blob); err != nil {
			return e, err
		}
	}
	if err := rec.begin(e, p.calls); err != nil {
		return e, err
	}
	if err := rec.finish(e, p); err != nil || !e.Prompt {
		return e, err
	}
	return e, rec.abandon(e.Time)
}

// target returns what a call is about, its path as the ledger keeps paths.
func (rec *recorder) target(m intents.Meaning) string {
	switch m.Op {
	case intents.OpShell, intents.OpCommit, intents.OpGrep, intents.OpList, "":
		return cutLabel(m.What())
	}
	p, _ := rec.l.normal(rec.session.Dir, m.Target)
	return p
}

// results returns the results of p after offloading those that are large. They are copies: the
// transaction may run twice.
func (rec *recorder) results(p *prepared) ([]result, error) {
	out := slices.Clone(p.results)
	for i := range out {
		if out[i].blob == nil {
			continue
		}
		if err := rec.offload(&out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}
