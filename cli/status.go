package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ctxledger.dev/cli/candidates"
	"ctxledger.dev/cli/columns"
	"ctxledger.dev/config"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/llm"
	"ctxledger.dev/trust"
	"ctxledger.dev/workspace"
)

// statusLine is the columns of stored text that are shown.
const statusLine = 64

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
	Apart string `json:"apart,omitempty"`
	// Others are ledgers of this place that are not in use.
	Others  []workspace.Other `json:"others,omitempty"`
	Session *ledger.Status    `json:"session,omitempty"`
	// ServerCost is what the MCP server's tool list and instructions take of a window, in tokens.
	ServerCost int   `json:"server_cost"`
	Ceiling    int64 `json:"ceiling"` // bytes of the ledger above which the user wants to be warned; 0: none
	// Recording says whether and where session files being followed was set; Summarizer the same of the model that
	// writes, and whether it may be used. "": nothing was.
	Recording  string `json:"recording,omitempty"`
	Summarizer string `json:"summarizer,omitempty"`
	Candidates int    `json:"candidates,omitempty"` // for memory
}

func (a *app) status(ctx context.Context, api ledger.API, args []string) error {
	s, missing := a.session(ctx, strings.Join(args, ""))
	info, err := api.Info(ctx, ledger.InfoRequest{}) // after the owner has read what there is
	if err != nil {
		return err
	}
	out := statusAnswer{Ledger: info, Found: a.place.Why, Apart: a.place.Apart,
		Others: workspace.Others(a.Env, a.place), ServerCost: a.ServerCost}
	c := a.settings(a.place)
	out.Ceiling, out.Recording, out.Summarizer = c.Ceiling(), recording(c), a.summarizer(c)
	out.Ledger.Following = info.Following && c.Follow // in this tree
	out.Candidates = candidates.Count(ctx, api)
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
		a.page(w).Window(*s.Session, a.ranIn(s.Session.Session), a.windowSource(s.Session.Limits))
		fmt.Fprintln(w)
	}
	a.printLedger(w, s)
	fmt.Fprintf(w, "own cost   %s tokens of a window (o200k_base), where ctxmcp is registered; nothing is injected\n",
		chars.Commas(s.ServerCost))
	if s.Session == nil {
		fmt.Fprintln(w, "\n"+a.self.In(noSession))
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
	for _, text := range describeOthers(a.place, s.Others, "status") {
		fmt.Fprintf(w, "           %s\n", columns.OneLine(a.self.In(text)))
	}
	fmt.Fprintf(w, "ledger     %s, %s, %s, %s on disk\n", chars.Plural(l.Sessions, "session"),
		chars.Plural(l.Artifacts, "artifact"), chars.Plural(l.Memories, "memory"), chars.Size(l.Bytes))
	fmt.Fprintf(w, "kept in    %s\n", columns.OneLine(l.State))
	for _, row := range [][2]string{{"recording", s.Recording}, {"summaries", s.Summarizer},
		{"memory", candidates.Line(s.Candidates)}} {
		if row[1] != "" {
			fmt.Fprintf(w, "%-10s %s\n", row[0], columns.OneLine(a.self.In(row[1])))
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
