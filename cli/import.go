package cli

import (
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"ctxledger.dev/agents"
	"ctxledger.dev/agents/claudecode"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
)

func (a *app) importCommand() *cobra.Command {
	var agent string
	var follow bool
	cmd := &cobra.Command{
		Use:   "import [--agent A] [--follow] FILE…",
		Short: "Read session files into the ledger",
		Long: "Reads the session files of a coding agent into the ledger, originals kept byte for byte. Reading the\n" +
			"same file again adds only what is new in it. The last line of the output is the session's id.",
		Example: "  ctxledger import ~/.claude/projects/-home-me-app/3f0c9a7b.jsonl\n  ctxledger import --follow session.jsonl",
		Args:    a.args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, files []string) error {
			if agent != "" && agent != string(agents.ClaudeCode) {
				return usageError{fmt.Errorf("agent %q is not known: this version reads %s", agent, agents.ClaudeCode)}
			}
			if follow && len(files) > 1 {
				return usageError{fmt.Errorf("--follow takes one file, not %d", len(files))}
			}
			return a.runImport(cmd, files, follow)
		},
	}
	cmd.Flags().StringVar(&agent, "agent", "", "whose session files these are: claude-code (default: recognised)")
	cmd.Flags().BoolVar(&follow, "follow", false, "stay and read what is appended, until interrupted")
	return cmd
}

func (a *app) runImport(cmd *cobra.Command, files []string, follow bool) error {
	ctx := cmd.Context()
	api, err := a.open(ctx)
	if err != nil {
		return err
	}
	reports := []claudecode.Report{}
	for _, file := range files {
		bar := a.progress(file)
		r, err := claudecode.Import(ctx, api, claudecode.Source{Path: file, Dir: a.Env.Dir}, bar.show)
		bar.done()
		if err != nil {
			return err
		}
		a.warn(r)
		reports = append(reports, r)
	}
	if err := a.answer(reports, func(w io.Writer) { printReports(w, reports) }); err != nil || !follow {
		return err
	}
	return a.follow(cmd, api, files[0])
}

// follow reads what is appended to a file until the command is interrupted.
func (a *app) follow(cmd *cobra.Command, api engine.API, file string) error {
	a.say("following %s; interrupt to stop", file)
	return claudecode.FollowFile(cmd.Context(), api, claudecode.Source{Path: file, Dir: a.Env.Dir}, claudecode.FollowOptions{
		Env: a.Env, Log: slog.New(slog.NewTextHandler(a.Err, nil)),
		Report: func(r claudecode.Report) {
			a.warn(r)
			fmt.Fprintf(a.Err, "ctxledger: %s more\n", plural(r.Entries, "record"))
		},
	})
}

// warn says on standard error what an import could not take as it was.
func (a *app) warn(r claudecode.Report) {
	for _, w := range []struct {
		lines claudecode.Lines
		what  string
	}{
		{r.Corrupt, "no JSON record: left out"},
		{r.InvalidUTF8, "not valid UTF-8: kept as it is"},
		{r.Oversize, "too long to be read: kept whole"},
	} {
		if w.lines.Count > 0 {
			a.say("%s: %s %s (line %s)", r.Path, plural(w.lines.Count, "line"), w.what, numbers(w.lines))
		}
	}
	if r.Torn {
		a.say("%s: line %d breaks off: left for the next import", r.Path, r.TornLine)
	}
}

// numbers prints line numbers, as many as were noted.
func numbers(l claudecode.Lines) string {
	var s []string
	for _, n := range l.Numbers {
		s = append(s, fmt.Sprint(n))
	}
	if len(s) < l.Count {
		s = append(s, "…")
	}
	return strings.Join(s, ", ")
}

func printReports(w io.Writer, reports []claudecode.Report) {
	for _, r := range reports {
		fmt.Fprintf(w, "%s: %s, %s\n", plain(r.Path), plural(r.Entries, "new record"), size(r.Bytes))
	}
	for _, r := range reports {
		fmt.Fprintln(w, r.Session)
	}
}

// loadFile imports a file whose path was given where a session is expected.
func (a *app) loadFile(cmd *cobra.Command, file string) (string, error) {
	api, err := a.open(cmd.Context())
	if err != nil {
		return "", err
	}
	bar := a.progress(file)
	defer bar.done()
	r, err := claudecode.Import(cmd.Context(), api, claudecode.Source{Path: file, Dir: a.Env.Dir}, bar.show)
	if err != nil {
		return "", err
	}
	a.warn(r)
	if r.Session == "" {
		return "", fault.New(fault.Invalid, "cli.import", "%s holds no record of a session", file)
	}
	return r.Session, nil
}
