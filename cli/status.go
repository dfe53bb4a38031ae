package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/config"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/llm"
	"ctxledger.dev/trust"
	"ctxledger.dev/workspace"
)

// How the status is drawn.
const (
	statusBar  = 24 // cells of a bar
	statusLine = 64 // columns of stored text
	statusCuts = 3  // next cuts that are named

	statusSources = 5 // files, and tools, that are named
)

func (a *app) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "status [SESSION]",
		Short:   "Show what fills a session's window, and what the ledger holds",
		Example: "  ctxledger status\n  ctxledger status ab03de2c --json",
		Args:    a.args(0, 1),
		RunE:    a.asks(a.status),
	}
}

// statusAnswer is what the status command answers.
type statusAnswer struct {
	Ledger ledger.Info `json:"ledger"`
	Found  string      `json:"found"` // how the workspace was found, or why there is none
	// Apart says why the ledger is not that of the repository which the workspace's .git names.
	Apart   string         `json:"apart,omitempty"`
	Session *ledger.Status `json:"session,omitempty"`
	// ServerCost is what the MCP server's tool list and instructions take of a window, in tokens.
	ServerCost int   `json:"server_cost"`
	Ceiling    int64 `json:"ceiling"` // bytes of the ledger above which the user wants to be warned; 0: none
	// Recording says whether and where session files being followed was set; Summarizer the same of the model that
	// writes, and whether it may be used. "": nothing was.
	Recording  string `json:"recording,omitempty"`
	Summarizer string `json:"summarizer,omitempty"`
}

func (a *app) status(ctx context.Context, api ledger.API, args []string) error {
	s, missing := a.session(ctx, strings.Join(args, ""))
	info, err := api.Info(ctx, ledger.InfoRequest{}) // after the owner has read what there is
	if err != nil {
		return err
	}
	out := statusAnswer{Ledger: info, Found: a.place.Why, Apart: a.place.Apart, ServerCost: a.ServerCost}
	c := a.settings(a.place)
	out.Ceiling, out.Recording, out.Summarizer = c.Ceiling(), recording(c), a.summarizer(c)
	out.Ledger.Following = info.Following && c.Follow // in this tree
	switch {
	case missing == nil:
		st, err := api.Status(ctx, ledger.StatusRequest{Session: s.ID})
		if err != nil {
			return err
		}
		out.Session = &st
	case len(args) > 0 || !fault.Is(missing, fault.NotFound):
		return missing
	}
	return a.answer(out, func(w io.Writer) { a.printStatus(w, out) })
}

func (a *app) printStatus(w io.Writer, s statusAnswer) {
	if s.Session != nil {
		a.printWindow(w, *s.Session)
		fmt.Fprintln(w)
	}
	a.printLedger(w, s)
	fmt.Fprintf(w, "own cost   %s tokens of a window, where ctxmcp is registered; nothing is injected\n",
		chars.Commas(s.ServerCost))
	if s.Session == nil {
		fmt.Fprintln(w, "\n"+noSession)
	}
}

// settings reads the configuration and reports its problems on standard error: the daemon, which uses it, cannot.
func (a *app) settings(ws workspace.Workspace) config.Config {
	c, problems := config.Load(a.Env, ws.Root, ws.State)
	a.complain(problems)
	return c
}

// complain reports problems of the configuration, each once.
func (a *app) complain(problems []config.Problem) {
	for _, p := range problems {
		if slices.Contains(a.complained, p) {
			continue
		}
		a.complained = append(a.complained, p)
		a.say("%s", p)
		if p.Hint != "" {
			a.hint("%s", p.Hint)
		}
	}
}

// suffer reports the problems because of which a file is not used: every command that works with a ledger depends on
// the settings.
func (a *app) suffer(ws workspace.Workspace) {
	_, problems := config.Load(a.Env, ws.Root, ws.State)
	a.complain(slices.DeleteFunc(problems, func(p config.Problem) bool { return p.Severity != config.Error }))
}

// recording says who decided whether session files are followed; "" for the default.
func recording(c config.Config) string {
	if c.FollowFrom.File == "" {
		return ""
	}
	state := "off"
	if c.Follow {
		state = "on"
	}
	text := fmt.Sprintf("%s: %s follow: %t", state, c.FollowFrom, c.Follow)
	if c.FollowOver.File != "" {
		text += ", which overrides " + c.FollowOver.String()
	}
	return text
}

