package given

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/given/spec"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// maxStarted is how many subagents of a session are looked at, the newest.
const maxStarted = 500

// reading is what is read of a session for one agent. The headers of its log are read once.
type reading struct {
	Request
	api     Ledger
	agent   spec.Agent
	session sessions.Session
	started []sessions.Session // its subagents
	logs    map[string][]sessions.Entry
	numbers map[string]map[int64]int       // of turns, by session and entry: see turnOf
	told    map[sessions.NotesKind][]noted // by kind, oldest first; nil: not read yet
}

// noted is a note with its place.
type noted struct {
	sessions.Notes
	seq int64
}

// turn is what an agent said in one of its turns.
type turn struct {
	text string
	seq  int64 // of its last entry
}

// open prepares the reading of the session that a request is about.
func open(ctx context.Context, api Ledger, r Request) (*reading, error) {
	agent, known := r.Spec.Find(r.Agent)
	if !known {
		agent.Name = r.Agent
	}
	rec := &reading{Request: r, api: api, agent: agent, session: r.Session, logs: map[string][]sessions.Entry{},
		numbers: map[string]map[int64]int{}}
	for skip := 0; ; {
		page, err := api.Sessions(ctx, ledger.SessionsRequest{Skip: skip, Limit: maxStarted})
		if err != nil {
			return nil, err
		}
		for _, s := range page.Sessions {
			if s.Parent == r.Session.ID && len(rec.started) < maxStarted {
				rec.started = append(rec.started, s)
			}
		}
		if skip += len(page.Sessions); len(page.Sessions) == 0 || skip >= page.Total {
			return rec, nil
		}
	}
}

// log returns the headers of a session's log.
func (rec *reading) log(ctx context.Context, session string) ([]sessions.Entry, error) {
	if known, ok := rec.logs[session]; ok {
		return known, nil
	}
	all := []sessions.Entry{}
	for e, err := range ledger.LogEntries(ctx, rec.api, ledger.LogRequest{Session: session}) {
		if err != nil {
			return nil, err
		}
		all = append(all, e.Entry)
	}
	rec.logs[session] = all
	return all, nil
}

// original returns the original of an entry, nil if it was forgotten.
func (rec *reading) original(ctx context.Context, session string, seq int64) ([]byte, error) {
	page, err := rec.api.Log(ctx, ledger.LogRequest{Session: session, From: seq, To: seq, Originals: true})
	if err != nil || len(page.Entries) == 0 {
		return nil, err
	}
	return ledger.OriginalOf(ctx, rec.api, page.Entries[0])
}

// message returns the message of an entry; ok is false if it was forgotten, or cannot be read.
func (rec *reading) message(
	ctx context.Context, session string, e sessions.Entry,
) (m transcript.Message, ok bool, err error) {
	original, err := rec.original(ctx, session, e.Seq)
	if err != nil || original == nil || e.Forgotten != nil {
		return m, false, err
	}
	raw, ok := e.MessageIn(original)
	if !ok {
		return m, false, nil
	}
	m, wrong := transcript.Decode(e.Format, raw)
	transcript.Identify(&m, e.CallIDs())
	return m, wrong == nil, nil
}

// said returns the text of an entry.
func (rec *reading) said(ctx context.Context, e sessions.Entry) (string, error) {
	m, ok, err := rec.message(ctx, rec.session.ID, e)
	if !ok {
		return "", err
	}
	return strings.TrimSpace(transcript.PlainText(m)), nil
}

// result returns the text of the result of a call.
func (rec *reading) result(ctx context.Context, session, call string, from int64) (string, error) {
	entries, err := rec.log(ctx, session)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if e.Seq <= from || !slices.ContainsFunc(e.Results, func(r sessions.Result) bool { return r.CallID == call }) {
			continue
		}
		m, ok, err := rec.message(ctx, session, e)
		if !ok {
			return "", err
		}
		for _, p := range m.Parts {
			if p.Kind == transcript.KindResult && p.ID == call {
				return p.Text, nil
			}
		}
	}
	return "", nil
}

