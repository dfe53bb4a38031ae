package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/tokens"
)

func (a *app) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "status [SESSION]",
		Short:   "What fills the window of a session, and what the ledger holds",
		Example: "  ctxledger status\n  ctxledger status ab03de2c --json",
		Args:    a.args(cobra.MaximumNArgs(1)),
		RunE:    a.status,
	}
}

// statusAnswer is what the status command answers.
type statusAnswer struct {
	Ledger  engine.Info    `json:"ledger"`
	Found   string         `json:"found"` // how the workspace was found, or why there is none
	Session *engine.Status `json:"session,omitempty"`
}

func (a *app) status(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	api, err := a.open(ctx)
	if err != nil {
		return err
	}
	out := statusAnswer{Found: a.place.Why}
	if out.Ledger, err = api.Info(ctx, engine.InfoRequest{}); err != nil {
		return err
	}
	s, err := a.session(ctx, strings.Join(args, ""))
	switch {
	case err == nil:
		st, err := api.Status(ctx, engine.StatusRequest{Session: s.ID})
		if err != nil {
			return err
		}
		out.Session = &st
	case len(args) > 0 || !fault.Is(err, fault.NotFound):
		return err
	}
	return a.answer(out, func(w io.Writer) { a.printStatus(w, out) })
}

func (a *app) printStatus(w io.Writer, s statusAnswer) {
	if s.Session != nil {
		a.printWindow(w, *s.Session)
		fmt.Fprintln(w)
	}
	l := s.Ledger
	name := l.Workspace
	if name == "" {
		name = "none: " + s.Found
	}
	fmt.Fprintf(w, "workspace  %s\n", plain(name))
	fmt.Fprintf(w, "ledger     %s, %s, %s, %s; %s\n", plain(l.State), plural(l.Sessions, "session"),
		plural(l.Artifacts, "artifact"), plural(l.Memories, "memory entry"), size(l.Bytes))
	if l.InProcess {
		fmt.Fprintln(w, "owner      this process")
		return
	}
	following := "not following session files"
	if l.Following {
		following = "following session files"
	}
	fmt.Fprintf(w, "owner      daemon, pid %d, since %s, %s, %s\n", l.PID, a.stamp(l.Started), plural(l.Clients, "client"), following)
	if s.Session == nil {
		fmt.Fprintln(w, "\nno session is recorded here yet: `ctxledger import FILE` reads one")
	}
}

// printWindow draws what fills the window of a session.
func (a *app) printWindow(w io.Writer, s engine.Status) {
	fmt.Fprintf(w, "session    %s  %s\n", s.Session.ID, line(s.Session.Title, 64))
	model := s.Model
	if model == "" {
		model = "unknown model"
	}
	fmt.Fprintf(w, "view       %s\n", windowLine(s, model))
	t := newTable("  ", ">TOKENS", ">SHARE", "")
	for _, c := range s.Categories {
		share := float64(c.Tokens.N) / float64(max(s.Used.N, 1))
		t.add("  "+c.Name, c.Tokens.String(), fmt.Sprintf("%.0f %%", share*100), strings.Repeat("█", int(share*24+0.5)))
	}
	t.print(w)
	if s.Summary != "" {
		fmt.Fprintf(w, "compacted  summary %s; %s tokens kept out of the view\n", s.Summary, s.Saved)
	} else if s.Saved.N > 0 {
		fmt.Fprintf(w, "stubs      keep %s tokens out of the view\n", s.Saved)
	}
	if len(s.NextCuts) > 0 {
		fmt.Fprintln(w, "next cuts  what `ctxledger compact` would take out first")
		for i, c := range s.NextCuts {
			if i == 3 {
				break
			}
			fmt.Fprintf(w, "  %9s  %s\n", c.Tokens, line(c.Label, 64))
		}
	}
}

// windowLine says how full a window is, with a bar where its size is known.
func windowLine(s engine.Status, model string) string {
	if s.Window == 0 {
		return fmt.Sprintf("%s tokens (window of %s not known); a compaction is due above %s", s.Used, plain(model), commas(s.Threshold))
	}
	const cells = 24
	share := min(float64(s.Used.N)/float64(s.Window), 1)
	full := int(share*cells + 0.5)
	return fmt.Sprintf("%s%s %.0f %%  %s of %s tokens (%s)", strings.Repeat("█", full), strings.Repeat("░", cells-full),
		share*100, s.Used, tokens.Count{N: s.Window, Exact: true}, plain(model))
}