// summarizer says which model writes summaries, and what keeps it from being used; "" for none.
func (a *app) summarizer(c config.Config) string {
	if c.Summarizer == nil {
		return ""
	}
	approved, err := trust.Check(a.Env, a.place)
	text := fmt.Sprintf("%s, set in %s", llm.Place(c.Summarizer.Effective()), c.SummarizerFrom)
	switch {
	case err != nil:
		text += "; not usable: " + err.Error()
	case !approved.Own():
		text += ", as you confirmed"
	}
	if c.SummarizerOver.File != "" {
		text += "; that of " + c.SummarizerOver.String() + " is ignored as a whole"
	}
	return text
}

// printLedger says which ledger this is, what it holds and who owns it.
func (a *app) printLedger(w io.Writer, s statusAnswer) {
	l := s.Ledger
	fmt.Fprintf(w, "workspace  %s\n", columns.OneLine(cmp.Or(l.Workspace, "none: "+s.Found)))
	if s.Apart != "" {
		fmt.Fprintf(w, "           has a ledger of its own: %s\n", columns.OneLine(s.Apart))
	}
	fmt.Fprintf(w, "ledger     %s, %s, %s, %s on disk\n", chars.Plural(l.Sessions, "session"),
		chars.Plural(l.Artifacts, "artifact"), chars.Plural(l.Memories, "memory"), chars.Size(l.Bytes))
	fmt.Fprintf(w, "kept in    %s\n", columns.OneLine(l.State))
	for _, row := range [][2]string{{"recording", s.Recording}, {"summaries", s.Summarizer}} {
		if row[1] != "" {
			fmt.Fprintf(w, "%-10s %s\n", row[0], columns.OneLine(row[1]))
		}
	}
	a.printCeiling(w, l.Bytes, s.Ceiling, "`ctxledger du` shows what takes them")
	if l.InProcess {
		fmt.Fprintln(w, "owner      this process")
		printTrouble(w, l)
		return
	}
	following := "not following session files"
	if l.Following {
		following = "following session files"
	}
	fmt.Fprintf(w, "owner      daemon, pid %d, since %s, %s, idle for %.0f s, %s\n",
		l.PID, a.stamp(l.Started), otherClients(l.Clients), l.Idle, following)
	printTrouble(w, l)
}

// printTrouble names the background tasks of an owner that do not do their work.
func printTrouble(w io.Writer, l ledger.Info) {
	for _, t := range l.Tasks {
		if said := t.Trouble(); said != "" {
			fmt.Fprintf(w, "trouble    %s\n", columns.OneLine(said))
		}
	}
}

// otherClients says how many clients a daemon has besides this program.
func otherClients(n int) string {
	if n <= 1 {
		return "no other client"
	}
	return chars.Plural(n-1, "other client")
}

// printWindow draws what fills the window of a session.
func (a *app) printWindow(w io.Writer, s ledger.Status) {
	fmt.Fprintf(w, "session    %s  %s\n", s.Session.ID, a.line(s.Session.Title, statusLine))
	if s.Session.HostID != "" {
		fmt.Fprintf(w, "its id     %s, of %s\n", a.line(s.Session.HostID, statusLine), s.Session.Host)
	}
	if in := a.ranIn(s.Session); in != "" && in != "." {
		fmt.Fprintf(w, "ran in     %s\n", columns.OneLine(in))
	}
	if n := s.Session.Rewritten; n > 0 {
		fmt.Fprintf(w, "rewritten  %s: its file was another one than before; nothing counts twice\n", chars.Plural(n, "time"))
	}
	if f := s.Session.Fork; f != nil {
		fmt.Fprintf(w, "forked     %s shared with session %s; what they did and cost counts there\n",
			chars.Plural(f.Entries, "record"), f.Session)
	}
	if from := s.Session.Continues; from != "" {
		fmt.Fprintf(w, "continues  session %s; what was copied of it counts there\n", from)
	}
	fmt.Fprintf(w, "holds      %s\n", a.heldLine(s))
	if s.Dollars != nil {
		fmt.Fprintf(w, "cost       %s\n", costLine(s))
	}
	fmt.Fprintf(w, "view       %s\n", viewLine(s))
	fmt.Fprintf(w, "window     %s\n", cmp.Or(a.windowSource(s.Limits), windowLine(s)))
	if s.Limits != nil && s.Limits.OutputCap > 0 {
		fmt.Fprintf(w, "output     ask for at most %s tokens: the provider refused more\n",
			chars.Commas(s.Limits.OutputCap))
	}
	for _, g := range s.Agents {
		if g.Agent != "" && g.Input > 0 {
			fmt.Fprintf(w, "agent      %s: %s tokens of input since the last compaction\n",
				a.line(g.Agent, statusLine), chars.Commas(g.Input))
		}
	}
	for _, warned := range s.Warned {
		fmt.Fprintf(w, "warning    %s\n", columns.OneLine(warned.String()))
	}
	t := a.newTable("IN THE AGENT'S WINDOW", ">TOKENS", ">SHARE", "")
	t.Indent = "  "
	for _, c := range s.Own {
		full, _ := columns.Bars(float64(c.Tokens.N)/float64(max(s.Held.N, 1)), statusBar)
		t.Add(c.Name, c.Tokens.String(), columns.Share(float64(c.Tokens.N), float64(s.Held.N)), full)
	}
	t.Print(w)
	a.printSources(w, s)
	if s.Summary != "" {
		fmt.Fprintf(w, "compacted  summary %s; %s tokens kept out of the view\n", s.Summary, s.Saved)
	} else if s.Saved.N > 0 {
		fmt.Fprintf(w, "stubs      keep %s tokens out of the view\n", s.Saved)
	}
	fmt.Fprintf(w, "next step  %s\n", nextStep(s))
	if len(s.NextCuts) > 0 {
		fmt.Fprintln(w, "next cuts  what `ctxledger compact` would take out first")
		for _, c := range s.NextCuts[:min(len(s.NextCuts), statusCuts)] {
			fmt.Fprintf(w, "  %9s  %s\n", c.Tokens, a.line(c.Label, statusLine))
		}
	}
}

