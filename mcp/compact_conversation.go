package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"ctxledger.dev/compaction"
	"ctxledger.dev/compaction/settings"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// Bounds of a compaction that an agent asks for.
const (
	summaryBudget = 2_000     // tokens of the summary, when the caller names no budget
	maxRequestID  = 100       // bytes
	maxError      = 256 << 10 // bytes of a provider's answer
)

func compactTool() tool {
	return tool{
		name: "compact_conversation",
		description: "Shorten a long conversation: a summary of its older part, with ids to read back what is " +
			"left out. Acts on this chat's recorded session, or on `messages`. A chat stays as it is; a new " +
			"one continues from the summary via the prompt resume.",
		does: "replaces the older part of a conversation with a summary made from the ledger",
		input: `{"type":"object","properties":{` +
			`"session":{"type":"string","description":"default: this chat's"},` +
			`"messages":{"type":"array","items":{"type":"object"},` +
			`"description":"the whole conversation, if you hold it"},` +
			`"since":{"type":"array","items":{"type":"object"},` +
			`"description":"or only what is new since session was returned"},` +
			`"format":{"type":"string","description":"of messages: ` + transcript.FormatNames() +
			`; default: recognised"},` +
			`"notes":{"type":"string","description":"your goal, decisions, open points; at most 4 KB"},` +
			`"mode":{"type":"string",` +
			`"description":"` + describedModes() + `"},` +
			`"model":{"type":"string"},` +
			`"budget_tokens":{"type":"integer",` +
			`"description":"of the summary, default 2000; window: of the whole view"},` +
			`"keep_turns":{"type":"integer","description":"newest turns kept verbatim"},` +
			`"pin":{"type":"array","items":{"type":"string"},` +
			`"description":"ids of messages or full texts to keep verbatim"},` +
			`"focus":{"type":"string","description":"words to prefer"},` +
			`"strict":{"type":"boolean","description":"refuse modes in which a model writes"},` +
			`"error":{"type":"string","description":"the provider's too-large error"},` +
			`"dry_run":{"type":"boolean","description":"only say what would be cut"},` +
			`"return":{"type":"string","enum":["receipt","summary","splice","messages"],` +
			`"description":"receipt: figures only; default summary; if you hold the conversation: ` +
			`splice (one message and the range it replaces) or messages (the shortened list)"},` +
			`"request_id":{"type":"string","description":"makes a retry safe"}}}`,
		accepts: `"agent":{"type":"string","description":"whose view it is: an agent of ctxledger.yaml, or a host's name for it"},` +
			`"usage":{"type":"object","description":"of the newest answer in messages, as its provider reported it"},` +
			`"reason":{"type":"string","description":"why, for the record"},` +
			`"enabled":{"type":"boolean","description":"automatic compaction, in mode auto; this and the settings below ` +
			`override the policy for this call"},` +
			`"compact_at_tokens":{"type":"integer"},"context_window_tokens":{"type":"integer"},` +
			`"reserve_tokens":{"type":"integer"},"keep_recent_entries":{"type":"integer"},` +
			`"recover_from_overflow":{"type":"boolean"},"generate_summary":{"type":"boolean"}`,
		alias: window.OverrideName,
		output: `{"type":"object","properties":{` +
			`"status":{"enum":["compacted","staged","nothing_to_do","refused","handed_off"]},` +
			`"reason":{"type":"string"},` +
			`"delivery":{"type":"string","description":"what happens next"},` +
			`"session":{"type":"string"},` +
			`"summary_id":{"type":"string"},` +
			`"summary":{"type":"string"},` +
			`"splice":{"type":"object","description":"put message in place of [from,to)"},` +
			`"messages":{"type":"array"},` +
			`"cut":{"type":"array"},` +
			`"cut_total":{"type":"integer"},` +
			`"tokens_before":{"type":"object"},` +
			`"tokens_after":{"type":"object"},` +
			`"warnings":{"type":"array"}},"required":["status"]}`,
		forms: map[string]string{"notes": `"goal: …; decided: …; open: …"`, "mode": `"intent"`, "format": `"anthropic"`,
			"budget_tokens": "2000", "keep_turns": "2", "usage": `{"input_tokens": 9000}`},
		secrets: "masked", why: "made from masked text; the messages of `return: messages` are exact, " + toOwner,
		calls: []string{`{"session":"SESSION","dry_run":true,"keep_turns":1,"return":"receipt"}`},
		run:   takes(compact),
	}
}