// notes returns the notes of a kind, oldest first.
func (rec *reading) notes(ctx context.Context, kind sessions.NotesKind) ([]noted, error) {
	if rec.told != nil {
		return rec.told[kind], nil
	}
	entries, err := rec.log(ctx, rec.session.ID)
	if err != nil {
		return nil, err
	}
	told := map[sessions.NotesKind][]noted{}
	for _, e := range entries {
		if e.Kind != sessions.KindNotes || e.Note == "" || e.Forgotten != nil {
			continue
		}
		original, err := rec.original(ctx, rec.session.ID, e.Seq)
		if err != nil {
			return nil, err
		}
		if n := sessions.NotesOf(original); n.Kind != sessions.NotesPlain {
			told[n.Kind] = append(told[n.Kind], noted{n, e.Seq})
		}
	}
	rec.told = told
	return told[kind], nil
}

// Notes returns the notes of a kind in a session, oldest first.
func Notes(
	ctx context.Context, api Ledger, s sessions.Session, kind sessions.NotesKind,
) (out []sessions.Notes, err error) {
	rec := &reading{Request: Request{Session: s}, api: api, session: s, logs: map[string][]sessions.Entry{},
		numbers: map[string]map[int64]int{}}
	all, err := rec.notes(ctx, kind)
	for _, n := range all {
		out = append(out, n.Notes)
	}
	return out, err
}

// SessionContext returns what agents of a session last wrote for the next one; "" for nothing.
func SessionContext(ctx context.Context, api Ledger, r Request) (string, error) {
	if r.Session.ID == "" {
		return "", nil
	}
	rec := &reading{Request: r, api: api, session: r.Session, logs: map[string][]sessions.Entry{},
		numbers: map[string]map[int64]int{}}
	text, err := rec.sessionContext(ctx)
	if err != nil {
		return "", err
	}
	return rec.masked(ctx, text)
}

// masked returns a text without secrets.
func (rec *reading) masked(ctx context.Context, text string) (string, error) {
	if text == "" {
		return "", nil
	}
	r, err := rec.api.Mask(ctx, ledger.MaskRequest{Text: text})
	return r.Text, err
}

// task returns what the agent is to do.
func (rec *reading) task(ctx context.Context) (string, error) {
	if text := strings.TrimSpace(rec.Task); text != "" {
		return text, nil
	}
	entries, err := rec.log(ctx, rec.session.ID)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if e.Prompt && !e.Hidden {
			return rec.said(ctx, e)
		}
	}
	return "", nil
}

// speaks reports whether an entry is an answer of the agent in the session itself.
func (rec *reading) speaks(e sessions.Entry) bool {
	if e.Role != transcript.RoleAssistant || e.Copied {
		return false
	}
	if e.Author == "" {
		return !e.Hidden && rec.Spec.Same(rec.session.Host, rec.agent.Name)
	}
	return rec.Spec.Same(e.Author, rec.agent.Name)
}

// subagents are the tools by which hosts start another agent, in lower case, with the argument that names it.
var subagents = map[string]string{"task": "subagent_type", "agent": "subagent_type", "spawn_agent": "agent_type"}

// turns returns the turns of the agent, oldest first. One run of a subagent is a turn.
func (rec *reading) turns(ctx context.Context, most int) (out []turn, err error) {
	entries, err := rec.log(ctx, rec.session.ID)
	if err != nil {
		return nil, err
	}
	runs := map[string]bool{} // calls that started the agent
	goesOn := false
	var spans [][]sessions.Entry // the entries of each turn
	for _, e := range entries {
		switch {
		case e.Kind != sessions.KindMessage:
			continue
		case rec.speaks(e) && e.Chars > 0:
			if !goesOn {
				spans = append(spans, nil)
			}
			spans[len(spans)-1] = append(spans[len(spans)-1], e)
			goesOn = true
		case e.Prompt || e.Role == transcript.RoleAssistant && !rec.speaks(e):
			goesOn = false
		}
		if err := rec.starts(ctx, e, runs); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(e.Results, func(r sessions.Result) bool { return runs[r.CallID] }) {
			spans, goesOn = append(spans, []sessions.Entry{e}), false
		}
	}
	for _, span := range spans[max(0, len(spans)-most):] {
		t := turn{seq: span[len(span)-1].Seq}
		if t.text, err = rec.words(ctx, span, runs); err != nil {
			return nil, err
		}
		if t.text != "" {
			out = append(out, t)
		}
	}
	return out, nil
}

