package core

import (
	"cmp"
	"context"
	"slices"

	"ctxledger.dev/engine/attribution"
	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

const maxMessages = 20_000 // messages of one conversation: a commit stays within seconds

// AppendMessages implements ledger.Recorder.
//
// A host that keeps its conversation sends all of it each time. The chain of ids identifies known messages, so only
// new ones are recorded. One of our summaries at the head represents the range that it replaced.
func (l *Ledger) AppendMessages(ctx context.Context,
	r ledger.AppendMessagesRequest) (ledger.AppendMessagesResponse, error) {
	m := l.NewMutation("messages", r.Key, r).Check(CheckTexts("engine.messages", Label("session", r.Session),
		Text("host", r.Host, maxHostID), Label("model", r.Model), Label("blob", r.Blob),
		Text("directory", r.Dir, attribution.MaxPath)))
	if resp, done, err := PreviousResponse[ledger.AppendMessagesResponse](ctx, l, m); done || err != nil {
		return resp, err
	}
	resp, err := l.recordMessages(ctx, r, m)
	if r.Blob != "" {
		failpoint.Hit("engine.messages.recorded")
		l.useUp(ctx, r.Blob)
	}
	return resp, err
}

// recordMessages records the new messages of a conversation. It retries when another caller was faster.
func (l *Ledger) recordMessages(ctx context.Context, r ledger.AppendMessagesRequest,
	m Mutation) (ledger.AppendMessagesResponse, error) {
	l.references.RLock()
	defer l.references.RUnlock()
	raws, err := l.conversation(ctx, r)
	if err != nil {
		return ledger.AppendMessagesResponse{}, err
	}
	if r.Format == "" {
		if r.Format, err = l.recognise(ctx, r.Session, raws); err != nil {
			return ledger.AppendMessagesResponse{}, err
		}
	}
	raws = withoutOpening(r.Format, raws)
	for range limits.Plans {
		resp, err := l.tryMessages(ctx, r, raws, m)
		if !fault.Is(err, fault.Stale) {
			return resp, err
		}
	}
	return ledger.AppendMessagesResponse{}, fault.New(fault.Stale, "engine.messages",
		"other callers recorded messages of this conversation %d times while this one was being prepared", limits.Plans).
		WithHint("send the request again")
}

// treeOfMessages returns the tree that a new session of r runs in.
func (l *Ledger) treeOfMessages(r ledger.AppendMessagesRequest) string {
	return l.Trees.TreeOf(cmp.Or(r.Dir, l.root))
}

// conversation returns the messages of a request, each with its exact bytes.
func (l *Ledger) conversation(ctx context.Context, r ledger.AppendMessagesRequest) ([][]byte, error) {
	const op = "engine.messages"
	raws := r.Messages
	if r.Blob != "" {
		if len(raws) > 0 {
			return nil, fault.New(fault.Invalid, op, "both messages and a blob were given: exactly one is allowed")
		}
		array, err := l.readBlob(ctx, r.Blob, limits.MCPMessage)
		if err != nil {
			return nil, err
		}
		if raws, err = transcript.Split(r.Format, array); err != nil {
			return nil, err
		}
	}
	switch {
	case len(raws) == 0:
		return nil, fault.New(fault.Invalid, op, "no messages").
			WithHint("pass the conversation as an array of messages")
	case len(raws) > maxMessages:
		return nil, fault.New(fault.TooLarge, op, "%d messages, more than %d", len(raws), maxMessages).
			WithHint("pass only what is new with `since`")
	}
	return raws, nil
}

// recognise returns the format of messages. If several fit, it is that of the session that they continue.
func (l *Ledger) recognise(ctx context.Context, session string, raws [][]byte) (transcript.Format, error) {
	var likely []transcript.Format
	if session != "" {
		f, err := View(ctx, l, func(tx kv.Tx) (transcript.Format, error) { return newestFormat(tx, session) })
		if err != nil {
			return "", err
		}
		likely = append(likely, f)
	}
	return transcript.Recognise(raws, likely...)
}

// newestFormat returns the format of a session's newest message, "" when the last entries have none.
func newestFormat(tx kv.Tx, session string) (transcript.Format, error) {
	s, err := sessions.Find(tx, session)
	if err != nil {
		return "", err
	}
	e, err := newestMessage(tx, s)
	return e.Format, err
}

// newestMessage returns the newest message of a session, the zero value when the last entries have none.
func newestMessage(tx kv.Tx, s sessions.Session) (sessions.Stored, error) {
	const near = 100 // entries: what hosts and the ledger itself write between two messages
	for seq := s.Seq; seq > max(0, s.Seq-near); seq-- {
		if e, err := sessions.GetEntry(tx, s.ID, seq); err != nil || e.Kind == sessions.KindMessage {
			return e, err
		}
	}
	return sessions.Stored{}, nil
}

// tryMessages locates a conversation in the ledger, prepares its new messages and records them. stale: another caller
// recorded messages of it meanwhile.
func (l *Ledger) tryMessages(ctx context.Context, r ledger.AppendMessagesRequest, raws [][]byte,
	m Mutation) (ledger.AppendMessagesResponse, error) {
	c := chained(r.Format, raws)
	at, err := View(ctx, l, func(tx kv.Tx) (position, error) { return l.relocate(tx, r, c, position{}) })
	if err != nil {
		return ledger.AppendMessagesResponse{}, err
	}
	ready, err := l.prepareMessages(ctx, r, c, at.known)
	if err != nil {
		return ledger.AppendMessagesResponse{}, err
	}
	var begun readLog
	resp, err := Mutate(ctx, l, m, func(tx kv.Tx) (ledger.AppendMessagesResponse, []ledger.Event, error) {
		now, err := l.relocate(tx, r, c, at)
		if err != nil {
			return ledger.AppendMessagesResponse{}, nil, err
		}
		if now.known != at.known {
			return ledger.AppendMessagesResponse{}, nil, fault.New(fault.Stale, "engine.messages",
				"another caller recorded messages of this conversation at the same time")
		}
		begun = readLog{} // the transaction may run twice
		return l.appendMessages(tx, r, now, ready, m, &begun)
	})
	if err == nil && begun.session != "" {
		l.logs.put(begun)
	}
	return resp, err
}

// prepareMessages decodes the new messages. Unlike an import, it refuses one that cannot be decoded, with its number,
// since its sender can correct it.
func (l *Ledger) prepareMessages(ctx context.Context, r ledger.AppendMessagesRequest, c chain,
	known int) ([]*prepared, error) {
	now := l.Now()
	entries := make([]sessions.NewEntry, 0, len(c.raws)-known)
	for _, raw := range c.raws[known:] {
		entries = append(entries, sessions.NewEntry{
			Kind: sessions.KindMessage, Time: now, Model: r.Model, Format: r.Format, Original: raw,
			Author: transcript.Speaker(raw),
		})
	}
	ready, err := l.prepareAll(ctx, l.Settings(sessions.Session{Tree: l.treeOfMessages(r)}), entries)
	if err != nil {
		return nil, err
	}
	for i, p := range ready {
		p.entry.Value = c.values[known+i]
		if p.entry.Kind != sessions.KindMessage {
			return nil, fault.New(fault.Invalid, "engine.messages", "message %d: %s", known+i+1, p.entry.Note)
		}
		if !transcript.Takes(r.Format, p.entry.Role) { // a compaction would take it for a message of the conversation
			hint := "pass only user and assistant messages, without the system prompt"
			if transcript.Takes(r.Format, transcript.RoleSystem) {
				hint = "pass system, user, assistant and tool messages"
			}
			return nil, fault.New(fault.Invalid, "engine.messages", "message %d has the role %.1000q", known+i+1,
				p.entry.Role).WithHint("%s", hint)
		}
	}
	for _, p := range slices.Backward(ready) {
		if p.entry.Role == transcript.RoleAssistant {
			p.entry.Usage, p.entry.Bill = r.Usage, l.bill(r.Bill)
			break
		}
	}
	return ready, l.storeBlobs(ctx, ready)
}

// appendMessages records the new messages of a conversation. The log of a new session is what is cached of it once that is
// committed.
func (l *Ledger) appendMessages(tx kv.Tx, r ledger.AppendMessagesRequest, at position, ready []*prepared,
	m Mutation, begun *readLog) (ledger.AppendMessagesResponse, []ledger.Event, error) {
	var zero ledger.AppendMessagesResponse
	s, created, err := l.messageSession(tx, r, at, ready, m)
	if err != nil {
		return zero, nil, err
	}
	rewound := false
	if !r.Since && !created {
		if rewound, err = rewind(tx, &s, at.last, m.At); err != nil {
			return zero, nil, err
		}
	}
	rec := l.recorder(tx, &s, m.At)
	if created {
		rec.entries = make([]sessions.Entry, 0, len(ready))
	}
	if err := rec.recordAll(ready); err != nil {
		return zero, nil, err
	}
	if created {
		rewritten, err := sessions.Rewritten(tx, s.ID)
		if err != nil {
			return zero, nil, err
		}
		*begun = newLog(s.ID, rewritten)
		begun.entries = rec.entries
	}
	if err := sessions.Save(tx, s); err != nil {
		return zero, nil, err
	}
	resp := ledger.AppendMessagesResponse{Session: s.ID, Seq: s.Seq, Added: len(ready), Created: created}
	return resp, rec.events(len(ready), rewound), nil
}

// messageSession returns the session to continue, or creates one.
func (l *Ledger) messageSession(tx kv.Tx, r ledger.AppendMessagesRequest, at position, ready []*prepared,
	m Mutation) (sessions.Session, bool, error) {
	if at.session != "" {
		s, err := sessions.Get(tx, at.session)
		return s, false, err
	}
	seed := []byte(m.key + "\x00" + m.At.String())
	for _, p := range ready {
		seed = append(seed, p.digest...)
	}
	s, err := sessions.Create(tx, sessions.Session{
		Host: cmp.Or(r.Host, "mcp"), Model: l.maskedLabel(r.Model), Dir: cmp.Or(r.Dir, l.root),
		Tree:    l.treeOfMessages(r),
		Created: m.At, Updated: m.At, Title: l.title(ready),
	}, sessions.Digest(seed))
	return s, true, err
}

// title returns the first line of the first request, shortened.
func (l *Ledger) title(ready []*prepared) string {
	for _, p := range ready {
		if !p.entry.Prompt {
			continue
		}
		m, err := transcript.Decode(p.entry.Format, p.original)
		if err != nil {
			continue
		}
		return l.MaskedTitle(transcript.PlainText(m))
	}
	return ""
}
