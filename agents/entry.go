package agents

import (
	"bytes"
	"time"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/sessions"
)

// entries makes entries of the records of one file, in order. It is a plain value: a copy is a state to go
// back to.
type entries struct {
	last    time.Time // of the newest record with a time
	version string    // of the agent, as the newest record with one says
}

// entry makes an entry of a whole record.
func (e *entries) entry(r *sessionfile.Record) sessions.NewEntry {
	version := e.note(r)
	said := r.Message
	if r.Queue != "" {
		said = r.Queued
	}
	out := sessions.NewEntry{
		Kind: kindOf(r), Time: e.last, HostID: r.ID, HostParent: r.Parent, Origin: r.Origin,
		Original: bytes.Clone(r.Text),
		Group:    r.Reply, Author: r.Author, Model: r.Model, Usage: added(r.Added), Bill: charged(r),
		Unfinished: !r.Final && r.Model != "",
		Message:    said, Format: r.Format, Note: r.Note, Effects: r.Effects,
		Attached: r.Attached,
		Hidden:   hidden(r), Loaded: r.Loaded, Cut: r.Cut, Cleared: r.Cleared, Window: r.Window, Version: version,
		Queue:  r.Queue,
		Copied: r.Continues != "" || r.Again,
	}
	if x := repeated(r); x != nil {
		out.Group, out.Author, out.Model, out.Usage, out.Bill = x.Reply, x.Author, x.Model, added(x.Added), charged(x)
		out.Unfinished, out.Hidden = !x.Final, true
	}
	return out
}

// repeated returns the part of a subagent's answer that a record repeats, nil for none.
func repeated(r *sessionfile.Record) *sessionfile.Record {
	if r.Repeats == nil {
		return nil
	}
	x := r.Repeats()
	if x == nil || x.Added == (sessions.Usage{}) {
		return nil
	}
	return x
}

// hidden reports whether no view shows a record. A summary that ctxledger wrote is all that this session has of what
// came before.
func hidden(r *sessionfile.Record) bool {
	return r.Aside && !r.Loaded || r.Summary && r.Continues == "" || r.Thread != ""
}

// note takes in a record, and returns the agent's version if it is another one than before.
func (e *entries) note(r *sessionfile.Record) (version string) {
	if !r.Time.IsZero() {
		e.last = r.Time
	}
	if r.Version != "" && r.Version != e.version {
		version, e.version = r.Version, r.Version
	}
	return version
}

// added returns the usage of an entry, nil for nothing. Agents repeat the usage of a whole answer on each of its records:
// an entry has what its record adds, so that the sum is that of the last record, wherever an import is cut off.
func added(u sessions.Usage) *sessions.Usage {
	if u == (sessions.Usage{}) {
		return nil
	}
	return &u
}

// charged returns the bill of an entry, nil where its usage and model say all of it.
func charged(r *sessionfile.Record) sessions.Bill {
	usual := sessions.Charge{Model: r.Model, Usage: r.Added}
	if len(r.Charged) == 0 || len(r.Charged) == 1 && r.Charged[0] == usual {
		return nil
	}
	return r.Charged
}

func kindOf(r *sessionfile.Record) sessions.Kind {
	if r.Message.Empty() {
		return sessions.KindNote
	}
	return sessions.KindMessage
}
