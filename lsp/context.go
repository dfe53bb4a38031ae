package lsp

import (
	"context"
	"slices"
	"strings"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/config"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/panel"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

// contextParams names a session; "" is the one that is followed, else the newest.
type contextParams struct {
	Session string `json:"session"`
	Past    bool   `json:"past"` // with "" the newest session that is not live, if there is one
}

// Context is what fills the window of a session, and how it grew. Everything is empty in a workspace without sessions.
type Context struct {
	Session string `json:"session"`
	Unknown string `json:"unknown"` // why nothing is known of a session, in a sentence; "": there is none
	// FollowOff says that the configuration keeps session files from being read, and how to change that; "": they are.
	FollowOff string `json:"followOff"`
	Title     string `json:"title"`
	Host      string `json:"host"`
	Model     string `json:"model"`
	Live      bool   `json:"live"`   // it is followed, and had an entry in the last ten minutes
	Window    int    `json:"window"` // tokens; 0: unknown
	// WindowFrom says in words what Window rests on; CompactsAt and CompactsFrom are as in Status.
	WindowFrom   string        `json:"windowFrom"`
	CompactsAt   int           `json:"compactsAt"`
	CompactsFrom string        `json:"compactsFrom"`
	Threshold    int           `json:"threshold"` // above it a compaction is due
	Used         tokens.Count  `json:"used"`
	Fixed        *tokens.Count `json:"fixed"`    // of every request, without the conversation; null: not measured
	Measured     int64         `json:"measured"` // the newest answer with its request, by the provider; 0: none
	Held         tokens.Count  `json:"held"`     // by the agent's own window, see ledger.Use
	Cut          string        `json:"cut"`      // what took something out of it since Measured, see ledger.Use
	Besides      string        `json:"besides"`  // what it has besides Held, of which nothing was measured, in words
	Counting     string        `json:"counting"` // the origin of the counts, see ledger.Use
	Saved        tokens.Count  `json:"saved"`    // kept out by stubs, edits and the summary
	Summary      string        `json:"summary"`  // at the start of the view; "": none
	// Dollars is what the session cost so far, NextDollars what the next request pays for what the window holds: see
	// ledger.Use, and Next that in words. null, "": not known.
	Dollars     *float64          `json:"dollars"`
	Unpriced    string            `json:"unpriced"`   // what has no known price and is not in Dollars, in words
	Unfinished  string            `json:"unfinished"` // what Dollars lacks of answers, in words; "": nothing
	NextDollars *float64          `json:"nextDollars"`
	Next        string            `json:"next"`
	Subagents   string            `json:"subagents"` // what of Dollars subagents took, in words; "": nothing
	Forked      string            `json:"forked"`    // what is counted in the session that it was forked from, in words
	Categories  []ledger.Category `json:"categories"`
	Own         []ledger.Category `json:"own"`     // of the agent's own window, see ledger.Use
	Sources     []source          `json:"sources"` // of the agent's own window
	Turns       []ledger.Turn     `json:"turns"`   // oldest first
	Earlier     int               `json:"earlier"` // turns before these
	// Panel is the same as every face shows it, Text that in words, and More what else is known.
	Panel *panel.Panel `json:"panel,omitempty"`
	Text  string       `json:"text"`
	More  string       `json:"more"`
}

// source is a file or a tool that fills the agent's own window.
type source struct {
	ledger.Source
	URI string `json:"uri"` // of an existing file of the workspace; "": nothing to open
}

// contextFor is a custom request: what fills the window of a session, and how it grew turn by turn.
func (s *folder) contextFor(ctx context.Context, p *contextParams) (Context, error) {
	c := Context{Categories: []ledger.Category{}, Own: []ledger.Category{}, Sources: []source{},
		Turns: []ledger.Turn{}, FollowOff: s.snapshot().configured.notFollowed()}
	if c.Unknown = s.unrecorded(); c.Unknown != "" {
		return c, nil
	}
	err := s.use(ctx, func(api Ledger) error {
		name := p.Session
		if p.Past && name == "" {
			page, err := api.Sessions(ctx, ledger.SessionsRequest{})
			if err != nil {
				return err
			}
			name = s.newestPast(page.Sessions)
		}
		session, err := s.session(ctx, api, name)
		if name == "" && fault.Is(err, fault.NotFound) {
			c.Unknown, err = s.unknown(ctx, api)
			return err
		}
		if err != nil {
			return err
		}
		g, err := api.TurnStats(ctx, ledger.TurnStatsRequest{Session: session.ID})
		if err != nil {
			return err
		}
		st, err := api.Status(ctx, ledger.StatusRequest{Session: session.ID})
		if err != nil {
			return err
		}
		report := s.carriedFor(ctx, api, g.Session, g.Model)
		c = s.contextOf(g)
		c.Own = report.Explain(g.Use)
		filled := panel.Of(st, report, registry.InstalledCost(report, g.Session.Host))
		c.Panel, c.Text, c.More = &filled, filled.String(), filled.More()
		return nil
	})
	return c, err
}

// newestPast returns the id of the first session of a list that is over; "": none is.
func (s *folder) newestPast(list []sessions.Session) string {
	now := s.o.Env.Now()
	i := slices.IndexFunc(list, func(x sessions.Session) bool { return x.Parent == "" && !x.Live(now) && !x.Unused() })
	if i < 0 {
		return ""
	}
	return list[i].ID
}

// unknown says why nothing may be known of sessions in the workspace; "": none has been recorded.
func (s *folder) unknown(ctx context.Context, api Ledger) (string, error) {
	if why := s.notFollowed(); why != "" {
		return why, nil
	}
	info, err := api.Info(ctx, ledger.InfoRequest{Tree: s.workspace.Root})
	if err != nil {
		return "", err
	}
	if info.Reading() {
		return "session files are still being read", nil
	}
	return plainLine(info.NotFollowed("")), nil
}

// contextOf converts turn statistics. Stored text is cleaned, because it is not trusted.
func (s *folder) contextOf(g ledger.TurnStats) Context {
	c := Context{
		Session: g.Session.ID, Title: plainLine(chars.Title(g.Session.Title)),
		Host: plainLine(g.Session.Host), Model: plainLine(g.Model),
		Live:      s.snapshot().settings.Live && g.Session.Live(s.o.Env.Now()),
		FollowOff: s.snapshot().configured.notFollowed(),
		Window:    g.Window, WindowFrom: plainLine(ledger.WindowSize{From: g.WindowFrom}.Words()),
		CompactsAt: g.CompactsAt, CompactsFrom: plainLine(g.CompactsFrom),
		Threshold: g.Threshold, Used: g.Used, Fixed: g.Fixed, Measured: g.Measured,
		Held: g.Held, Cut: g.Cut, Besides: g.Besides(), Counting: g.Counting, Saved: g.Saved,
		Summary: g.Summary, Dollars: g.Dollars, NextDollars: g.NextDollars, Next: g.NextWords(),
		Categories: g.Categories, Own: g.Own, Sources: []source{},
		Turns: g.Turns, Earlier: g.Earlier,
	}
	if g.Unpriced != nil {
		c.Unpriced = plainLine(g.Unpriced.String())
	}
	c.Unfinished = strings.TrimPrefix(unfinishedOf(g.Use), "; ")
	if g.Subagents != nil {
		c.Subagents = g.Subagents.String()
	}
	if f := g.Session.Fork; f != nil {
		c.Forked = f.String()
	}
	for _, x := range g.OwnSources {
		uri := ""
		if x.Kind == ledger.SourceFile {
			uri = s.workspace.uriOf(g.Session.Tree, x.Name)
		}
		x.Name = plainLine(x.Name)
		c.Sources = append(c.Sources, source{x, uri})
	}
	for i := range c.Turns {
		c.Turns[i].Request = plainLine(chars.Title(c.Turns[i].Request))
	}
	return c
}

// maxLine is the maximum length of a line of stored text, in characters.
const maxLine = 200

// plainLine makes one line of stored text safe to show.
func plainLine(s string) string { return chars.Short(chars.Line(s), maxLine) }

// plainLines makes lines of stored text safe to show.
func plainLines(s string) string {
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		lines = append(lines, plainLine(line))
	}
	return strings.Join(lines, "\n")
}

