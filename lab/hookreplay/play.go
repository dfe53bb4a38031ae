package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"ctxledger.dev/agents/claudecode/hooks"
	"ctxledger.dev/agents/hook"
	"ctxledger.dev/engine"
	"ctxledger.dev/engine/replay"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/lab/wayback"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// outcome is what one configuration made of one session.
type outcome struct {
	requests        int
	chars, sent     int64   // characters and tokens of messages, summed over the requests that carried them, as recorded
	lessChars, less float64 // of them, how much less was sent
	cut, injected   int     // results that were replaced, texts that were added
	injectedTokens  int
	denied          int
	calls, units    int // calls; calls and answers without one, behind a cut in the same context
	needs           int // of them, those of need
	recorded, spent float64
	list, listSent  float64 // dollars and tokens that carrying our own tool list in every request takes besides
	listLeast       float64 // those dollars, if the list is in the provider's cache whenever anything is
	readBack        float64 // of what was spent: for reading back
	lost, saved     int     // names that calls behind a compaction used and the summary lacks; that our record has
	savedDollars    float64
}

// player plays a session under one configuration.
type player struct {
	*track
	*program
	configuration
	bill
	list     bill // of our own tool list, which is in every request
	out      outcome
	local    *engine.Local
	env      env.Env
	file     string // the session file of the events
	taken    int    // entries that the ledger has
	calls    map[string]transcript.Part
	context  seen
	contexts hook.Contexts
	cuts     []*cut
	before   map[string]bool // words of the session before the newest compaction
	record   map[string]bool // words of our record; nil: none
	carried  int64           // o200k tokens of messages in the context, as recorded
	carriedC int64
	extraC   float64 // characters that the context has more than recorded
	compacts int
	told     bool // what the newest compaction lost
	rates    rates
	last     request
}

func (t *track) play(ctx context.Context, program *program, c configuration) (out outcome, err error) {
	e := env.System()
	dir, err := os.MkdirTemp(e.Temp, "hookreplay-")
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	e.Home, e.Lookup = dir, func(string) string { return "" } // its agent may read everything back
	file, err := wayback.Make(dir, wayback.Server)
	if err != nil {
		return out, err
	}
	local, err := engine.Open(ctx, engine.Options{State: filepath.Join(dir, "state"), Workspace: t.About.Dir, Env: e,
		Scratch: true})
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, local.Close()) }()
	p := &player{track: t, program: program, configuration: c, local: local, env: e, file: file,
		calls: map[string]transcript.Part{}, context: newSeen(), before: map[string]bool{}}
	if len(t.requests) > 0 {
		p.last = t.requests[0]
		p.rates = ratesOf(p.last.model)
	}
	for _, l := range program.own {
		p.list.add(l.tokens, p.rates.factor)
	}
	if err := p.begin(ctx, hooks.Startup); err != nil {
		return out, err
	}
	for i := range t.items {
		if err := p.entry(ctx, i); err != nil {
			return p.out, err
		}
	}
	p.out.spent, p.out.list, p.out.requests = p.dollars, p.list.dollars, len(t.requests)
	return p.out, nil
}

