package exports

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"ctxledger.dev/changes"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// The documented cuts, in characters.
const (
	maxOutput  = 4096 // of a command's output
	maxCommand = 4096 // of a command line
)

// viaShell marks a file that a command changed.
const viaShell = "shell"

// group is what one agent did in one turn.
type group struct {
	turn int
	runs []string  // call ids, in order
	last time.Time // of what it did
	Turn
}

// gatherer assembles the turns of one session.
type gatherer struct {
	api     ledger.API
	session sessions.Session
	byCall  map[string]*intents.Intent
	runs    map[string]*CommandRun // by call id
	groups  []*group               // by turn, and in that in the order of their first act
	byTurn  map[turnKey]*group
}

// turnKey names a group.
type turnKey struct {
	turn  int
	agent string
}

// turns calls emit with the entry of every turn of an agent in which something was changed or run, in
// order.
func turns(ctx context.Context, api ledger.API, s sessions.Session, emit func(Turn) error) error {
	g := &gatherer{
		api: api, session: s, byCall: map[string]*intents.Intent{}, runs: map[string]*CommandRun{},
		byTurn: map[turnKey]*group{},
	}
	if err := g.readIntents(ctx); err != nil {
		return err
	}
	if err := g.readChanges(ctx); err != nil {
		return err
	}
	slices.SortStableFunc(g.groups, func(a, b *group) int { return cmp.Compare(a.turn, b.turn) })
	if len(g.runs) == 0 {
		return g.emitBefore(math.MaxInt, emit)
	}
	for e, err := range ledger.LogEntries(ctx, api, ledger.LogRequest{Session: s.ID, Originals: true}) {
		if err == nil {
			err = g.take(ctx, e)
		}
		if err == nil {
			err = g.emitBefore(e.Turn, emit)
		}
		if err != nil {
			return err
		}
	}
	return g.emitBefore(math.MaxInt, emit)
}

// group returns that of a turn and an agent.
func (g *gatherer) group(turn int, agent string) *group {
	key := turnKey{turn, agent}
	if g.byTurn[key] == nil {
		g.byTurn[key] = &group{turn: turn, Turn: Turn{
			Agent: cmp.Or(agent, g.session.Host), TurnIndex: max(turn-1, 0), SessionID: g.session.ID,
			FilesWritten: []string{}, FilesDeleted: []string{}, CommandsRun: []CommandRun{}, GitCommits: []string{},
		}}
		g.groups = append(g.groups, g.byTurn[key])
	}
	return g.byTurn[key]
}

// readIntents notes the commands and commits that ended, by turn.
func (g *gatherer) readIntents(ctx context.Context) error {
	return eachIntent(ctx, g.api, g.session.ID, func(in intents.Intent) error {
		if in.Finished == nil {
			return nil
		}
		keep := in
		keep.Args = nil // only the record of intents shows them
		g.byCall[in.CallID] = &keep
		switch {
		case in.Op == intents.OpShell:
			n := g.group(in.Turn, in.Agent)
			n.runs = append(n.runs, in.CallID)
			n.last = env.Later(n.last, *in.Finished)
			g.runs[in.CallID] = &CommandRun{Command: chars.Cut(in.Command, maxCommand),
				Succeeded: in.Status == intents.Applied}
		case in.Op == intents.OpCommit && in.Status == intents.Applied:
			n := g.group(in.Turn, in.Agent)
			n.GitCommits = append(n.GitCommits, in.Command)
			n.last = env.Later(n.last, *in.Finished)
		}
		return nil
	})
}

// eachIntent calls fn with every intent of a session, in order.
func eachIntent(ctx context.Context, api ledger.API, session string, fn func(intents.Intent) error) error {
	for r := (ledger.IntentsRequest{Session: session}); ; {
		page, err := api.Intents(ctx, r)
		if err != nil {
			return err
		}
		for _, in := range page.Intents {
			if err := fn(in); err != nil {
				return err
			}
		}
		if page.Next == 0 {
			return nil
		}
		r.From = page.Next
	}
}

