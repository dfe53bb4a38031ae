package lsp

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/carried"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/lsp/agentfile"
	"ctxledger.dev/lsp/anyfile"
	"ctxledger.dev/lsp/text"
	"ctxledger.dev/sessions"
	"ctxledger.dev/trust"
)

// freshness is how long what was found is used again: an editor asks for lenses, links and findings at once.
const freshness = time.Second

// countPatience is how long an answer waits for calls to be counted, which takes a millisecond, but the first time, in a
// ledger with 30 sessions of 20,000 entries, seconds.
const countPatience = 50 * time.Millisecond

// agentFiles is what requests of agents carry in the workspace, as it was found last.
type agentFiles struct {
	stale atomic.Bool // whether a document was opened, saved or closed since, or calls were counted

	mu       sync.Mutex
	at       time.Time                  // guarded by mu
	meters   *meters                    // guarded by mu; of report
	report   carried.Report             // guarded by mu
	ran      string                     // where the followed session ran, which report is for; guarded by mu
	changed  bool                       // guarded by mu; a file had when report was replaced: see watchAgentFiles
	uses     map[string][]agentfile.Use // guarded by mu
	recorded ledger.ToolUse             // guarded by mu; calls as they were counted last
	begun    bool                       // guarded by mu; whether that ever began
	counted  bool                       // guarded by mu; whether it ever succeeded
	upTo     int64                      // guarded by mu; the newest event of the ledger when that was begun
	counting chan struct{}              // guarded by mu; closed when it ends, nil: it is not under way
}

// renew makes what was found be found again, after a document was opened, saved or closed. Edits wait until it is old: to
// find it takes longer than a key press.
func (s *Server) renew(u uri.URI) {
	if couldBeAgentFile(u) {
		for _, f := range s.all() {
			f.agents.stale.Store(true)
		}
	}
}

// couldBeAgentFile reports whether a document may be loaded by agents, by its name: what an import names is any Markdown.
func couldBeAgentFile(u uri.URI) bool {
	if !u.IsFile() {
		return false
	}
	switch path.Ext(u.Path()) {
	case ".md", ".mdc", ".json", ".toml":
		return true
	}
	return strings.HasPrefix(path.Base(u.Path()), ".")
}

// found is what the requests of agents carry in the workspace.
type found struct {
	carried.Report
	uses map[string][]agentfile.Use
	// counted reports whether calls of recorded sessions are in it, or none can be counted.
	counted bool
}

// carried returns what the requests of agents carry in the workspace.
func (s *folder) carried(ctx context.Context) found {
	k := s.snapshot()
	if s.workspace.Root == "" {
		return found{Report: carried.Report{Hosts: []carried.Host{}}}
	}
	f := &s.agents
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := s.o.Env.Now(); f.stale.Swap(false) || f.uses == nil || f.meters != k.meters ||
		f.ran != k.live.Use.Session.Dir ||
		now.Sub(f.at) > freshness || now.Before(f.at) {
		f.changed = f.changed || f.report.Changed()
		f.meters, f.report = k.meters, s.findCarried(ctx, k.meters.of, k.live.Use.Session)
		f.ran = k.live.Use.Session.Dir
		f.report.Count(f.recorded, s.workspace.Root)
		f.uses, f.at = usesIn(f.report), s.o.Env.Now()
	}
	if !f.begun && f.report.Counts() && s.counts() {
		s.countLocked()
	}
	counted := f.counted || !s.counts()
	if k.live.Use.CarriedDollars == nil {
		return found{f.report, f.uses, counted}
	}
	use := k.live.Use
	if k.from.set { // else the session's
		use.Model = k.from.Model
	}
	report := f.report.Charged(use)
	return found{report, usesIn(report), counted}
}

// findCarried looks for what the requests of agents carry.
func (s *folder) findCarried(ctx context.Context, meter func(agent string) (ledger.Meter, bool),
	ran sessions.Session) carried.Report {
	return carried.Find(ctx, carried.Options{Agents: registry.Carried(), Root: s.workspace.Root, Env: s.o.Env,
		Meter: meter, Text: s.texts(), Ran: carried.RanIn(ran)})
}