// entry plays one entry.
func (p *player) entry(ctx context.Context, i int) error {
	it := &p.items[i]
	if it.summary {
		return p.compacted(ctx, i)
	}
	if !it.message {
		return nil
	}
	if it.request >= 0 {
		p.asked(p.requests[it.request])
	}
	if it.role == transcript.RoleAssistant {
		return p.answered(ctx, it, i)
	}
	for _, part := range it.parts {
		shown := part.text
		if part.Kind == transcript.KindResult {
			var err error
			if shown, err = p.result(ctx, part, it); err != nil {
				return err
			}
		}
		p.show(part, shown)
		if part.Kind == transcript.KindText {
			if err := p.prompted(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// prompted plays the event of the user's words, which matters after a compaction alone.
func (p *player) prompted(ctx context.Context) error {
	if !p.do.Record || p.told || p.compacts == 0 {
		return nil
	}
	a, err := p.ask(ctx, map[string]any{"hook_event_name": hooks.UserPromptSubmit, "prompt": ""})
	if err == nil && a.Context != "" {
		p.inject(a.Context)
		p.restored(a.Context)
	}
	return err
}

// restored notes what a text has that the summary lacks.
func (p *player) restored(text string) {
	_, names := replay.Identifiers(text)
	if p.record == nil {
		p.record = names
	}
	maps.Copy(p.record, names)
	p.told = true
}

// show puts a part into the context.
func (p *player) show(part part, shown string) {
	p.carried += int64(part.tokens)
	p.carriedC += int64(part.chars)
	if shown == part.text {
		p.context.add(part.text, part.words)
		return
	}
	p.context.read(shown)
	p.add(tokens.O200kBase.CountString(shown)-part.tokens, p.rates.factor)
	p.extraC += float64(utf8.RuneCountInString(shown) - part.chars)
}

// asked charges a request.
func (p *player) asked(r request) {
	p.last, p.rates = r, ratesOf(r.model)
	p.request(r, p.rates)
	p.list.request(r, p.rates)
	p.out.listSent += p.list.extra
	p.out.listLeast += r.leading(p.list.extra, p.rates)
	p.out.recorded += recorded(r)
	p.out.sent += int64(float64(p.carried) * p.rates.factor)
	p.out.chars += p.carriedC
	p.out.less -= p.extra
	p.out.lessChars -= p.extraC
}

// answered plays an answer: what it needs to know, and what hooks say to its calls.
func (p *player) answered(ctx context.Context, it *item, i int) error {
	said := false
	for _, part := range it.parts {
		if part.Kind != transcript.KindCall {
			if said = true; len(p.cuts) > 0 {
				p.needed(wanted{words: part.named}, "says", part.text)
			}
			p.show(part, part.text)
			continue
		}
		p.out.calls++
		if len(p.cuts) > 0 {
			p.out.units++
			p.needed(wants(part), part.Name, string(part.Args))
		}
		p.recalled(part)
		p.calls[part.ID] = part.Part
		p.show(part, part.text)
		if err := p.announced(ctx, part, i); err != nil {
			return err
		}
	}
	if said && len(p.cuts) > 0 {
		p.out.units++
	}
	return nil
}

// needed counts what needs something that only a cut has, and reads it back.
func (p *player) needed(w wanted, tool, text string) {
	counted := false
	for _, c := range p.cuts {
		for range 20 {
			what := c.lacks(w, p.context)
			if what == "" {
				break
			}
			if !counted {
				p.out.needs++
				counted = true
			}
			if p.needs {
				p.mu.Lock()
				fmt.Printf("%s: %s needs %q: %.200q\n", p.Name, tool, what, text)
				p.mu.Unlock()
			}
			back := c.around(what)
			p.out.readBack += p.readBack(p.last, p.rates, tokens.O200kBase.CountString(back))
			p.context.read(back + "\n" + what)
			p.context.read(what)
		}
	}
}

// recalled counts the names that a call uses and that the host's summary lost.
func (p *player) recalled(part part) {
	if p.compacts == 0 {
		return
	}
	for _, id := range wants(part).words {
		if !p.before[id] || p.context.words[id] {
			continue
		}
		if p.record[id] {
			p.out.saved++
			p.out.savedDollars += (float64(p.last.input())+p.extra)*p.rates.read + readCall*p.rates.output
			delete(p.record, id)
		}
		p.out.lost++
	}
}

// ask has an event answered.
func (p *player) ask(ctx context.Context, e map[string]any) (answer, error) {
	e["session_id"], e["cwd"], e["prompt_id"] = p.About.HostID, p.About.Dir, "all" // a replay has no branches
	e["transcript_path"] = p.file
	raw, err := json.Marshal(e)
	if err != nil {
		return answer{}, err
	}
	at := p.env
	at.Now = func() time.Time { return time.Time{} } // nor pauses
	o := hook.Options{Env: at, Root: p.About.Dir, Do: &p.do, Limits: p.limits, Contexts: &p.contexts, Server: wayback.Server,
		Open: func(context.Context) (ledger.API, error) { return p.local, nil }}
	a, err := hook.Run(ctx, o, e["hook_event_name"].(string), raw)
	if err == nil {
		err = a.After(ctx, true)
	}
	if err != nil {
		return answer{}, err
	}
	return answerOf(a.Out), nil
}

// begin plays the start of a context.
func (p *player) begin(ctx context.Context, source string) error {
	a, err := p.ask(ctx, map[string]any{"hook_event_name": hooks.SessionStart, "source": source})
	if err != nil || a.Context == "" {
		return err
	}
	p.inject(a.Context)
	return nil
}

// inject adds a text to the context.
func (p *player) inject(text string) {
	n := tokens.O200kBase.CountString(text)
	p.out.injected++
	p.out.injectedTokens += n
	p.add(n, p.rates.factor)
	p.extraC += float64(utf8.RuneCountInString(text))
}

// compacted plays a compaction of the host.
func (p *player) compacted(ctx context.Context, i int) error {
	if err := p.append(ctx, i); err != nil {
		return err
	}
	a, err := p.ask(ctx, map[string]any{"hook_event_name": hooks.PreCompact, "trigger": "auto"})
	if err != nil {
		return err
	}
	if a.Plain != "" { // one request more of the same context, and what it asks for besides
		n := tokens.O200kBase.CountString(a.Plain)
		p.out.injected++
		p.out.injectedTokens += n
		p.dollars += float64(n) * p.rates.factor * p.rates.input
	}
	for w := range p.context.words {
		p.before[w] = true
	}
	p.compact()
	p.list.again()
	p.context, p.cuts, p.record = newSeen(), nil, nil
	p.carried, p.carriedC, p.extraC = 0, 0, 0
	p.compacts++
	if p.do.Summary {
		_, p.record = replay.Identifiers(a.Plain)
	}
	if a, err = p.ask(ctx, map[string]any{"hook_event_name": hooks.SessionStart, "source": hooks.Compact}); err != nil {
		return err
	}
	if a.Context != "" {
		p.inject(a.Context)
	}
	var summary strings.Builder // which the host hands on last, before its file has it
	for _, part := range p.items[i].parts {
		p.show(part, part.text)
		summary.WriteString(part.text)
	}
	_, err = p.ask(ctx, map[string]any{"hook_event_name": hooks.PostCompact, "trigger": "auto",
		"compact_summary": summary.String()})
	if err != nil {
		return err
	}
	p.told = false
	return p.append(ctx, i+1)
}

// announced plays the event before a call.
func (p *player) announced(ctx context.Context, part part, i int) error {
	if !p.do.Stale && !p.do.Markers && !p.do.Record {
		return nil // the ledger gets the intent, the model nothing
	}
	if err := p.append(ctx, i); err != nil {
		return err
	}
	a, err := p.ask(ctx, map[string]any{"hook_event_name": hooks.PreToolUse, "tool_name": part.Name,
		"tool_use_id": part.ID, "tool_input": part.Args})
	if err != nil {
		return err
	}
	if a.Decision == "deny" {
		p.out.denied++
		p.inject(a.Reason)
	}
	if a.Context != "" {
		p.inject(a.Context)
	}
	if p.do.Record && !p.told && p.compacts > 0 {
		p.restored(a.Context)
	}
	return nil
}

// result plays the event after a call and returns what the model reads.
func (p *player) result(ctx context.Context, part part, it *item) (string, error) {
	call := p.calls[part.ID]
	if part.IsError || call.ID == "" || len(it.response) == 0 {
		return part.text, nil
	}
	a, err := p.ask(ctx, map[string]any{"hook_event_name": hooks.PostToolUse, "tool_name": call.Name,
		"tool_use_id": call.ID, "tool_input": call.Args, "tool_response": it.response})
	if err != nil || a.Output == nil {
		return part.text, err
	}
	shown := a.shown(call.Name)
	p.out.cut++
	c := &cut{part.text, newSeen()}
	c.seen.add(part.text, part.words)
	p.cuts = append(p.cuts, c)
	p.print(part.text, shown)
	return shown, nil
}

// print shows a person what was replaced by what.
func (p *player) print(text, shown string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shows == 0 {
		return
	}
	p.shows--
	fmt.Printf("=== %s, %s: %d characters\n%s\n=== read instead:\n%s\n", p.configuration.name, p.Name, len(text),
		text, shown)
}

// answer is what a hook printed.
type answer struct {
	Plain    string
	Context  string          `json:"additionalContext"`
	Decision string          `json:"permissionDecision"`
	Reason   string          `json:"permissionDecisionReason"`
	Output   json.RawMessage `json:"updatedToolOutput"`
}

func answerOf(out []byte) answer {
	var a struct {
		Specific answer `json:"hookSpecificOutput"`
	}
	if len(out) == 0 || json.Unmarshal(out, &a) != nil {
		return answer{Plain: string(out)}
	}
	return a.Specific
}

// shown returns the text of a result that replaces another, as the model reads it.
func (a answer) shown(tool string) string {
	var text string
	if json.Unmarshal(a.Output, &text) == nil {
		return text
	}
	var blocks []struct{ Text string }
	if json.Unmarshal(a.Output, &blocks) == nil {
		for _, b := range blocks {
			text += b.Text
		}
		return text
	}
	var o struct {
		Stdout, Stderr string
		File           struct{ Content string }
	}
	_ = json.Unmarshal(a.Output, &o) // an object of the hooks
	if tool != "Read" {
		return strings.TrimSpace(o.Stdout + "\n" + o.Stderr)
	}
	for n, line := range strings.Split(o.File.Content, "\n") {
		text += fmt.Sprintf("%6d→%s\n", n+1, line)
	}
	return text
}