// readChanges notes the files that changed, by turn.
func (g *gatherer) readChanges(ctx context.Context) error {
	via := map[string]bool{} // intents that ran commands
	for _, in := range g.byCall {
		via[in.ID] = in.Op == intents.OpShell
	}
	var all []changes.Change
	err := eachChange(ctx, g.api, g.session.ID, func(c changes.Change) { all = append(all, c) })
	for _, c := range slices.Backward(all) { // oldest first
		n := g.group(c.Turn, c.Agent)
		n.last = env.Later(n.last, c.Time)
		list := &n.FilesWritten
		if c.Op == changes.Deleted {
			list = &n.FilesDeleted
		}
		if !slices.Contains(*list, c.Path) {
			*list = append(*list, c.Path)
		}
		if via[c.Intent] || c.Source == changes.Inferred {
			if n.FilesVia == nil {
				n.FilesVia = map[string]string{}
			}
			n.FilesVia[c.Path] = viaShell
		}
	}
	return err
}

// eachChange calls fn with every change of a session, or of all when it is empty, newest first.
func eachChange(ctx context.Context, api ledger.API, session string, fn func(changes.Change)) error {
	const page = 10_000
	for r := (ledger.ChangesRequest{Session: session, Limit: page, Before: math.MaxInt64}); ; {
		resp, err := api.Changes(ctx, r)
		if err != nil || len(resp.Changes) == 0 {
			return err
		}
		for _, c := range resp.Changes {
			fn(c)
		}
		r.Before = resp.Changes[len(resp.Changes)-1].ID
	}
}

// take reads what an entry of the log says of commands: their whole text, and their output.
func (g *gatherer) take(ctx context.Context, e ledger.LogEntry) error {
	wanted := slices.ContainsFunc(e.Results, func(r sessions.Result) bool { return g.runs[r.CallID] != nil }) ||
		slices.ContainsFunc(e.Calls, func(c sessions.Call) bool {
			in := g.byCall[c.ID]
			return in != nil && in.CommandCut()
		})
	if !wanted || e.Forgotten != nil {
		return nil
	}
	original, err := ledger.OriginalOf(ctx, g.api, e)
	if err != nil {
		return err
	}
	raw, _ := e.MessageIn(original)
	m, err := transcript.Decode(e.Format, raw)
	if err != nil {
		return nil //style:ok it was decoded when it was recorded; the rest of the export is still useful
	}
	transcript.Identify(&m, e.CallIDs())
	for _, p := range m.Parts {
		run := g.runs[p.ID]
		switch {
		case run == nil:
		case p.Kind == transcript.KindResult:
			if _, goesOn := intents.LaunchedCommand(p.Text); goesOn {
				p.Text = g.byCall[p.ID].Outcome
			}
			run.Output, err = g.output(ctx, p.Text)
		case p.Kind == transcript.KindCall:
			command := intents.Classify(p.Name, p.Args).Command
			if command, err = g.beforeCut(ctx, command, maxCommand); err == nil {
				run.Command = chars.Cut(command, maxCommand)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// beforeCut masks the beginning of a text before it is cut to n characters: the masks do not recognise half a secret.
func (g *gatherer) beforeCut(ctx context.Context, text string, n int) (string, error) {
	const longest = 64 << 10 // characters: no secret that is recognised is longer
	if utf8.RuneCountInString(text) <= n {
		return text, nil // exit masks it
	}
	r, err := g.api.Mask(ctx, ledger.MaskRequest{Text: chars.First(text, n+longest)})
	return r.Text, err
}

// emitBefore emits the groups of earlier turns than this one.
func (g *gatherer) emitBefore(turn int, emit func(Turn) error) error {
	for len(g.groups) > 0 && g.groups[0].turn < turn {
		n := g.groups[0]
		g.groups = g.groups[1:]
		for _, id := range n.runs {
			n.CommandsRun = append(n.CommandsRun, *g.runs[id])
			delete(g.runs, id)
		}
		n.Timestamp = stamp(n.last)
		if err := emit(n.Turn); err != nil {
			return err
		}
	}
	return nil
}

// output returns the beginning of a command's output; that of a binary one is only its size.
func (g *gatherer) output(ctx context.Context, text string) (string, error) {
	if strings.ContainsRune(text, 0) {
		return fmt.Sprintf("(binary output, %d bytes)", len(text)), nil
	}
	text, err := g.beforeCut(ctx, text, maxOutput)
	return chars.First(text, maxOutput), err
}