// usesIn returns the uses of each file of a report, by its path without links: CLAUDE.md may be one to AGENTS.md.
func usesIn(r carried.Report) map[string][]agentfile.Use {
	of, files := agentfile.Of(r), map[string][]agentfile.Use{}
	for _, path := range slices.Sorted(maps.Keys(of)) {
		real := withoutLinks(path)
		files[real] = append(files[real], of[path]...)
	}
	return files
}

// carriedFor is carried, counted for the model of a session of an agent: the one that is shown may not be its newest.
func (s *folder) carriedFor(ctx context.Context, api Ledger, of sessions.Session, model string) carried.Report {
	now, host := s.carried(ctx), of.Host
	other := func(h carried.Host) bool { return h.Name == host && h.Model != model }
	if of.Dir == s.snapshot().live.Use.Session.Dir && !slices.ContainsFunc(now.Hosts, other) {
		return now.Report
	}
	counter, _ := ledger.CounterOf(ctx, api, s.snapshot().configured.Models, model) // else without what is not known
	report := s.findCarried(ctx, carried.For(ledger.Meter{Counter: counter}), of)
	s.agents.mu.Lock()
	defer s.agents.mu.Unlock()
	report.Count(s.agents.recorded, s.workspace.Root)
	return report
}

// recheck is how often the files are looked at that agents load.
const recheck = 500 * time.Millisecond

// watchAgentFiles shows everything about files that agents load again when one of them changes on disk, or in an editor that
// has been still since, until the client closes the folder: an editor asks about the document that is edited, and not
// about what it imports. It has calls counted again that may have been made since, and the session looked at again when
// its agent's settings may say something else about compacting: the ledger has no event for that.
func (s *folder) watchAgentFiles() {
	settings := func() carried.Stamps {
		return carried.StampsOf(registry.Settings(s.o.Env, s.workspace.Root)...)
	}
	var before carried.Stamps // none: what was read until now may be older
	var typed, shown map[uri.URI]*text.Text
	var unsaved map[string]string
	for s.life.Err() == nil {
		env.Sleep(s.life, recheck)
		if before == nil || before.Changed() {
			before = settings()
			s.again.Look()
			s.pending.ledger()
		}
		f := &s.agents
		now := s.agentTexts()
		still := maps.Equal(now, typed)
		if typed = now; still && !maps.Equal(now, shown) {
			shown = now
			f.stale.Store(true)
			if texts := s.carried(s.life).Unsaved(); !maps.Equal(texts, unsaved) {
				unsaved = texts
				s.pending.refresh()
			}
		}
		f.mu.Lock()
		changed := f.changed || f.report.Changed()
		f.changed = false
		if s.snapshot().live.Event != f.upTo && f.report.Counts() && s.counts() {
			s.countLocked()
		}
		f.mu.Unlock()
		if changed {
			f.stale.Store(true)
			s.carried(s.life) // with it, they are known as they are now
			s.pending.refresh()
			s.pending.ledger()
		}
	}
}

// agentTexts returns the texts of the open documents that agents may load.
func (s *Server) agentTexts() map[uri.URI]*text.Text {
	texts := map[uri.URI]*text.Text{}
	for _, d := range s.documents.all() {
		if couldBeAgentFile(d.uri) {
			texts[d.uri] = d.text
		}
	}
	return texts
}

// counts reports whether calls of recorded sessions can be counted: that opens the ledger.
func (s *folder) counts() bool { return s.snapshot().settings.Live && s.workspace.Open != nil }

// countLocked has the calls of recorded sessions counted, unless that is under way, and returns what is closed when it
// ends. The caller holds s.agents.mu.
func (s *folder) countLocked() <-chan struct{} {
	f := &s.agents
	if f.counting != nil {
		return f.counting
	}
	ended := make(chan struct{})
	f.counting, f.begun, f.upTo = ended, true, s.snapshot().live.Event
	s.tasks.begin(func() {
		defer close(ended)
		s.count(s.life)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.counting = nil
	})
	return ended
}

