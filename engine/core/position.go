package core

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// MaxBranches bounds the sessions with a common beginning that are examined.
const MaxBranches = 64

// chain is a conversation as a host sends it, with the digests of its messages' values.
type chain struct {
	raws   [][]byte
	values []string // "" for what is no message: it is refused later, with its number
}

func chained(f transcript.Format, raws [][]byte) chain {
	c := chain{raws: raws, values: make([]string, len(raws))}
	_ = each(len(raws), func(i int) error {
		if value, err := sessions.ValueDigest(f, raws[i]); err == nil {
			c.values[i] = value
		}
		return nil
	})
	return c
}

// upTo returns the first n messages.
func (c chain) upTo(n int) chain { return chain{c.raws[:n], c.values[:n]} }

// position is the place of a conversation in the ledger.
type position struct {
	session string // "" for a new one
	known   int    // messages that are in the ledger already
	last    int64  // the entry of the newest known one; 0: none
	seq     int64  // the newest entry of the session
}

// relocate returns where a conversation is that was at a position. In a session that has not grown since it still is.
func (l *Ledger) relocate(tx kv.Tx, r ledger.AppendMessagesRequest, c chain, was position) (position, error) {
	if was.session != "" {
		s, err := sessions.Get(tx, was.session)
		if err != nil || s.Seq == was.seq {
			return was, err
		}
	}
	at, err := l.locate(tx, r, c)
	if err != nil || at.session == "" {
		return at, err
	}
	s, err := sessions.Get(tx, at.session)
	at.seq = s.Seq
	return at, err
}

// locate finds how much of a conversation is known, and which session it continues: the named one, or the one that
// ends where the known part ends. Anything else becomes a new session, even if it forks from a common beginning.
func (l *Ledger) locate(tx kv.Tx, r ledger.AppendMessagesRequest, c chain) (position, error) {
	if r.Session != "" {
		return locateIn(tx, r, c)
	}
	if r.Since {
		return position{}, fault.New(fault.Invalid, "engine.messages",
			"if you pass only new messages, name their session").
			WithHint("pass the session that the earlier call returned")
	}
	at, err := endOf(tx, c, beginning())
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
			"session %s is recorded from the files of %s: messages passed in would be recorded twice", s.ID, s.Host).
			WithHint("to record them as a new session, do not name one")
	}
	if r.Since {
		return position{session: s.ID}, nil
	}
	at, err := walk(tx, c, beginning(), s.ID)
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

// start is where following a chain starts: the known messages at its head, and the ids before the next one. There are several
// if messages of one value have several ids: those recorded by earlier versions, whose ids are of their bytes, and those
// that are a view's wording of another.
type start struct {
	session string // that of the summary at the head
	known   int
	ids     []string // [""] at the beginning of a conversation
}

// beginning is where a conversation begins.
func beginning() start { return start{ids: []string{""}} }

// head recognises one of our summaries at the head of a conversation, after the system's messages and the provider's
// own compaction. It represents the messages up to the newest that it covers. If the system's messages differ from
// those of the summary's session, it is another conversation.
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
		said, err := walk(tx, c.upTo(system), beginning(), sum.Session)
		if err != nil || said.known < system {
			return start{}, err
		}
		e, err := sessions.GetEntry(tx, sum.Session, sum.To)
		if err != nil {
			return start{}, err
		}
		return start{session: sum.Session, known: i + 1, ids: []string{e.ID}}, nil
	}
	return start{}, nil
}

// behindCompacted returns the index after the provider's own newest compaction, 0 for none.
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

// walk follows a chain as long as its messages are known: in one session, or with "" in any.
func walk(tx kv.Tx, c chain, from start, session string) (start, error) {
	for i := from.known; i < len(c.values) && c.values[i] != ""; i++ {
		ids, err := follow(tx, from.ids, c.values[i], session)
		if err == nil && len(ids) == 0 { // a message of an earlier version whose words were forgotten, or are a view's
			ids, err = follow(tx, from.ids, sessions.Digest(c.raws[i]), session)
		}
		if err != nil || len(ids) == 0 {
			return from, err
		}
		from.known, from.ids = i+1, ids
	}
	return from, nil
}

// follow returns the ids of the known messages with this digest that come after one of ids.
func follow(tx kv.Tx, ids []string, digest, session string) (next []string, err error) {
	for _, id := range ids {
		known, err := sessions.Known(tx, session, sessions.MessageID(id, digest))
		if err != nil {
			return nil, err
		}
		for _, id := range known {
			if len(next) < MaxBranches && !slices.Contains(next, id) {
				next = append(next, id)
			}
		}
	}
	return next, nil
}

// in returns the position of a start in a session that contains it.
func (s start) in(tx kv.Tx, session string) (position, error) {
	at := position{session: session, known: s.known}
	if s.known == 0 {
		return at, nil
	}
	for _, id := range s.ids {
		p, found, err := sessions.PlaceIn(tx, session, id)
		if err != nil {
			return at, err
		}
		if found {
			at.last = max(at.last, p.Seq)
		}
	}
	if at.last == 0 {
		return at, fault.New(fault.Corrupt, "engine.messages", "messages %s of session %s are not in the index",
			strings.Join(s.ids, ", "), session)
	}
	return at, nil
}

// endOf follows a chain and returns the session that ends where the known part ends; none if every session that
// contains it continues differently.
func endOf(tx kv.Tx, c chain, from start) (position, error) {
	end, err := walk(tx, c, from, from.session)
	if err != nil || end.known == 0 {
		return position{}, err
	}
	for _, id := range end.ids {
		places, err := sessions.Places(tx, id, MaxBranches)
		if err != nil {
			return position{}, err
		}
		for _, p := range places {
			s, err := sessions.Get(tx, p.Session)
			if err != nil {
				return position{}, err
			}
			if s.Chain == id && s.HostID == "" && (from.session == "" || from.session == s.ID) {
				return start{known: end.known, ids: []string{id}}.in(tx, s.ID)
			}
		}
	}
	return position{}, nil
}

// rewind records that a session continues from an earlier message than its newest, and reports whether it does. The
// messages in between are no longer part of the conversation.
func rewind(tx kv.Tx, s *sessions.Session, to int64, at time.Time) (bool, error) {
	newest, _, err := sessions.PlaceIn(tx, s.ID, s.Chain)
	if err != nil || newest.Seq == to {
		return false, err
	}
	e := sessions.Entry{Kind: sessions.KindRewind, Time: at}
	if _, err := sessions.AppendOwn(tx, s, e, map[string]int64{"to": to}); err != nil {
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
