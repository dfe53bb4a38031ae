package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// hostName is the host name of sessions whose messages were handed in.
const hostName = "mcp"

// The statuses of a compaction. A staged one is the plan of a dry run; handed off are the notes of a chat that is not
// recorded.
const (
	statusCompacted = "compacted"
	statusStaged    = "staged"
	statusNothing   = "nothing_to_do"
	statusRefused   = "refused"
	statusHandedOff = "handed_off"
)

// Bounds of a result.
const (
	maxCut  = 10                    // items cut from the view that are listed
	maxView = limits.MCPMessage / 2 // bytes of a returned view
)

// compactResult is the result of compact_conversation. The argument return selects the fields:
//
//   - receipt: status, reason, delivery, session, summary_id, cut_total, tokens, warnings; at most
//     150 tokens in all, without the summary's text;
//   - summary: the receipt, the summary's text and the largest items that were cut;
//   - splice: the receipt and how to shorten the caller's own messages;
//   - messages: the receipt and the whole new view.
type compactResult struct {
	Status    string            `json:"status"`
	Reason    string            `json:"reason,omitempty"`
	Delivery  string            `json:"delivery,omitempty"`
	Session   string            `json:"session,omitempty"`
	SummaryID string            `json:"summary_id,omitempty"`
	Summary   string            `json:"summary,omitempty"`
	Splice    *splice           `json:"splice,omitempty"`
	Messages  []json.RawMessage `json:"messages,omitempty"`
	Cut       []cut             `json:"cut,omitempty"`
	CutTotal  int               `json:"cut_total,omitempty"`
	Before    *tokens.Count     `json:"tokens_before,omitempty"`
	After     *tokens.Count     `json:"tokens_after,omitempty"`
	Warnings  []string          `json:"warnings,omitempty"`
}

// cut is one item cut from the view, with the handle to read it.
type cut struct {
	Label  string `json:"label"`
	ID     string `json:"id"`
	Tokens int    `json:"tokens"` // as those of tokens_before
}

// outcome is a compaction that was done, planned or refused.
type outcome struct {
	args     compactArgs
	session  sessions.Session
	handed   int // messages handed in whole
	edited   ledger.EditedView
	before   ledger.ViewResponse
	plan     ledger.CompactionPlan
	warning  string   // about how it was done; "": none
	reduces  bool     // a proxy sends the view of the session
	problems []string // with the configuration
	due      string   // why a compaction was due, where that was asked; "": it was not
}

// result converts an outcome to the requested form.
func (o outcome) result(ctx context.Context, api Ledger) (compactResult, error) {
	r := compactResult{Session: o.session.ID, Reason: clean(o.plan.Why), Warnings: slices.Clone(o.problems)}
	if o.warning != "" {
		r.Warnings = append(r.Warnings, oneLine(clean(o.warning), 300))
	}
	if o.args.Strict && o.args.Mode == modeAuto {
		r.Warnings = append(r.Warnings, "strict: whether an automatic compaction is due depends on when it is asked for, so a "+
			"replay may differ: pass another mode if the session will be replayed")
	}
	switch o.plan.Outcome {
	case compaction.Compacted:
		r.Status, r.Reason = statusCompacted, clean(o.due)
		r.Before, r.After = &o.plan.Summary.TokensBefore, &o.plan.Summary.TokensAfter
		r.CutTotal = o.plan.Summary.CutTotal
	case compaction.NothingToDo:
		r.Status = statusNothing
		current, err := inForce(ctx, api, o.session.ID)
		if err != nil {
			return r, err
		}
		if current == nil {
			return r, o.editsAlone(ctx, api, &r)
		}
		r.SummaryID = current.ID
		if o.args.Return != "splice" && o.args.Return != "messages" {
			return r, nil // one line: its text was handed out when it was made
		}
		o.plan.Summary, o.args.DryRun = *current, false // the view begins with the compaction in effect
	default:
		r.Status = statusRefused
		r.Reason += ". Nothing was changed."
		r.Warnings = append(r.Warnings, runWarnings(o.plan.Summary.Run)...)
		return r, nil
	}
	if o.session.Host != hostName && !o.args.DryRun {
		st, err := api.Status(ctx, ledger.StatusRequest{Session: o.session.ID})
		if err != nil {
			return r, err
		}
		o.reduces = st.Proxy != nil && st.Proxy.Reduces
	}
	r.Delivery = o.delivery()
	r.Warnings = append(r.Warnings, runWarnings(o.plan.Summary.Run)...)
	if o.args.DryRun {
		r.Status = statusStaged
		var b chars.Prose
		b.Say("dry run: this is what would happen, nothing was changed")
		b.SayIf(r.Reason != "", "; %s", r.Reason)
		r.Reason = b.String()
		if compaction.Mode(o.args.Mode).Asks() {
			r.Warnings = append(r.Warnings, "no model was asked: this is the result without one")
		}
		if o.handed > 0 {
			r.Warnings = append(r.Warnings, "the messages were recorded anyway")
		}
	} else {
		r.SummaryID = o.plan.Summary.ID
	}
	return r, o.shape(ctx, api, &r)
}