// starts notes which calls of an entry start the agent as a subagent.
func (rec *reading) starts(ctx context.Context, e sessions.Entry, runs map[string]bool) error {
	if !slices.ContainsFunc(e.Calls, func(c sessions.Call) bool { return subagents[strings.ToLower(c.Name)] != "" }) {
		return nil
	}
	m, _, err := rec.message(ctx, rec.session.ID, e)
	for _, p := range m.Parts {
		if argument := subagents[strings.ToLower(p.Name)]; argument != "" && p.Kind == transcript.KindCall {
			var args map[string]any
			_ = json.Unmarshal(p.Args, &args) // without arguments the agent stays unnamed
			name, _ := args[argument].(string)
			runs[p.ID] = name != "" && rec.Spec.Same(name, rec.agent.Name)
		}
	}
	return err
}

// words returns what was said in the entries of a turn: in answers, or in the result of a subagent.
func (rec *reading) words(ctx context.Context, span []sessions.Entry, runs map[string]bool) (string, error) {
	var texts []string
	for _, e := range span {
		m, ok, err := rec.message(ctx, rec.session.ID, e)
		if err != nil {
			return "", err
		}
		if !ok {
			continue
		}
		text := transcript.PlainText(m)
		for _, p := range m.Parts {
			if p.Kind == transcript.KindResult && runs[p.ID] {
				text = report(p.Text)
			}
		}
		if text = strings.TrimSpace(text); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n\n"), nil
}

// report returns what a subagent answered, without what Claude Code (seen with 2.1.328) puts around that for the agent which
// called: a frame above, whose text is indented and before which the tools may be that it used last, and an id below.
func report(result string) string {
	result, _, _ = strings.Cut(result, "\nagentId: ")
	frame, text, framed := strings.Cut("\n"+result, "The report follows:\n")
	if !framed || !strings.Contains(frame, "\n[Subagent hand-back]") {
		return result
	}
	return strings.ReplaceAll(strings.TrimPrefix(text, "  "), "\n  ", "\n")
}

// ownHistory returns the agent's newest turns that fit the source, oldest first.
func (rec *reading) ownHistory(ctx context.Context, s spec.Source) ([]turn, error) {
	all, err := rec.turns(ctx, cmp.Or(s.N, spec.HistoryTurns))
	if err != nil {
		return nil, err
	}
	left, first := s.Limit(), len(all)
	for first > 0 && utf8.RuneCountInString(all[first-1].text) <= left {
		first--
		left -= utf8.RuneCountInString(all[first].text)
	}
	if first == len(all) && len(all) > 0 { // the newest alone is too long
		first--
		all[first].text = chars.Head(all[first].text, s.Limit()) + sprintf(cutTurn, s.Limit())
	}
	return all[first:], nil
}

// corrections returns the corrections that the agent has not answered yet: those of its own turns.
func (rec *reading) corrections(ctx context.Context) (out []string, err error) {
	entries, err := rec.log(ctx, rec.session.ID)
	if err != nil {
		return nil, err
	}
	own := false // whether the newest answer before is the agent's
	for _, e := range entries {
		switch {
		case e.Role == transcript.RoleAssistant:
			if own = rec.speaks(e); own {
				out = nil
			}
		case e.Correction && own:
			text, err := rec.said(ctx, e)
			if err != nil {
				return nil, err
			}
			out = append(out, text)
		}
	}
	return out, nil
}

// intents returns what the calls of the session and its subagents meant to do, in the order of time.
func (rec *reading) intents(ctx context.Context) (all []intents.Intent, err error) {
	for _, s := range append([]sessions.Session{rec.session}, rec.started...) {
		for r := (ledger.IntentsRequest{Session: s.ID}); ; {
			page, err := rec.api.Intents(ctx, r)
			if err != nil {
				return nil, err
			}
			for _, in := range page.Intents {
				if in.Copied {
					continue
				}
				in.Agent = rec.display(cmp.Or(in.Agent, s.Agent), s.Host)
				all = append(all, in)
			}
			if r.From = page.Next; r.From == 0 {
				break
			}
		}
	}
	slices.SortStableFunc(all, func(a, b intents.Intent) int { return a.Begun.Compare(b.Begun) })
	return all, nil
}

// sprintf formats a marker that has one number.
func sprintf(format string, n int) string { return fmt.Sprintf(format, chars.Commas(n)) }
