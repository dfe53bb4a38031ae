package lsp

import (
	"context"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ctxledger.dev/carried"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/lsp/agentfile"
	"ctxledger.dev/tokens"
	"ctxledger.dev/trust"
)

// freshness is how long what was found is used again: an editor asks for lenses, links and findings at once.
const freshness = time.Second

// recount is how long counted calls are used again.
const recount = 30 * time.Second

// countPatience is how long an answer waits for calls to be counted, which takes a millisecond, but the first time, in a
// ledger with 30 sessions of 20,000 entries, seconds.
const countPatience = 50 * time.Millisecond

// agentFiles is what requests of agents carry in the workspace, as it was found last.
type agentFiles struct {
	stale atomic.Bool // whether a document was opened, saved or closed since, or calls were counted

	mu       sync.Mutex
	at       time.Time                  // guarded by mu
	counter  tokens.Counter             // guarded by mu; of report
	report   carried.Report             // guarded by mu
	uses     map[string][]agentfile.Use // guarded by mu
	recorded ledger.ToolUse             // guarded by mu; calls as they were counted last
	counted  time.Time                  // guarded by mu; when that was begun
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

// carried returns what the requests of agents carry in the workspace, with the texts of open documents.
func (s *folder) carried(ctx context.Context) (carried.Report, map[string][]agentfile.Use) {
	k := s.snapshot()
	if s.workspace.Root == "" {
		return carried.Report{Hosts: []carried.Host{}}, nil
	}
	f := &s.agents
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := s.o.Env.Now(); f.stale.Swap(false) || f.uses == nil || f.counter != k.meter.Counter ||
		now.Sub(f.at) > freshness || now.Before(f.at) {
		f.counter = k.meter.Counter
		f.report = carried.Find(ctx, carried.Options{
			Root: s.workspace.Root, Env: s.o.Env, Counter: f.counter, Text: s.textAt,
		})
		f.report.Count(f.recorded, s.workspace.Root)
		f.uses, f.at = agentfile.Of(f.report), s.o.Env.Now()
	}
	if now := s.o.Env.Now(); f.report.Counts() && s.counts() && now.Sub(f.counted) > recount {
		s.countLocked(now)
	}
	if k.live.CarriedDollars == nil {
		return f.report, f.uses
	}
	report := f.report.Charged(k.live.Host, k.live.CarriedDollars)
	return report, agentfile.Of(report)
}

// counts reports whether calls of recorded sessions can be counted: that opens the ledger.
func (s *folder) counts() bool { return s.snapshot().settings.Live && s.workspace.Open != nil }

// countLocked has the calls of recorded sessions counted, unless that is under way, and returns what is closed when it
// ends. The caller holds s.agents.mu.
func (s *folder) countLocked(now time.Time) <-chan struct{} {
	f := &s.agents
	if f.counting != nil {
		return f.counting
	}
	ended := make(chan struct{})
	f.counting, f.counted = ended, now
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
	ended := s.countLocked(s.o.Env.Now())
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
		return a.Host == b.Host && a.Sessions == b.Sessions && a.Since.Equal(b.Since) &&
			slices.Equal(a.Tools, b.Tools) && slices.Equal(a.Skills, b.Skills)
	}
	equal := func(a, b ledger.AskedServer) bool { return a.Config == b.Config && a.At.Equal(b.At) }
	if !slices.EqualFunc(f.recorded.Hosts, use.Hosts, same) ||
		!slices.EqualFunc(f.recorded.Servers, use.Servers, equal) {
		f.recorded = use
		f.stale.Store(true)
		s.pending.refresh()
		s.pending.ledger()
	}
}

// textAt returns the text of an open document by the path of its file.
func (s *folder) textAt(path string) (string, bool) {
	d := s.documents.get(uri.File(path))
	if d == nil {
		return "", false
	}
	return string(d.text.Bytes(0, d.text.Len())), true
}

// loads reports whether agents were found to load a document: a lens shows what was paid for it.
func (f *agentFiles) loads(d *document) bool {
	if !couldBeAgentFile(d.uri) {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.uses[pathOf(d.uri)]) > 0
}

// usesOf returns what agents load of a document.
func (s *folder) usesOf(ctx context.Context, d *document) []agentfile.Use {
	if !s.snapshot().settings.AgentFiles || !couldBeAgentFile(d.uri) {
		return nil
	}
	_, uses := s.carried(ctx)
	return uses[pathOf(d.uri)]
}

// documentLinkMethod links the imports of a file that agents load to the imported files.
func documentLinkMethod() method {
	of := func(p *protocol.DocumentLinkParams) uri.URI { return p.TextDocument.URI }
	return about("textDocument/documentLink", of, func(ctx context.Context, s *folder, d *document,
		_ *protocol.DocumentLinkParams) ([]protocol.DocumentLink, error) {
		links := []protocol.DocumentLink{}
		for _, l := range agentfile.Links(s.usesOf(ctx, d)) {
			if l.To > d.text.Len() {
				continue // it was edited meanwhile
			}
			target := uri.File(l.Path)
			links = append(links, protocol.DocumentLink{Range: span(d.text, l.From, l.To), Target: &target,
				Tooltip: &l.Tooltip})
		}
		return links, nil
	})
}

// agentFindings returns what is wrong with a file that agents load.
func (s *folder) agentFindings(ctx context.Context, d *document) []protocol.Diagnostic {
	list := []protocol.Diagnostic{}
	for _, f := range agentfile.Findings(s.usesOf(ctx, d)) {
		list = append(list, protocol.Diagnostic{
			Range:    span(d.text, min(f.From, d.text.Len()), min(f.To, d.text.Len())),
			Severity: protocol.DiagnosticSeverityInformation, Source: protocol.NewOptional(section),
			Code: protocol.String(f.Code), Message: protocol.String(f.Message),
		})
	}
	return list
}

// Carried is what every request of agents carries.
type Carried struct {
	carried.Report
	// Counting is set while calls of recorded sessions are counted: changedMethod follows if they turn out otherwise.
	Counting bool `json:"counting,omitempty"`
}

// carriedMethod is a custom request: what every request of the agents carries, for a view.
func carriedMethod() method {
	return call("ctxledger/carried", func(ctx context.Context, s *folder, _ *struct{}) (c Carried, err error) {
		if report, _ := s.carried(ctx); report.Counts() && s.counts() {
			c.Counting = !s.awaitCount(ctx)
		}
		c.Report, _ = s.carried(ctx)
		return c, nil
	})
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
func (s *folder) askServer(ctx context.Context, args []protocol.LSPAny) (any, error) {
	const op = "lsp.ask"
	which, err := argument[askArgument](commandAskServer, args)
	if err != nil {
		return nil, err
	}
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
	err = s.use(ctx, func(api Ledger) error {
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
	report, _ := s.carried(ctx)
	for _, h := range report.Hosts {
		for _, p := range h.Parts {
			if p.Kind == carried.Server && p.Name == which.Server && h.Name == which.Agent &&
				(which.Path == "" || p.Path == which.Path) {
				return trust.FindServer(s.o.Env, s.workspace.Root, h, p)
			}
		}
	}
	return trust.ServerAsk{}, fault.New(fault.NotFound, "lsp.ask", "there is no MCP server %.200q of %.200q",
		which.Server, which.Agent)
}