// limits warns of limits that are near. Errors: limited if one is reached and the caller would send what it gets.
func (o *outcome) limits(ctx context.Context, api ledger.Limited) error {
	near, err := ledger.WithinLimits(ctx, api, o.session.ID, o.args.reader)
	sends := !o.args.DryRun && (o.args.Return == "messages" || o.args.Return == "splice")
	if fault.Is(err, fault.Limited) && !sends {
		o.problems, err = append(o.problems, clean(err.Error())+": "+fault.HintOf(err)), nil
	}
	for _, limit := range near {
		o.problems = append(o.problems, clean(limit.String()))
	}
	return err
}

// editsAlone returns the view of a session without a summary, if anything in it was edited or left out, or has to be.
func (o outcome) editsAlone(ctx context.Context, api Ledger, r *compactResult) error {
	if o.args.Return != "messages" {
		return nil
	}
	log, err := recorded(ctx, api, o.session.ID)
	if err != nil {
		return err
	}
	now, err := ledger.Messages(ctx, api, o.args.view(o.session.ID))
	if err != nil {
		return err
	}
	if !now.Exceeds() && len(log) == len(now.Messages) && !slices.ContainsFunc(now.Messages,
		func(m ledger.ViewMessage) bool { return m.Edited }) {
		return nil
	}
	r.Delivery = o.delivery()
	if len(o.edited.Edits) > 0 {
		r.Reason += "; edited: " + clean(o.edited.Why)
		r.Before, r.After = &o.edited.TokensBefore, &o.edited.TokensAfter
	}
	_, err = o.messages(ctx, api, r)
	return err
}

// runWarnings reports where a model's summary was not accepted or was corrected.
func runWarnings(run *compaction.Run) []string {
	var out []string
	if run == nil {
		return nil
	}
	if run.Status != compaction.Accepted {
		out = append(out, oneLine(clean(run.String()), 300))
	}
	if text := run.Corrections(); text != "" {
		out = append(out, text)
	}
	return out
}

// inForce returns the summary at the start of a session's view, or nil.
func inForce(ctx context.Context, api ledger.Compactions, session string) (*ledger.Summary, error) {
	all, err := api.Summaries(ctx, ledger.SummariesRequest{Session: session})
	if err != nil {
		return nil, err
	}
	for _, s := range all.Summaries {
		if s.Current {
			whole, err := api.Summary(ctx, ledger.SummaryRequest{ID: s.ID})
			return &whole, err
		}
	}
	return nil, nil
}

// shape adds what the argument return asks for.
func (o outcome) shape(ctx context.Context, api Ledger, r *compactResult) (err error) {
	sum := o.plan.Summary
	switch o.args.Return {
	case "summary", "":
		if o.args.Return != "" {
			r.Summary = clean(sum.Text)
		}
		for _, x := range sum.Cut[:min(len(sum.Cut), maxCut)] {
			r.Cut = append(r.Cut, cut{oneLine(x.Label, 120), x.Handle, sum.Of(x).N})
		}
	case "splice":
		if r.Splice, err = o.splice(ctx, api); err != nil {
			return err
		}
		if r.Splice == nil {
			r.Warnings = append(r.Warnings, "this compaction was already in effect: take the view with "+
				"return=messages")
		}
	case "messages":
		format, err := o.messages(ctx, api, r)
		r.Warnings = append(r.Warnings, unsendable(format, r.Messages)...)
		return err
	}
	return nil
}

// unsendable warns about a view that a provider does not accept as a request yet: its host has to add messages.
func unsendable(format transcript.Format, messages []json.RawMessage) []string {
	if len(messages) == 0 {
		return nil
	}
	if err := transcript.Sendable(format, rawBytes(messages)); err != nil {
		return []string{"add what comes next before you send `messages`: " + clean(err.Error())}
	}
	return nil
}

