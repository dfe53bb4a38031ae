package engine

import (
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

const (
	maxTitle    = 120 // characters of a session's title
	maxBranches = 64  // sessions with the same beginning that are looked at
)

// AppendMessages implements API.
//
// A host that keeps its conversation sends it whole each time. Its messages are known again by
// their chain of ids, so only what is new is recorded; a summary of ours at the head stands for
// the range that it replaced.
func (l *Local) AppendMessages(ctx context.Context, r AppendMessagesRequest) (AppendMessagesResponse, error) {
	var zero AppendMessagesResponse
	raws, err := l.conversation(ctx, r)
	if err != nil {
		return zero, err
	}
	digests := make([]string, len(raws))
	for i, raw := range raws {
		digests[i] = sessions.Digest(raw)
	}
	m, err := l.mutationOf("messages", r.Key, sessions.Digest([]byte(r.Session+"\x00"+strings.Join(digests, ""))))
	if err != nil {
		return zero, err
	}
	at, err := view(ctx, l, func(tx kv.Tx) (position, error) { return l.place(tx, r, raws, digests) })
	if err != nil {
		return zero, err
	}
	ready, err := l.prepareMessages(ctx, r, raws[at.known:])
	if err != nil {
		return zero, err
	}
	return mutate(ctx, l, m, func(tx kv.Tx) (AppendMessagesResponse, []Event, error) {
		now, err := l.place(tx, r, raws, digests)
		if err != nil {
			return zero, nil, err
		}
		if now.known != at.known {
			return zero, nil, fault.New(fault.Stale, "engine.messages", "another caller recorded messages of this conversation at the same time").
				WithHint("send the request again")
		}
		return l.appendMessages(tx, r, now, ready, m)
	})
}

// conversation returns the messages of a request, each with its exact bytes.
func (l *Local) conversation(ctx context.Context, r AppendMessagesRequest) ([]json.RawMessage, error) {
	raws := r.Messages
	if r.Blob != "" {
		array, err := l.readBlob(ctx, r.Blob, limits.MCPMessage)
		if err != nil {
			return nil, err
		}
		if raws, err = transcript.Split(r.Format, array); err != nil {
			return nil, err
		}
	}
	if len(raws) == 0 {
		return nil, fault.New(fault.Invalid, "engine.messages", "no messages").
			WithHint("hand in the conversation as an array of messages")
	}
	return raws, nil
}

// prepareMessages decodes the new messages. Other than in an import, one that cannot be decoded is
// refused: its sender can mend it.
func (l *Local) prepareMessages(ctx context.Context, r AppendMessagesRequest, raws []json.RawMessage) ([]*prepared, error) {
	now := l.now()
	ready := make([]*prepared, 0, len(raws))
	for i, raw := range raws {
		p, err := l.prepare(ctx, sessions.NewEntry{
			Kind: sessions.KindMessage, Time: now, Model: r.Model, Format: r.Format, Original: raw,
		})
		if err != nil {
			return nil, err
		}
		if p.entry.Kind != sessions.KindMessage {
			return nil, fault.New(fault.Invalid, "engine.messages", "new message %d: %s", i+1, p.entry.Note)
		}
		ready = append(ready, p)
	}
	return ready, nil
}

// position is where a conversation stands in the ledger.
type position struct {
	session string // "" for a new one
	known   int    // messages that are in the ledger already
	last    int64  // the entry of the newest known one
}

// place finds how much of a conversation is known, and in which session.
func (l *Local) place(tx kv.Tx, r AppendMessagesRequest, raws []json.RawMessage, digests []string) (position, error) {
	if r.Since {
		if r.Session == "" {
			return position{}, fault.New(fault.Invalid, "engine.messages", "new messages alone need the session that they continue").
				WithHint("pass the session that the earlier call returned")
		}
		s, err := sessions.Find(tx, r.Session)
		return position{session: s.ID, last: s.Seq}, err
	}
	head, err := l.head(tx, r, raws[0])
	if err != nil {
		return position{}, err
	}
	best := head
	prev := head.chain
	for i := head.known; i < len(raws); i++ {
		id := sessions.MessageID(prev, digests[i])
		places, err := sessions.Places(tx, id, maxBranches)
		if err != nil {
			return position{}, err
		}
		seq, session := pick(places, best.session, r.Session)
		if session == "" {
			break
		}
		best.session, best.known, best.last = session, i+1, seq
		prev = id
	}
	return l.settle(tx, r, best.position)
}

// start is a position with the message id that the next message follows.
type start struct {
	position
	chain string
}

// head recognises a summary of ours at the head of a conversation.
func (l *Local) head(tx kv.Tx, r AppendMessagesRequest, first json.RawMessage) (start, error) {
	m, err := transcript.Decode(r.Format, first)
	if err != nil {
		return start{}, nil // refused later, with its number
	}
	sum, err := summaryByText(tx, transcript.PlainText(m))
	if err != nil || sum == nil {
		return start{}, err
	}
	e, err := sessions.GetEntry(tx, sum.Session, sum.To)
	if err != nil {
		return start{}, err
	}
	return start{position{sum.Session, 1, sum.To}, e.ID}, nil
}

// pick chooses among the places of a message: the session being followed, the one asked for, or
// the first.
func pick(places []sessions.Place, following, wanted string) (int64, string) {
	for _, want := range []string{following, wanted} {
		for _, p := range places {
			if want != "" && p.Session == want {
				return p.Seq, p.Session
			}
		}
	}
	if following == "" && wanted == "" && len(places) > 0 {
		return places[0].Seq, places[0].Session
	}
	return 0, ""
}

// settle decides which session goes on: the named one, the known one if nothing follows in it
// after what is known, else a new one (a fork of a shared beginning).
func (l *Local) settle(tx kv.Tx, r AppendMessagesRequest, at position) (position, error) {
	if r.Session != "" {
		s, err := sessions.Find(tx, r.Session)
		if err != nil {
			return at, err
		}
		if at.session != s.ID {
			at = position{session: s.ID}
		}
		return at, nil
	}
	if at.session == "" {
		return at, nil
	}
	s, err := sessions.Get(tx, at.session)
	if err != nil {
		return at, err
	}
	newest, err := newestMessage(tx, s)
	if err != nil || newest == at.last {
		return at, err
	}
	return position{}, nil
}

// newestMessage returns the newest received entry of a session.
func newestMessage(tx kv.Tx, s sessions.Session) (int64, error) {
	places, err := sessions.Places(tx, s.Chain, maxBranches)
	for _, p := range places {
		if p.Session == s.ID {
			return p.Seq, err
		}
	}
	return 0, err
}

// appendMessages records the new messages of a conversation.
func (l *Local) appendMessages(tx kv.Tx, r AppendMessagesRequest, at position, ready []*prepared, m mutation) (AppendMessagesResponse, []Event, error) {
	var zero AppendMessagesResponse
	s, created, err := l.messageSession(tx, r, at, ready, m)
	if err != nil {
		return zero, nil, err
	}
	if err := l.rewind(tx, &s, at, r.Since, created, m); err != nil {
		return zero, nil, err
	}
	rec := &recorder{l: l, tx: tx, session: &s, at: m.at}
	for _, p := range ready {
		if _, err := rec.record(p); err != nil {
			return zero, nil, err
		}
	}
	if err := sessions.Save(tx, s); err != nil {
		return zero, nil, err
	}
	return AppendMessagesResponse{s.ID, s.Seq, len(ready), created}, rec.events(len(ready)), nil
}

// messageSession returns the session that goes on, or creates one.
func (l *Local) messageSession(tx kv.Tx, r AppendMessagesRequest, at position, ready []*prepared, m mutation) (sessions.Session, bool, error) {
	if at.session != "" {
		s, err := sessions.Get(tx, at.session)
		return s, false, err
	}
	host := r.Host
	if host == "" {
		host = "mcp"
	}
	seed := m.key
	if seed == "" {
		seed = m.at.String()
	}
	fresh := sessions.Session{Host: host, Model: r.Model, Dir: l.root, Created: m.at, Updated: m.at, Title: title(ready)}
	s, err := sessions.Create(tx, fresh, m.digest+seed)
	return s, true, err
}

// rewind notes that a named session goes on from an earlier message than its newest: what stands
// between is no longer part of the conversation.
func (l *Local) rewind(tx kv.Tx, s *sessions.Session, at position, since, created bool, m mutation) error {
	if since || created {
		return nil
	}
	newest, err := newestMessage(tx, *s)
	if err != nil || newest == 0 || newest == at.last {
		return err
	}
	data, err := json.Marshal(map[string]int64{"to": at.last})
	if err != nil {
		return fault.Wrap(fault.Internal, "engine.rewind", err)
	}
	if _, err = sessions.Append(tx, s, sessions.Entry{Kind: sessions.KindRewind, Time: m.at, Turn: s.Turns, Data: data}, nil); err != nil {
		return err
	}
	s.Chain = ""
	if at.last > 0 {
		e, err := sessions.GetEntry(tx, s.ID, at.last)
		if err != nil {
			return err
		}
		s.Chain = e.ID
	}
	return nil
}

// title returns the first line of the first request, shortened.
func title(ready []*prepared) string {
	for _, p := range ready {
		if !p.entry.Prompt {
			continue
		}
		m, err := transcript.Decode(p.entry.Format, p.original)
		if err != nil {
			continue
		}
		return firstLine(transcript.PlainText(m))
	}
	return ""
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimLeft(s, "# \t\r\n"), "\n")
	s = strings.TrimSpace(s)
	if utf8.RuneCountInString(s) > maxTitle {
		s = string([]rune(s)[:maxTitle-1]) + "…"
	}
	return s
}