// printSources names the dearest files and tools, and what no message shows.
func (a *app) printSources(w io.Writer, s ledger.Status) {
	for _, kind := range []struct{ kind, head string }{{ledger.SourceFile, "FILE"}, {ledger.SourceTool, "TOOL"}} {
		t := a.newTable(kind.head, ">TOKENS", ">CALLS")
		t.Indent = "  "
		n := 0
		for _, x := range s.Sources {
			if x.Kind == kind.kind && n < statusSources {
				t.Add(a.line(x.Name, statusLine), x.Tokens.String(), chars.Commas(x.Calls))
				n++
			}
		}
		if n > 0 {
			t.Print(w)
		}
	}
	if s.Fixed != nil {
		fmt.Fprintf(w, "besides    %s tokens in every request: system prompt, tools, memory (measured on the first)\n",
			s.Fixed)
	}
}

// nextStep says what would be cut now without a compaction, and what a compaction waits for.
func nextStep(s ledger.Status) string {
	why := s.Next.Why
	if s.Next.Due.Reason != "" || s.Next.Due.Suppressed {
		why += "; " + s.Next.Due.Why
	}
	return why
}

// heldLine says what the agent's own window holds, with a bar where its size is known.
func (a *app) heldLine(s ledger.Status) string {
	model := cmp.Or(a.line(s.Model, statusLine), "the model is not known")
	if n, learned := strings.CutPrefix(s.Counting, "calibrated("); learned {
		model += "; counts rest on " + strings.TrimSuffix(n, ")") + " measurements"
	}
	text := fmt.Sprintf("%s tokens (%s)", s.Held, model)
	if s.Window > 0 {
		share := float64(s.Held.N) / float64(s.Window)
		full, empty := columns.Bars(share, statusBar)
		text = fmt.Sprintf("%s%s %.0f %%  %s of %s tokens (%s)", full, empty, share*100, s.Held, chars.Commas(s.Window),
			model)
	}
	if s.CompactsAt > 0 {
		text += fmt.Sprintf("; %s compacted at %s", s.Session.Host, chars.Commas(s.CompactsAt))
	}
	return text
}

// viewLine says what ctxledger would send instead.
func viewLine(s ledger.Status) string {
	due := "a compaction of it is due above " + chars.Commas(s.Threshold)
	if s.Next.Due.Reason != "" {
		due = "a compaction of it is due now"
	}
	return fmt.Sprintf("%s tokens are what ctxledger would send of the conversation; %s", s.Used, due)
}

// costLine says what the session cost, and what its window costs from now on.
func costLine(s ledger.Status) string {
	text := fmt.Sprintf("≈$%.2f so far, at list prices", *s.Dollars)
	if s.NextDollars != nil && *s.NextDollars > 0 {
		text += fmt.Sprintf("; each further request reads the window for ≈$%.3f from the provider's cache", *s.NextDollars)
	}
	return text
}