// delivery tells the caller what to do next.
func (o outcome) delivery() string {
	switch {
	case o.args.DryRun:
		return ""
	case o.args.Return == "messages":
		return "send `messages` in place of the conversation"
	case o.args.Return == "splice":
		if o.plan.Summary.Resume != "" {
			return "put splice.message in place of your messages [from,to), and splice.append behind the last one"
		}
		return "put splice.message in place of your messages [from,to)"
	case o.session.Host == hostName:
		return "splice it in: put the summary in place of your older messages, or ask again with return=splice"
	}
	if o.reduces {
		return "from its next request on, this chat's model gets the summary in place of the older part"
	}
	return "this chat itself stays as it is: to continue from the summary, open a new chat with the `resume` prompt"
}

// messages adds the whole view after the compaction, each message with its exact bytes, or what of it the user allows
// to be sent. It returns their format.
func (o outcome) messages(ctx context.Context, api ledger.ViewReader, r *compactResult) (transcript.Format, error) {
	if o.args.DryRun {
		for _, m := range o.before.Messages[:o.system()] {
			r.Messages = append(r.Messages, m.JSON)
		}
		r.Messages = append(r.Messages, o.head())
		for _, m := range o.kept() {
			r.Messages = append(r.Messages, m.JSON)
		}
		if end := o.end(); end != nil {
			r.Messages = append(r.Messages, end)
		}
		return o.format(), fits(r.Messages)
	}
	next, err := ledger.Request(ctx, api, o.args.view(o.session.ID), o.args.key("request"))
	if err != nil {
		return "", err
	}
	for _, m := range next.Messages {
		r.Messages = append(r.Messages, m)
	}
	if next.Trimmed != nil {
		r.Warnings = append(r.Warnings, "a trimmed copy, since the view is larger than the settings allow: "+
			next.Trimmed.Words())
	}
	return next.Format, fits(r.Messages)
}

// fits checks the size of a returned view. Errors: too_large.
func fits(view []json.RawMessage) error {
	size := 0
	for _, m := range view {
		size += len(m)
	}
	if size <= maxView {
		return nil
	}
	return fault.New(fault.TooLarge, "mcp.compact",
		"the view after the compaction exceeds %d MiB; the compaction itself is recorded", maxView>>20).
		WithHint("ask with return=splice")
}

// answer adds the text of a result: prose for a model, JSON for a program. In that JSON messages have their exact bytes,
// while the library re-encodes them in the structured result.
func answer(r compactResult) reply {
	switch {
	case r.Messages != nil:
		messages := r.Messages
		head := r
		head.Messages = nil
		text := strings.TrimSuffix(plainJSON(head), "}") + `,"messages":[`
		return reply{r, text + string(bytes.Join(rawBytes(messages), []byte(","))) + "]}"}
	case r.Splice != nil:
		return reply{r, plainJSON(r)}
	}
	return reply{r, r.String()}
}

// String returns the result as prose.
func (r compactResult) String() string {
	var b chars.Prose
	b.WriteString(strings.ReplaceAll(r.Status, "_", " "))
	b.SayIf(r.Reason != "", ": %s", r.Reason)
	if r.Status == statusNothing { // one line, and warnings
		b.SayIf(r.Session != "", "; session %s", r.Session)
		b.SayIf(r.SummaryID != "", ", summary %s in effect", r.SummaryID)
		r.warn(&b)
		return b.String()
	}
	b.SayIf(r.Session != "", "\nsession %s", r.Session)
	b.SayIf(r.Before != nil, ": %s → %s tokens, %d things cut", r.Before, r.After, r.CutTotal)
	b.SayIf(r.SummaryID != "", "\nsummary %s: its id reads the whole range back", r.SummaryID)
	b.SayIf(r.Delivery != "", "\nnext: %s", r.Delivery)
	r.warn(&b)
	for _, x := range r.Cut {
		n := tokens.Count{N: x.Tokens, Exact: r.Before != nil && r.Before.Exact}
		b.Say("\ncut: %s (%s, id %s)", x.Label, n.Tokens(), x.ID)
	}
	b.SayIf(r.Summary != "", "\n\n%s", r.Summary)
	return b.String()
}

// warn adds the warnings.
func (r compactResult) warn(b *chars.Prose) {
	for _, w := range r.Warnings {
		b.Say("\nwarning: %s", w)
	}
}

func rawBytes(raws []json.RawMessage) [][]byte {
	out := make([][]byte, len(raws))
	for i, r := range raws {
		out[i] = r
	}
	return out
}