// awaitCount waits until calls are counted, but no longer than countPatience. It reports whether they are.
func (s *folder) awaitCount(ctx context.Context) bool {
	s.agents.mu.Lock()
	ended := s.countLocked()
	s.agents.mu.Unlock()
	ctx, stop := context.WithTimeout(ctx, countPatience)
	defer stop()
	select {
	case <-ended:
		return true
	case <-ctx.Done():
		return false
	}
}

// count counts the calls of recorded sessions. Where that fails they stay as they were.
func (s *folder) count(ctx context.Context) {
	var use ledger.ToolUse
	err := s.use(ctx, func(api Ledger) (err error) {
		use, err = api.ToolUse(ctx, ledger.ToolUseRequest{})
		return err
	})
	if err != nil {
		s.o.Log.Warn("counting calls", "why", err.Error())
		return
	}
	f := &s.agents
	f.mu.Lock()
	defer f.mu.Unlock()
	same := func(a, b ledger.HostToolUse) bool {
		return a.Host == b.Host && a.Sessions == b.Sessions && a.Since.Equal(b.Since) && a.Newest.Equal(b.Newest) &&
			slices.Equal(a.Tools, b.Tools) && slices.Equal(a.Skills, b.Skills)
	}
	equal := func(a, b ledger.AskedServer) bool { return a.Config == b.Config && a.At.Equal(b.At) }
	if !slices.EqualFunc(f.recorded.Hosts, use.Hosts, same) ||
		!slices.EqualFunc(f.recorded.Servers, use.Servers, equal) || !f.counted {
		f.recorded, f.counted = use, true
		f.stale.Store(true)
		s.pending.refresh()
		s.pending.ledger()
	}
}

// texts returns what returns the text of an open document by the path of its file, through links, too: best that of a
// document which is spelled so.
func (s *Server) texts() func(path string) (string, bool) {
	open := map[string]*document{}
	for _, d := range s.documents.all() {
		if real := d.file(); couldBeAgentFile(d.uri) && (open[real] == nil || real == pathOf(d.uri)) {
			open[real] = d
		}
	}
	return func(path string) (string, bool) {
		d := s.documents.get(uri.File(path))
		if d == nil && len(open) > 0 {
			d = open[withoutLinks(path)]
		}
		if d == nil {
			return "", false
		}
		return string(d.text.Bytes(0, d.text.Len())), true
	}
}

// loads reports whether agents were found to load a document: a lens shows what was paid for it.
func (f *agentFiles) loads(d *document) bool {
	if !couldBeAgentFile(d.uri) {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.uses[d.file()]) > 0
}

// usesOf returns what agents load of a document.
func (s *folder) usesOf(ctx context.Context, d *document) []agentfile.Use {
	if !s.snapshot().settings.AgentFiles || !couldBeAgentFile(d.uri) {
		return nil
	}
	now, why, reading := s.carried(ctx), s.notFollowed(), s.snapshot().live.Reading
	if why == "" && !now.counted {
		why = "they have not been counted yet"
	}
	uses := slices.Clone(now.uses[d.file()])
	for i := range uses {
		uses[i].Uncounted, uses[i].Meter.Reading = why, reading
	}
	return uses
}

// documentLink links the imports of a file that agents load to the imported files.
func (s *folder) documentLink(ctx context.Context, d *document,
	_ *protocol.DocumentLinkParams) ([]protocol.DocumentLink, error) {
	links := []protocol.DocumentLink{}
	uses := s.usesOf(ctx, d)
	for _, l := range agentfile.Links(uses) {
		if l.To > d.text.Len() {
			continue // it was edited meanwhile
		}
		target := uri.File(l.Path)
		links = append(links, protocol.DocumentLink{Range: span(d.text, l.From, l.To), Target: &target,
			Tooltip: &l.Tooltip})
	}
	return links, nil
}

// agentFindings returns what is wrong with a file that agents load.
func (s *folder) agentFindings(ctx context.Context, d *document) []protocol.Diagnostic {
	list := []protocol.Diagnostic{}
	uses := s.usesOf(ctx, d)
	for _, f := range agentfile.Findings(uses) {
		list = append(list, informs(d, min(f.From, d.text.Len()), min(f.To, d.text.Len()), f.Code, f.Message))
	}
	return list
}

