// Package given assembles what an agent is given when it starts: a text from declared sources, instead of the history of
// those who worked before it.
//
// Start at Assemble, which returns the messages for one agent, and at Handoff, the block that one agent leaves for another.
// Package spec holds the declarations. Environment describes the machine and directory to every agent.
//
// Guarantees: the same record and files give the same text; a source has at most its characters, and says how many are left
// out; a source without content is left out and named in the event; secrets are masked; no source can begin a section.
//
// The package deliberately keeps nothing: what agents noted is in the log of their session (sessions.Notes), and what they
// did in the intents and changes of the ledger.
package given

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"ctxledger.dev/given/spec"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// Ledger is what is asked of a ledger.
type Ledger interface {
	ledger.SessionReader
	ledger.Blobs
	ledger.Files
	ledger.Erasure
	ledger.Recorder
	ledger.MemoryStore
}

// Request asks for what an agent is given.
type Request struct {
	Spec    spec.Spec
	Agent   string           // by the configuration's name for it, or a host's
	Session sessions.Session // of the agents: of a subagent's, that of who started it
	Task    string           // what the agent is to do; "": the first request of the session
	HasTask bool             // the agent has its task anyway
	Root    string           // of the tree that the sources' files are in; "": there are none
	Env     env.Env
	Told    Told // besides what is declared
}

// Message is one message of what an agent is given.
type Message struct {
	Role transcript.Role `json:"role"`
	Text string          `json:"text"`
}

// Section is what one source gives.
type Section struct {
	Source string `json:"source"`
	Label  string `json:"label"`
	Text   string `json:"text"`
}

// Assembled is what an agent is given.
type Assembled struct {
	Agent    string    `json:"agent"`
	Session  string    `json:"session"`
	Messages []Message `json:"messages"`
	Sections []Section `json:"sections"`
	// Block is the message with the sections; "" if no source has content.
	Block string `json:"-"`
	// Handoff is what another agent left for this one, and was not delivered yet; "" for nothing.
	Handoff string                 `json:"handoff,omitempty"`
	Event   ledger.ContextAssembly `json:"event"`
}

// The texts around what is assembled. Other programs know them.
const (
	contextHead  = "[AGENT CONTEXT — assembled from artifacts]"
	handoffHead  = "[HANDOFF CONTEXT — assembled for %s]"
	reminderHead = "[Task Reminder]\n\n"
	cutSource    = "\n[...%s chars truncated — use file tool to read in full]"
	cutTurn      = "\n[...truncated — own_history turn exceeded %s char limit]"
)

// maxSource is how many characters of a source are looked at, masked and cut: as many as one request may mask.
const maxSource = limits.MaskText / utf8.UTFMax

// Bounds of the reminder of a task, in characters.
const (
	remindOver  = 50    // of the task
	remindAfter = 2_000 // of what follows it
	remindChars = 200
)

// Root returns the session that a subagent's belongs to, or the session itself.
func Root(ctx context.Context, api ledger.SessionReader, s sessions.Session) (sessions.Session, error) {
	const deepest = 32 // no host nests its subagents so far
	for n := 0; s.Parent != "" && n < deepest; n++ {
		above, err := api.Session(ctx, ledger.SessionRequest{Name: s.Parent})
		if fault.Is(err, fault.NotFound) {
			return s, nil
		}
		if err != nil {
			return s, err
		}
		s = above
	}
	return s, nil
}

// Assemble returns what an agent is given, and records that it was asked for. Errors: not_found for an agent for which
// nothing is declared.
func Assemble(ctx context.Context, api Ledger, r Request) (Assembled, error) {
	began := r.Env.Now()
	agent, ok := r.Spec.Find(r.Agent)
	sources := r.Spec.Sources(agent)
	if !ok || len(sources) == 0 {
		return Assembled{}, undeclared(r.Spec, r.Agent)
	}
	rec, err := open(ctx, api, r)
	if err != nil {
		return Assembled{}, err
	}
	out := Assembled{Agent: agent.Name, Session: rec.session.ID}
	own, err := out.read(ctx, rec, sources)
	if err != nil {
		return Assembled{}, err
	}
	out.Block = block(contextHead, out.Sections)
	handoff, err := rec.handoff(ctx)
	if err != nil {
		return Assembled{}, err
	}
	out.Handoff = handoff.Text
	if err := out.lay(ctx, rec, own); err != nil {
		return Assembled{}, err
	}
	out.Event.Agent, out.Event.Strategy = agent.Name, ledger.StrategySpec
	out.Event.ContextChars = utf8.RuneCountInString(out.Block)
	return out, record(ctx, api, r, out, began, sessions.Notes{})
}

// undeclared is the error for an agent without sources.
func undeclared(s spec.Spec, name string) error {
	var named []string
	for _, a := range s.Agents {
		if len(a.Context) > 0 {
			named = append(named, a.Name)
		}
	}
	e := fault.New(fault.NotFound, "given.assemble", "no context is declared for agent %.100q", name)
	if len(named) == 0 {
		return e.WithHint("declare one in ctxledger.yaml: agents: [{name: …, context: [{source: session_context}]}]")
	}
	return e.WithHint("ctxledger.yaml declares one for %s", strings.Join(named, ", "))
}