// splice tells a caller how to shorten its own list: Message replaces the messages with indices in [From,To). They
// index the messages handed in with this call or, if no whole conversation was handed in, the session's view before
// the call.
type splice struct {
	From    int             `json:"from"`
	To      int             `json:"to"`
	Message json.RawMessage `json:"message"` // in the conversation's format
	// Append goes to the end of the list: the routing signal of what was replaced. nil: nothing does.
	Append json.RawMessage `json:"append,omitempty"`
}

// kept returns the messages of the earlier view that stay unchanged.
func (o outcome) kept() []ledger.ViewMessage {
	for i, m := range o.before.Messages {
		if m.Seq > 0 && m.Seq >= o.plan.Summary.FirstKept {
			return o.before.Messages[i:]
		}
	}
	return nil
}

// splice returns the splice of a compaction, nil if it was in effect before the call.
func (o outcome) splice(ctx context.Context, api ledger.SessionReader) (*splice, error) {
	if o.before.Summary == o.plan.Summary.ID && !o.args.DryRun && o.handed == 0 {
		return nil, nil
	}
	log, err := recorded(ctx, api, o.session.ID)
	if err != nil {
		return nil, err
	}
	var list []int64 // entries of the messages that indices refer to
	total := o.handed
	if total > 0 {
		for _, e := range log {
			list = append(list, e.Seq)
		}
	} else {
		total = len(o.before.Messages)
		for _, m := range o.before.Messages {
			list = append(list, m.Seq)
		}
	}
	// position returns the index of the first message at or after an entry. A list that was handed in may begin with
	// a summary of ours, which has no entry.
	position := func(seq int64) int {
		at := slices.IndexFunc(list, func(s int64) bool { return s >= seq })
		if at < 0 {
			at = len(list)
		}
		return at + total - len(list)
	}
	from := o.system()
	if head := newestCompacted(log, o.plan.Summary.FirstKept); head > 0 {
		from = max(from, position(head+1))
	}
	return &splice{From: from, To: max(from, position(o.plan.Summary.FirstKept)), Message: o.head(),
		Append: o.end()}, nil
}

// recorded returns the headers of the messages of a session's conversation. The view may show fewer, or join some.
func recorded(ctx context.Context, api ledger.SessionReader, session string) ([]ledger.LogEntry, error) {
	var out []ledger.LogEntry
	for r := (ledger.LogRequest{Session: session}); ; {
		page, err := api.Log(ctx, r)
		if err != nil {
			return nil, err
		}
		for _, e := range page.Entries {
			switch e.Kind {
			case sessions.KindMessage:
				out = append(out, e)
			case sessions.KindRewind:
				var back struct {
					To int64 `json:"to"`
				}
				if json.Unmarshal(e.Data, &back) == nil {
					out = slices.DeleteFunc(out, func(e ledger.LogEntry) bool { return e.Seq > back.To })
				}
			}
		}
		if r.From = page.Next; r.From == 0 {
			return out, nil
		}
	}
}

// newestCompacted returns the newest entry before a boundary that is the provider's own compaction, 0 for none. It
// stays before the summary.
func newestCompacted(log []ledger.LogEntry, before int64) int64 {
	for _, e := range slices.Backward(log) {
		if e.Compacted && e.Forgotten == nil && e.Seq < before {
			return e.Seq
		}
	}
	return 0
}

// system returns the number of system messages at the start of the earlier view.
func (o outcome) system() int {
	first := slices.IndexFunc(o.before.Messages,
		func(m ledger.ViewMessage) bool { return m.Role != transcript.RoleSystem })
	if first < 0 {
		return len(o.before.Messages)
	}
	return first
}

// head returns the message that replaces the compacted range.
func (o outcome) head() json.RawMessage { return o.said(o.plan.Summary.Text) }

// end returns the message with which the compacted conversation ends; nil: none is added.
func (o outcome) end() json.RawMessage {
	if o.plan.Summary.Resume == "" {
		return nil
	}
	return o.said(o.plan.Summary.Resume)
}

// said returns a text of ours as a message of the user's role in the conversation.
func (o outcome) said(text string) json.RawMessage {
	return transcript.NewMessage(o.format(), transcript.RoleUser, text)
}

// format returns the format of the earlier view.
func (o outcome) format() transcript.Format {
	if n := len(o.before.Messages); n > 0 {
		return o.before.Messages[n-1].Format
	}
	return transcript.Anthropic
}
