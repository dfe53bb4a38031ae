package core

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// MaxBranches is how many sessions with the same beginning are looked at.
const MaxBranches = 64

// chain is a conversation as it is handed in, with the digests of its messages.
type chain struct {
	raws    [][]byte
	digests []string
}

func chained(raws [][]byte) chain {
	c := chain{raws: raws, digests: make([]string, len(raws))}
	for i, raw := range raws {
		c.digests[i] = sessions.Digest(raw)
	}
	return c
}

// position is where a conversation stands in the ledger.
type position struct {
	session string // "" for a new one
	known   int    // messages that are in the ledger already
	last    int64  // the entry of the newest known one; 0: none
}

// place finds how much of a conversation is known, and which session goes on: the named one, or the
// one that ends where the known part ends. Anything else is a new session, be it a fork of a shared
// beginning.
func (l *Ledger) locate(tx kv.Tx, r ledger.AppendMessagesRequest, c chain) (position, error) {
	if r.Session != "" {
		return locateIn(tx, r, c)
	}
	if r.Since {
		return position{}, fault.New(fault.Invalid, "engine.messages",
			"new messages alone need the session that they continue").
			WithHint("pass the session that the earlier call returned")
	}
	at, err := endOf(tx, c, start{})
	if err != nil {
		return at, err
	}
	from, err := head(tx, r.Format, c)
	if err != nil || from.session == "" {
		return at, err
	}
	behind, err := endOf(tx, c, from)
	if err == nil && behind.known > at.known {
		at = behind
	}
	return at, err
}

// locateIn is locate for a named session.
func locateIn(tx kv.Tx, r ledger.AppendMessagesRequest, c chain) (position, error) {
	s, err := sessions.Find(tx, r.Session)
	if err != nil {
		return position{}, err
	}
	if s.HostID != "" {
		return position{}, fault.New(fault.Conflict, "engine.messages",
			"session %s is recorded from the files of %s: messages handed in would be there twice", s.ID, s.Host).
			WithHint("name no session to record them as a new one")
	}
	if r.Since {
		return position{session: s.ID}, nil
	}
	at, err := walk(tx, c, start{}, s.ID)
	if err != nil {
		return position{}, err
	}
	from, err := head(tx, r.Format, c)
	if err != nil {
		return position{}, err
	}
	if from.session == s.ID {
		behind, err := walk(tx, c, from, s.ID)
		if err != nil {
			return position{}, err
		}
		if behind.known > at.known {
			at = behind
		}
	}
	return at.in(tx, s.ID)
}

// start is where a chain is followed from: the known messages at its head, and the id that the next
// one follows.
type start struct {
	session string // that of the summary at the head
	known   int
	id      string // "" at the beginning of a conversation
}

// head recognises a summary of ours at the head of a conversation, behind what the system said and the
// provider's own compaction: it stands for the messages up to the newest that it covers. Where the system
// says something else than in the summary's session, the conversation is another one.
func head(tx kv.Tx, f transcript.Format, c chain) (start, error) {
	system, behind := 0, behindCompacted(f, c.raws)
	for i, raw := range c.raws {
		if i < behind && system < i {
			continue
		}
		m, err := transcript.Decode(f, raw)
		switch {
		case err != nil:
			return start{}, nil // refused later, with its number
		case m.Role == transcript.RoleSystem && system == i:
			system++
			continue
		case i < behind:
			continue
		}
		sum, err := summaryByText(tx, transcript.PlainText(m))
		if err != nil || sum == nil {
			return start{}, err
		}
		said, err := walk(tx, chain{digests: c.digests[:system]}, start{}, sum.Session)
		if err != nil || said.known < system {
			return start{}, err
		}
		e, err := sessions.GetEntry(tx, sum.Session, sum.To)
		if err != nil {
			return start{}, err
		}
		return start{session: sum.Session, known: i + 1, id: e.ID}, nil
	}
	return start{}, nil
}

// behindCompacted returns where the messages behind the provider's own newest compaction begin, 0 for none.
func behindCompacted(f transcript.Format, raws [][]byte) int {
	if !transcript.Itemised(f) {
		return 0
	}
	for i, raw := range slices.Backward(raws) {
		if !bytes.Contains(raw, []byte("compaction")) { // as the types of all such items are called
			continue
		}
		if m, err := transcript.Decode(f, raw); err == nil && transcript.Compacted(m) {
			return i + 1
		}
	}
	return 0
}

// walk follows a chain as far as its messages are known: in one session, or in any.
func walk(tx kv.Tx, c chain, from start, session string) (start, error) {
	for i := from.known; i < len(c.digests); i++ {
		p, found, err := find(tx, sessions.MessageID(from.id, c.digests[i]), session)
		if err != nil || !found {
			return from, err
		}
		from.known, from.id = i+1, p.ID // the id of another wording is that of the message itself
	}
	return from, nil
}

// find returns where a message stands, in one session or in any.
func find(tx kv.Tx, id, session string) (sessions.Place, bool, error) {
	if session != "" {
		return sessions.PlaceIn(tx, session, id)
	}
	places, err := sessions.Places(tx, id, 1)
	if err != nil || len(places) == 0 {
		return sessions.Place{}, false, err
	}
	return places[0], true, nil
}

// in returns where a start stands in a session that has it.
func (s start) in(tx kv.Tx, session string) (position, error) {
	at := position{session: session, known: s.known}
	if s.known == 0 {
		return at, nil
	}
	p, found, err := sessions.PlaceIn(tx, session, s.id)
	if err == nil && !found {
		err = fault.New(fault.Corrupt, "engine.messages", "message %s of session %s is not in the index", s.id, session)
	}
	at.last = p.Seq
	return at, err
}

// endOf follows a chain and returns the session that ends where it stops being known; none when
// every session that knows it goes on differently.
func endOf(tx kv.Tx, c chain, from start) (position, error) {
	end, err := walk(tx, c, from, from.session)
	if err != nil || end.known == 0 {
		return position{}, err
	}
	places, err := sessions.Places(tx, end.id, MaxBranches)
	if err != nil {
		return position{}, err
	}
	for _, p := range places {
		s, err := sessions.Get(tx, p.Session)
		if err != nil {
			return position{}, err
		}
		if s.Chain == end.id && s.HostID == "" && (from.session == "" || from.session == s.ID) {
			return end.in(tx, s.ID)
		}
	}
	return position{}, nil
}

// rewind notes that a session goes on from an earlier message than its newest, and reports whether
// it does: what stands between is no longer part of the conversation.
func rewind(tx kv.Tx, s *sessions.Session, to int64, at time.Time) (bool, error) {
	newest, _, err := sessions.PlaceIn(tx, s.ID, s.Chain)
	if err != nil || newest.Seq == to {
		return false, err
	}
	data, err := json.Marshal(map[string]int64{"to": to})
	if err != nil {
		return false, fault.Wrap(fault.Internal, "engine.rewind", err)
	}
	e := sessions.Entry{Kind: sessions.KindRewind, Time: at, Turn: s.Turns, Data: data}
	if _, err := sessions.Append(tx, s, e, nil); err != nil {
		return false, err
	}
	s.Chain = ""
	if to > 0 {
		target, err := sessions.GetEntry(tx, s.ID, to)
		if err != nil {
			return false, err
		}
		s.Chain = target.ID
	}
	return true, nil
}
