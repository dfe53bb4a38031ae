package proxy

import (
	"bytes"
	"net/http"
	"slices"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// history names the session of an exchange, and records what was said where no session file does. A request beside a
// conversation, such as one for a title, belongs to its session, and its words are not recorded: it has no session as long as
// that has none. One without tools is taken for such until another one goes on with it. Errors: those of the ledger; not_found for a request that failed and of which nothing is recorded.
func (r *recorder) history(e *entry, n *ledger.NoteRequestRequest) error {
	t, main := e.thread, e.talk.main()
	known := e.who.host != unknownHost
	switch {
	case e.who.files:
		n.LiveSession = ledger.LiveSession{Host: e.who.host, HostID: e.who.session, Dir: r.Dir}
	case t.session == "" && !e.asked.hasTools() && !e.goesOn() && (known || e.who.session != "" && main != nil):
		if main != nil {
			n.Session = main.session
		}
	case e.status == http.StatusOK, t.session == "" && e.tooLarge != nil: // the limit is learnt of a session
		session, err := r.handIn(e)
		n.Session = session
		return err
	case t.session == "":
		return fault.New(fault.NotFound, "proxy.record", "a request failed before its conversation began")
	default:
		n.Session = t.session
	}
	return nil
}

// goesOn reports whether the request has an answer of the model to the one before.
func (e *entry) goesOn() bool {
	if e.before == nil || e.asked.previous != "" {
		return e.before != nil
	}
	behind := min(len(e.before.messages()), len(e.asked.raws))
	return slices.ContainsFunc(e.asked.raws[behind:], func(raw []byte) bool {
		m, err := transcript.Decode(e.dialect.format, raw)
		return err == nil && m.Role == transcript.RoleAssistant
	})
}

// handIn records what is new in a request, and its answer. An answer with calls that its agent will name is recorded when the
// next request has it: what is decided about its results goes by these names.
func (r *recorder) handIn(e *entry) (session string, err error) {
	t, a := e.thread, &e.answer
	array, since := e.unsaid()
	t.recorded = false // until it is
	m := ledger.AppendMessagesRequest{Session: t.session, Host: e.who.host, Model: e.model(),
		Dir: r.Dir, Format: e.dialect.format, Since: since}
	api, err := r.Config.Ledger(r.life)
	if err != nil {
		return "", err
	}
	if m.Session == "" && e.who.host != unknownHost {
		m.Session = passedBefore(r.life, api, e.who.host, e.dialect.format, e.asked.raws)
	}
	if t.owed != nil {
		if err := r.pass(api, &m, array, t.owed); err != nil {
			return "", err
		}
		array, t.owed = nil, nil
	}
	var answer [][]byte
	for _, raw := range a.said {
		answer = append(answer, raw)
	}
	by, said := &a.Answer, spoken(e.dialect.format, answer)
	switch {
	case !a.whole || len(answer) == 0:
		by, said, answer = nil, nil, nil
	case e.who.byCalls && slices.ContainsFunc(said, nameless):
		t.owed, by, said, answer = new(a.Answer), nil, nil, nil
	}
	if err := r.pass(api, &m, slices.Concat(array, answer), by); err != nil {
		return m.Session, err
	}
	t.session, t.recorded, t.said = m.Session, true, said
	return m.Session, nil
}

// pass hands messages in, with what the provider reported of the newest answer among them. The next ones go on from them.
func (r *recorder) pass(
	api ledger.MessageTaker, m *ledger.AppendMessagesRequest, messages [][]byte, by *sessionfile.Answer,
) error {
	if m.Usage, m.Bill = nil, nil; by != nil && by.Usage != (sessions.Usage{}) {
		m.Usage, m.Bill = &by.Usage, by.Bill
	}
	list := slices.Concat([]byte("["), bytes.Join(messages, []byte(",")), []byte("]"))
	done, _, err := ledger.HandIn(r.life, api, *m, list)
	m.Session, m.Since = done.Session, true
	return err
}

// nameless reports whether a part is a call that has no name of its own yet.
func nameless(p transcript.Part) bool {
	_, _, derived := transcript.Derived(p.ID)
	return derived
}

// unsaid returns the messages of a request that are not recorded yet. since says that they follow those that are: the others
// are the whole conversation.
func (e *entry) unsaid() (messages [][]byte, since bool) {
	t, q := e.thread, e.asked
	behind := len(t.messages())
	switch {
	case !t.recorded, e.enrolled:
		return slices.Clone(q.raws), false
	case q.previous != "":
		return slices.Clone(q.raws), true
	case common(t.messages(), q.messages()) < behind:
		return slices.Clone(q.raws), false
	}
	messages = slices.Clone(q.raws[behind:])
	given := given(e.dialect.format, messages, t.said)
	if given == 0 && len(t.said) > 0 { // the agent has changed what the model said
		return slices.Clone(q.raws), false
	}
	return messages[given:], true
}

// given returns how many messages at the beginning of what an agent adds are the answer that it got.
func given(f transcript.Format, messages [][]byte, said []transcript.Part) int {
	n := 0
	for n < len(messages) {
		m, err := transcript.Decode(f, messages[n])
		if err != nil || m.Role != transcript.RoleAssistant {
			break
		}
		n++
	}
	same := func(a, b transcript.Part) bool { return a.Kind == b.Kind && a.Text == b.Text && a.Name == b.Name }
	if len(said) == 0 || !slices.EqualFunc(spoken(f, messages[:n]), said, same) {
		return 0
	}
	return n
}

// spoken returns what was said and called in messages of the model.
func spoken(f transcript.Format, messages [][]byte) (parts []transcript.Part) {
	for _, raw := range messages {
		m, err := transcript.Decode(f, raw)
		if err != nil {
			continue
		}
		for _, p := range m.Parts {
			if p.Kind == transcript.KindText && p.Text != "" || p.Kind == transcript.KindCall {
				parts = append(parts, p)
			}
		}
	}
	return parts
}