// compactArgs are the arguments of compact_conversation.
type compactArgs struct {
	Session   string          `json:"session"`
	Messages  json.RawMessage `json:"messages"`
	Since     json.RawMessage `json:"since"`
	Format    string          `json:"format"`
	Notes     string          `json:"notes"`
	Mode      string          `json:"mode"`
	Model     string          `json:"model"`
	Budget    int             `json:"budget_tokens"`
	Keep      int             `json:"keep_turns"`
	Pin       []string        `json:"pin"`
	Focus     string          `json:"focus"`
	Strict    bool            `json:"strict"`
	DryRun    bool            `json:"dry_run"`
	Return    string          `json:"return"`
	RequestID string          `json:"request_id"`
	Error     string          `json:"error"`
	Agent     string          `json:"agent"`
	Usage     usage           `json:"usage"`
	Reason    string          `json:"reason"`
	reader    ledger.Reader
}

// readerOf returns whose view the call is about, and what it says in the place of the policy.
func (c *call) readerOf(agent string) (ledger.Reader, error) {
	r := ledger.Reader{Agent: agent}
	var said map[string]json.RawMessage
	if err := json.Unmarshal(c.args, &said); err != nil {
		return r, fault.Wrap(fault.Invalid, "mcp.arguments", err)
	}
	maps.DeleteFunc(said, func(name string, _ json.RawMessage) bool { return window.OverrideName(name) == "" })
	if len(said) == 0 {
		return r, nil
	}
	r.Overrides = &window.Overrides{}
	return r, r.Overrides.UnmarshalJSON([]byte(plainJSON(said)))
}

// compact runs the tool.
func compact(ctx context.Context, c *call, a compactArgs) (reply, error) {
	if err := a.check(); err != nil {
		return reply{}, err
	}
	var err error
	if a.reader, err = c.readerOf(a.Agent); err != nil {
		return reply{}, err
	}
	if o := a.reader.Overrides; o != nil && o.Summary != nil && !*o.Summary && compaction.Mode(a.Mode).Asks() {
		a.Mode = string(compaction.Intent)
	}
	r, err := a.shorten(ctx, c)
	if errors.Is(err, errUnknownChat) {
		return a.handOff(ctx, c, err)
	}
	if err == nil && r.Status != statusCompacted && r.Status != statusStaged {
		err = a.keepNotes(ctx, c, &r)
	}
	return answer(r), err
}

// describedModes says what the modes do, in a few words: each request pays for them.
func describedModes() string {
	all := settings.DescribeModes(func(names []string, says string) string {
		if names[0] == string(compaction.Intent) {
			return names[0] + " (default)"
		}
		return strings.Join(names, ", ") + ": " + says
	})
	return strings.Join(append(all, modeAuto+": only if due"), "; ")
}

// shorten compacts the conversation as the mode says.
func (a *compactArgs) shorten(ctx context.Context, c *call) (compactResult, error) {
	switch {
	case compaction.Mode(a.Mode).Refused() != "":
		return notDone("mode " + a.Mode + " " + compaction.Mode(a.Mode).Refused() +
			": intent (the default) keeps what the ledger recorded"), nil
	case a.Error != "":
		return a.recover(ctx, c)
	case a.Mode == modeAuto:
		return a.auto(ctx, c)
	}
	author, sections, err := c.author(ctx, compaction.Mode(a.Mode))
	if err != nil {
		return notDone(c.explain(err)), nil
	}
	o, err := a.prepare(ctx, c)
	if err != nil {
		return compactResult{}, err
	}
	if o.plan, err = a.plan(ctx, c.api, o.session.ID, author, sections); err != nil {
		return compactResult{}, err
	}
	return o.result(ctx, c.api)
}

// prepare records or finds the conversation, has it edited where the mode does not decide that, and reads the view
// before the compaction.
func (a *compactArgs) prepare(ctx context.Context, c *call) (o outcome, err error) {
	o.problems = c.problems(ctx)
	if o.session, o.handed, err = a.conversation(ctx, c); err != nil {
		return o, err
	}
	o.args = *a
	if err := o.limits(ctx, c.api); err != nil {
		return o, err
	}
	if a.Error == "" && a.Mode != modeAuto {
		if o.edited, err = a.edit(ctx, c, o.session); err != nil {
			return o, err
		}
	}
	o.before, err = a.viewBefore(ctx, c, o.session)
	return o, err
}