// Window is what is known of the window of a session's model.
type Window struct {
	Model  string       `json:"model"`  // as its agent spells it; "": not known
	Window int          `json:"window"` // in tokens; 0: not known
	Sizes  []windowSize `json:"sizes"`  // that it may have, the one in effect first
	File   string       `json:"file"`   // the user's own configuration, where the command setWindow writes
	Set    bool         `json:"set"`    // that file sets the window
}

// windowSize is a size with the words for it.
type windowSize struct {
	Tokens int    `json:"tokens"`
	Why    string `json:"why"`
}

// window is a custom request: what the window of a session's model may be. Without a session everything is empty.
func (s *folder) window(ctx context.Context, p *contextParams) (Window, error) {
	w := Window{Sizes: []windowSize{}, File: config.UserFile(s.o.Env)}
	if s.unrecorded() != "" {
		return w, nil
	}
	err := s.use(ctx, func(api Ledger) error {
		session, err := s.session(ctx, api, p.Session)
		if p.Session == "" && fault.Is(err, fault.NotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		st, err := api.Status(ctx, ledger.StatusRequest{Session: session.ID, Brief: true})
		w.Model, w.Window = plainLine(s.sanitize(session.Model)), st.Window
		w.Set = w.Model != "" && config.SetsWindow(s.o.Env, s.workspace.Root, session.Model)
		for _, size := range st.Windows {
			w.Sizes = append(w.Sizes, windowSize{size.Tokens, plainLine(size.Words())})
		}
		return err
	})
	return w, err
}