// read takes in the sources, and returns the agent's own turns.
func (a *Assembled) read(ctx context.Context, rec *reading, sources []spec.Source) (own []turn, err error) {
	a.Event.Declared, a.Event.Empty = []string{}, []string{}
	for _, s := range sources {
		a.Event.Declared = append(a.Event.Declared, s.String())
		if s.Kind == spec.OwnHistory {
			if own, err = rec.ownHistory(ctx, s); err != nil {
				return nil, err
			}
			continue
		}
		text, err := rec.source(ctx, s)
		if err == nil { // before it is cut: the masks do not recognise half a secret
			text, err = rec.masked(ctx, chars.First(text, maxSource))
		}
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(text) == "" {
			a.Event.Empty = append(a.Event.Empty, s.String())
			continue
		}
		a.Event.Artifacts++
		a.Sections = append(a.Sections, Section{s.String(), s.Heading(), fenced(Cut(tidy(text), s.Limit(), cutSource))})
	}
	return own, nil
}

// lay puts the messages into their order: where the agent runs, the task, the agent's own turns, the block, corrections, a reminder of the task.
func (a *Assembled) lay(ctx context.Context, rec *reading, own []turn) error {
	task, err := rec.task(ctx)
	if err != nil {
		return err
	}
	if rec.HasTask {
		task = ""
	}
	told, err := rec.Told.Text(ctx, rec.Env, rec.Root, rec.api)
	if err != nil {
		return err
	}
	add := func(role transcript.Role, text string) error {
		text, err := rec.masked(ctx, chars.Plain(text))
		if text != "" {
			a.Messages = append(a.Messages, Message{role, text})
		}
		return err
	}
	for _, text := range []string{told, task} {
		if err := add(transcript.RoleUser, text); err != nil {
			return err
		}
	}
	first := len(a.Messages)
	for _, t := range own {
		if err := add(transcript.RoleAssistant, t.text); err != nil {
			return err
		}
	}
	corrections, err := rec.corrections(ctx)
	if err != nil {
		return err
	}
	for _, text := range slices.Concat([]string{a.Handoff, a.Block}, corrections) {
		if err := add(transcript.RoleUser, text); err != nil {
			return err
		}
	}
	after := 0
	for _, m := range a.Messages[first:] {
		after += utf8.RuneCountInString(m.Text)
	}
	if utf8.RuneCountInString(task) > remindOver && after > remindAfter {
		return add(transcript.RoleUser, reminderHead+chars.Cut(task, remindChars))
	}
	return nil
}

// Text returns the messages as one text, for those who take in nothing else. The agent's own turns say whose they are.
func (a Assembled) Text() string {
	var out []string
	for _, m := range a.Messages {
		text := m.Text
		if m.Role == transcript.RoleAssistant {
			text = "[" + a.Agent + ", earlier]\n" + text
		}
		out = append(out, text)
	}
	return strings.Join(out, "\n\n")
}

// block joins sections under a head; "" without any.
func block(head string, sections []Section) string {
	if len(sections) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(head)
	for _, s := range sections {
		b.WriteString("\n\n## " + chars.Short(chars.Line(s.Label), 200) + "\n" + s.Text)
	}
	return b.String()
}

// tidy returns a text with line feeds alone, and nothing behind it.
func tidy(text string) string {
	return strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), " \t\n")
}

// Cut bounds a text to so many characters. A marker says how many are left out, in the place of %s.
func Cut(text string, most int, marker string) string {
	head := chars.Head(text, most)
	if len(head) == len(text) {
		return text
	}
	return head + sprintf(marker, utf8.RuneCountInString(text[len(head):]))
}

// fenced puts a text into a fence that could be taken for more than one section, or has fences of its own. Control characters
// go.
func fenced(text string) string {
	text = chars.Plain(text)
	sections := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, begins := range []string{"```", "## ", "[AGENT CONTEXT", "[HANDOFF CONTEXT"} {
			sections = sections || strings.HasPrefix(line, begins)
		}
	}
	if !sections {
		return text
	}
	return inFence(text)
}

// inFence puts a text into a fence that nothing in it ends.
func inFence(text string) string {
	longest := 2
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		longest = max(longest, len(line)-len(strings.TrimLeft(line, "`")))
	}
	fence := strings.Repeat("`", longest+1)
	return fence + "\n" + text + "\n" + fence
}

// record records what was given, with notes for the log if there are any.
func record(ctx context.Context, api Ledger, r Request, a Assembled, began time.Time, n sessions.Notes) error {
	a.Event.MS = max(0, r.Env.Now().Sub(began).Milliseconds())
	_, err := api.KeepNotes(ctx, ledger.KeepNotesRequest{Session: r.Session.ID, Notes: n, Assembled: &a.Event})
	return err
}

// display returns the name under which an agent is shown: that of the configuration, or the one that is recorded.
func (rec *reading) display(name, host string) string {
	name = cmp.Or(name, host, "Unknown")
	if a, ok := rec.Spec.Find(name); ok {
		return a.Name
	}
	return name
}