// check rejects what the schema cannot express.
func (a *compactArgs) check() error {
	const op = "mcp.compact"
	if a.Error != "" {
		a.Return = cmp.Or(a.Return, "messages")
	}
	if !a.DryRun { // a plan is what would be cut; its summary costs much, and nobody keeps it
		a.Return = cmp.Or(a.Return, "summary")
	}
	a.Mode = cmp.Or(a.Mode, string(compaction.Intent))
	mode := compaction.Mode(a.Mode)
	known := mode == modeAuto || mode.Offered() || mode.Refused() != ""
	switch {
	case a.Messages != nil && a.Since != nil:
		return fault.New(fault.Invalid, op,
			`"messages" and "since" are given: pass the whole conversation or only what is new`)
	case a.Since != nil && a.Session == "":
		return fault.New(fault.Invalid, op,
			`"since" needs "session"`).
			WithHint(`pass the session that the earlier call returned, for example "session": "1a2b3c4d"`)
	case a.Format != "" && !slices.Contains(transcript.Formats(), transcript.Format(a.Format)):
		return fault.New(fault.Invalid, op, `argument "format" is %.1000q, not one of %s`, clean(a.Format),
			transcript.FormatNames()).
			WithHint(`the right form: "format": "anthropic", with messages like {"role": "user", "content": "…"}`)
	case !known:
		return fault.New(fault.Invalid, op, `argument "mode" is %.1000q, not one of %s, %s`, clean(a.Mode),
			strings.Join(settings.ModeNames(false), ", "), modeAuto)
	case len(a.Notes) > limits.Notes:
		return tooLong(op, "notes", len(a.Notes), limits.Notes).
			WithHint("keep goal, decisions and open points, leave out what the record shows anyway")
	case a.Budget < 0 || a.Keep < 0:
		return fault.New(fault.Invalid, op,
			`arguments "budget_tokens" and "keep_turns" must be 0 (the default) or more`)
	case a.Error != "" && a.Return != "messages":
		return fault.New(fault.Invalid, op,
			`"error" goes with "return": "messages": what you send next may be a trimmed copy`)
	case a.Error != "" && a.DryRun:
		return fault.New(fault.Invalid, op,
			`"error" and "dry_run" are given: ctxledger learns from a refusal, and a dry run cannot undo that`)
	case len(a.Error) > maxError:
		return tooLong(op, "error", len(a.Error), maxError).
			WithHint("the provider's message is enough")
	case a.Usage != (usage{}) && a.Messages == nil && a.Since == nil:
		return fault.New(fault.Invalid, op, `"usage" goes with "messages" or "since": it is that of their newest answer`)
	case len(a.RequestID) > maxRequestID:
		return tooLong(op, "request_id", len(a.RequestID), maxRequestID)
	}
	return nil
}

func tooLong(op, name string, length, most int) *fault.Error {
	return fault.New(fault.TooLarge, op, "argument %q has %d bytes, the limit is %d", name, length, most)
}

// key derives the key of one step from the request's id, so that repeating the request is idempotent.
func (a *compactArgs) key(step string) string {
	if a.RequestID == "" {
		return ""
	}
	return a.RequestID + ":" + step
}

// options returns the options of the compaction.
func (a *compactArgs) options() compaction.Options {
	budget := a.Budget
	if budget == 0 && !compaction.Mode(a.Mode).OfView() {
		budget = summaryBudget
	}
	return compaction.Options{
		Mode: compaction.Mode(a.Mode), Budget: budget, Keep: a.Keep, Pin: a.Pin, Focus: a.Focus,
		Notes: a.Notes, Model: a.Model, Strict: a.Strict, Reason: cmp.Or(a.Reason, compaction.AgentRequested),
		Asked: a.Reason != "", KeepTail: a.Return == "splice" || a.DryRun,
	}
}

// conversation records what was handed in, or finds the recorded session. It returns the session with the number of
// messages of a conversation that was handed in whole.
func (a *compactArgs) conversation(ctx context.Context, c *call) (s sessions.Session, handed int, err error) {
	array := a.Messages
	if array == nil {
		array = a.Since
	}
	if array == nil {
		s, err = c.session(ctx, a.Session)
		return s, 0, err
	}
	n, err := a.record(ctx, c, array)
	if err != nil {
		return s, 0, err
	}
	if a.Messages != nil {
		handed = n
	}
	s, err = c.session(ctx, a.Session)
	return s, handed, err
}

// record appends messages to the ledger, with their exact bytes, and returns how many there are.
func (a *compactArgs) record(ctx context.Context, c *call, array json.RawMessage) (int, error) {
	done, n, err := ledger.HandIn(ctx, c.api, ledger.AppendMessagesRequest{
		Mutation: ledger.Mutation{Key: a.key("messages")}, Session: a.Session, Host: hostName,
		Model: a.Model, Format: transcript.Format(a.Format), Since: a.Since != nil, Usage: a.Usage.measured(),
	}, array)
	a.Session = cmp.Or(done.Session, a.Session)
	return n, err
}

