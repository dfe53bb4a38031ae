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
	last  time.Time // of the newest record with a time
	usage meter
}

// entry makes an entry of a whole record.
func (e *entries) entry(r *sessionfile.Record) sessions.NewEntry {
	usage := e.note(r)
	said := r.Message
	if r.Queue != "" {
		said = r.Queued
	}
	return sessions.NewEntry{
		Kind: kindOf(r), Time: e.last, HostID: r.ID, HostParent: r.Parent, Original: bytes.Clone(r.Text),
		Group: r.Reply, Author: r.Author, Model: r.Model, Usage: usage,
		Unfinished: !r.Final && r.Model != "",
		Message:    said, Format: r.Format, Note: r.Note, Effects: r.Effects,
		Hidden: hidden(r), Cut: r.Cut, Queue: r.Queue, Copied: r.Continues != "",
	}
}

// hidden reports whether no view shows a record. A summary that ctxledger wrote is all that this session has of what
// came before.
func hidden(r *sessionfile.Record) bool {
	return r.Aside || r.Summary && r.Continues == "" || r.Thread != ""
}

// note takes in a record, and returns the usage that it adds.
func (e *entries) note(r *sessionfile.Record) *sessions.Usage {
	if !r.Time.IsZero() {
		e.last = r.Time
	}
	return e.usage.count(r.Reply, r.Usage)
}

func kindOf(r *sessionfile.Record) sessions.Kind {
	if r.Message.Empty() {
		return sessions.KindNote
	}
	return sessions.KindMessage
}

// Agents write one message of the provider as several records, one per block, and repeat the usage
// of the whole message on each; an early record may hold smaller numbers than the last. Each record
// is therefore counted as what it adds to the records before it, so that the sum over all records is
// the usage of the last one, wherever an import is cut off and resumed.

// openMessages is how many messages can be under way at once: the main conversation's, and in
// files of older versions those of subagents working side by side.
const openMessages = 16

// meter knows what was counted of the newest messages. It is a plain value, so that a copy of it
// is a state to go back to.
type meter struct {
	seen [openMessages]counted // a ring
	next int                   // where the following message goes
}

type counted struct {
	id    string
	usage sessions.Usage
}

// count returns what a line with this usage adds to its message, or nil for nothing.
func (m *meter) count(id string, u sessions.Usage) *sessions.Usage {
	add := u
	if id != "" {
		add = m.swap(id, u)
	}
	if add == (sessions.Usage{}) {
		return nil
	}
	return &add
}

// swap notes u as counted for a message and returns the difference to what was.
func (m *meter) swap(id string, u sessions.Usage) sessions.Usage {
	for i, c := range m.seen {
		if c.id == id {
			m.seen[i].usage = u
			return sessions.Usage{
				Input: u.Input - c.usage.Input, Output: u.Output - c.usage.Output,
				CacheRead: u.CacheRead - c.usage.CacheRead, CacheWrite: u.CacheWrite - c.usage.CacheWrite,
				CacheLong: u.CacheLong - c.usage.CacheLong,
			}
		}
	}
	m.seen[m.next] = counted{id, u}
	m.next = (m.next + 1) % openMessages
	return u
}