// Carried is what every request of agents carries.
type Carried struct {
	carried.Report
	// Rough says that something is estimated for a model of which nothing was measured yet, or none is known.
	Rough bool `json:"rough,omitempty"`
	// Counting is set while calls of recorded sessions are counted: changedMethod follows if they turn out otherwise.
	Counting bool `json:"counting,omitempty"`
}

// carriedNow is a custom request: what every request of the agents carries, for a view.
func (s *folder) carriedNow(ctx context.Context, _ *struct{}) (c Carried, err error) {
	s.awaitFigures(ctx)
	if s.carried(ctx).Counts() && s.counts() {
		c.Counting = !s.awaitCount(ctx)
	}
	c.Report = s.carried(ctx).Report
	c.Rough = slices.ContainsFunc(c.Hosts, func(h carried.Host) bool { return anyfile.Meter(h.Meter).Rough() })
	return c, nil
}

// askArgument selects an MCP server to be asked for its tools, and says what a person has confirmed.
type askArgument struct {
	Folder   string `json:"folder"`   // whose configuration it is, see folder.meant
	Agent    string `json:"agent"`    // "claude-code"
	Server   string `json:"server"`   // its name
	Path     string `json:"path"`     // of the configuration
	Preview  bool   `json:"preview"`  // only say what it would run
	Approved string `json:"approved"` // the digest of what the client has shown; "": this server shows it
}

// askPreview is what asking a server would run.
type askPreview struct {
	Question string `json:"question"` // lines, without secrets
	Approved string `json:"approved"` // their digest
}

// The words of the question.
const (
	askAction = "Ask It"
	askIntro  = "To ask this MCP server for its tools, ctxledger will use exactly this:"
)

// askServer asks an MCP server for its tools, once the person has confirmed exactly what that runs. The client has shown
// it, or this server does.
func (s *folder) askServer(ctx context.Context, which askArgument, _ protocol.ProgressToken) (any, error) {
	const op = "lsp.ask"
	if !s.counts() || s.o.AskServer == nil {
		return nil, fault.New(fault.Unavailable, op, "there is no ledger to keep what the server answers")
	}
	ask, err := s.serverAsk(ctx, which)
	if err != nil {
		return nil, err
	}
	question := askIntro + "\n\n" + ask.Text(s.sanitize)
	switch {
	case which.Preview:
		return askPreview{question, ask.Digest()}, nil
	case which.Approved == "":
		chosen, err := s.client.ShowMessageRequest(ctx, &protocol.ShowMessageRequestParams{Message: question,
			Type: protocol.MessageTypeWarning, Actions: []protocol.MessageActionItem{{Title: askAction}}})
		if err != nil {
			return nil, err
		}
		if chosen == nil || chosen.Title != askAction {
			return done{Said: plainLine(which.Server) + " was not asked."}, nil
		}
		which.Approved = ask.Digest()
	}
	approved, err := trust.ApproveServer(ask, which.Approved)
	if err != nil {
		return nil, err
	}
	answer, err := s.o.AskServer(ctx, approved)
	if err != nil {
		return nil, err
	}
	err = s.record(ctx, func(api Ledger) error {
		_, err := api.KeepServer(ctx, answer.Kept(ask))
		return err
	})
	if err != nil {
		return nil, err
	}
	s.count(ctx)
	return done{Said: plainLine(which.Server) + " has " + chars.Plural(len(answer.Tools), "tool") + "."}, nil
}

// serverAsk finds a configured server. Errors: not_found; those of trust.FindServer.
func (s *folder) serverAsk(ctx context.Context, which askArgument) (trust.ServerAsk, error) {
	for _, h := range s.carried(ctx).Hosts {
		for _, p := range h.Parts {
			if p.Kind == carried.Server && p.Name == which.Server && h.Name == which.Agent &&
				(which.Path == "" || p.Path == which.Path) {
				return trust.FindServer(s.o.Env, s.workspace.Root, h, p)
			}
		}
	}
	return trust.ServerAsk{}, fault.New(fault.NotFound, "lsp.ask", "unknown MCP server %.200q of %.200q",
		which.Server, which.Agent)
}