// edit makes the edits that pay off, if the caller asked for the whole view in order to send it.
func (a *compactArgs) edit(ctx context.Context, c *call, s sessions.Session) (ledger.EditedView, error) {
	if a.Return != "messages" || a.DryRun {
		return ledger.EditedView{}, nil
	}
	return c.api.EditView(ctx, ledger.EditViewRequest{
		Mutation: ledger.Mutation{Key: a.key("edits")}, Session: s.ID, Reader: a.reader, Model: a.Model,
		Signals: ledger.Signals{Asked: true},
	})
}

// viewBefore reads the view before the compaction if a splice or messages are requested.
func (a *compactArgs) viewBefore(ctx context.Context, c *call, s sessions.Session) (ledger.ViewResponse, error) {
	if a.Return != "splice" && a.Return != "messages" {
		return ledger.ViewResponse{}, nil
	}
	return ledger.Messages(ctx, c.api, ledger.ViewRequest{Session: s.ID, Reader: a.reader, Model: a.Model})
}

// modeAuto is the mode that does only what the policy asks for.
const modeAuto = "auto"

// auto does what the policy asks for now, whatever else is asked for. The reason why nothing was done is part of the
// answer.
func (a *compactArgs) auto(ctx context.Context, c *call) (compactResult, error) {
	o, err := a.prepare(ctx, c)
	if err != nil {
		return compactResult{}, err
	}
	done, err := ledger.Auto(ctx, c.api, ledger.AutoRequest{
		EditViewRequest: ledger.EditViewRequest{
			Mutation: ledger.Mutation{Key: a.RequestID}, Session: o.session.ID, Reader: a.reader,
			Model: a.Model, DryRun: a.DryRun, NoEdits: a.Return != "messages",
			Signals: ledger.Signals{Asked: true},
		},
		Options: a.options(),
	}, func(ctx context.Context) (ledger.Author, string, error) { return c.author(ctx, compaction.LLM) })
	if err != nil {
		return compactResult{}, err
	}
	if done.Action == ledger.AutoEdited && !a.DryRun {
		if o.before, err = a.viewBefore(ctx, c, o.session); err != nil {
			return compactResult{}, err
		}
	}
	o.edited, o.warning = done.Edited, done.Fallback
	due := done.Edited.Due
	if done.Compaction != nil {
		o.plan, o.due = *done.Compaction, due.Why
	} else {
		o.plan = ledger.CompactionPlan{Outcome: compaction.NothingToDo, Why: due.Why + due.Without()}
	}
	return o.result(ctx, c.api)
}

// keepNotes records the notes of a call that compacted nothing, so that the next document has them.
func (a *compactArgs) keepNotes(ctx context.Context, c *call, r *compactResult) error {
	if strings.TrimSpace(a.Notes) == "" || a.DryRun {
		return nil
	}
	s, err := c.api.KeepNotes(ctx, ledger.KeepNotesRequest{
		Mutation: ledger.Mutation{Key: a.key("notes")}, Session: r.Session, Host: hostName,
		Notes: sessions.Notes{Text: a.Notes},
	})
	if err != nil {
		return err
	}
	r.Session = s.ID
	r.Reason = strings.TrimSuffix(r.Reason, " Nothing was changed.") +
		" The notes are kept: the next summary and the `resume` prompt have them."
	return nil
}

// handOff answers for a chat that is not recorded. Its notes are recorded, and returned with what else the ledger has
// for a new chat: the same that the prompt resume gives there.
func (a *compactArgs) handOff(ctx context.Context, c *call, unknown error) (reply, error) {
	r := compactResult{Status: statusRefused, Reason: unknown.Error() + ": " + fault.HintOf(unknown) +
		". Nothing was changed."}
	if strings.TrimSpace(a.Notes) == "" || a.DryRun {
		return answer(r), nil
	}
	if err := a.keepNotes(ctx, c, &r); err != nil {
		return reply{}, err
	}
	r.Status = statusHandedOff
	r.Reason = "this chat is not recorded; its notes are, along with what the ledger holds for this workspace"
	r.Delivery = "to continue in a new chat, open it with the `resume` prompt"
	if a.Return == "receipt" {
		return answer(r), nil
	}
	text, err := handoff(ctx, c, r.Session)
	if err != nil {
		return reply{}, err
	}
	r.Summary = text
	r.Delivery += ", or give it this text"
	return answer(r), nil
}
