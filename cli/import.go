package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ctxledger.dev/agents"
	"ctxledger.dev/cli/columns"
	"ctxledger.dev/engine/temporary"
	"ctxledger.dev/internal/agentname"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/logcap"
	"ctxledger.dev/ledger"
)

func (a *app) importCommand() *cobra.Command {
	var agent string
	var follow bool
	cmd := &cobra.Command{
		Use:   "import [--agent A] [--follow] FILE…",
		Short: "Read session files into the ledger",
		Long: "Reads session files of a coding agent into the ledger, and keeps the originals byte for byte.\n" +
			"Reading a file again adds only what is new in it. The last line of the output is the session's id.\n" +
			"A file that cannot be read is reported; the other files are still imported.",
		Example: "  ctxledger import ~/.claude/projects/-home-me-app/3f0c9a7b.jsonl\n" +
			"  ctxledger import --follow session.jsonl",
		Args: a.args(1, -1),
		RunE: func(cmd *cobra.Command, files []string) error {
			if names := agentNames(); agent != "" && !slices.Contains(names, agentname.Key(agent)) {
				return misuse("there is no agent %q: this version reads session files of %s", agent,
					strings.Join(names, ", "))
			}
			if follow && len(files) > 1 {
				return misuse("--follow takes one file, not %d", len(files))
			}
			return a.asks(func(ctx context.Context, api ledger.API, files []string) error {
				if follow {
					return a.follow(ctx, api, files[0])
				}
				return a.importFiles(ctx, api, files)
			})(cmd, files)
		},
	}
	cmd.Flags().StringVar(&agent, "agent", "",
		"`AGENT` whose session files these are: "+strings.Join(agentNames(), ", ")+" (default: recognised)")
	cmd.Flags().BoolVar(&follow, "follow", false, "read what is appended too, until interrupted")
	return cmd
}

// agentNames returns the names of the agents whose session files can be read.
func agentNames() (names []string) {
	for _, a := range agents.Adapters() {
		names = append(names, string(a.Agent))
	}
	return names
}

// importFiles imports each file and prints a report of those that could be read.
func (a *app) importFiles(ctx context.Context, api ledger.API, files []string) error {
	reports := []agents.Report{}
	for _, file := range files {
		r, err := a.importFile(ctx, api, file)
		switch {
		case err == nil:
			reports = append(reports, r)
		case ctx.Err() != nil || len(files) == 1:
			return err
		default:
			a.say("%s", err)
		}
	}
	if err := a.answer(reports, func(w io.Writer) { printReports(w, reports) }); err != nil {
		return err
	}
	if n := len(files) - len(reports); n > 0 {
		return fault.New(fault.Invalid, "cli.import", "%d of %s could not be imported", n,
			chars.Plural(len(files), "file"))
	}
	return nil
}

// importFile imports one file and says what could not be taken as it was.
func (a *app) importFile(ctx context.Context, api ledger.API, file string) (agents.Report, error) {
	bar := a.progress(file)
	r, err := agents.Import(ctx, api, agents.Source{Path: file, Dir: a.Env.Dir}, bar.show)
	bar.done()
	r.Path = file // as the reader knows it
	a.warn(r)
	return r, err
}

// follow imports a file and what is appended to it, until the command is interrupted.
func (a *app) follow(ctx context.Context, api ledger.API, file string) error {
	ctx, stop := temporary.Interruptible(ctx)
	defer stop()
	switch err := a.importFiles(ctx, api, []string{file}); {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return err
	}
	a.say("following %s; interrupt to stop", file)
	return agents.FollowFile(ctx, api, agents.Source{Path: file, Dir: a.Env.Dir}, agents.FollowOptions{
		Env: a.Env, Log: slog.New(slog.NewTextHandler(a.masks.Lines(logcap.Records(a.Err)), nil)),
		Report: func(r agents.Report) {
			a.warn(r)
			if r.Entries > 0 {
				a.say("%s more", chars.Plural(r.Entries, "record"))
			}
		},
	})
}

// warn says on standard error what an import could not take as it was.
func (a *app) warn(r agents.Report) {
	for _, w := range []struct {
		lines agents.Lines
		what  string
	}{
		{r.Corrupt, "no JSON record: left out"},
		{r.Partly, "damaged in part: records that are whole are read, the rest is left out"},
		{r.InvalidUTF8, "not valid UTF-8: kept as it is"},
		{r.Oversize, "too long to be read: kept whole"},
	} {
		if w.lines.Count > 0 {
			a.say("%s: %s %s (line %s)", r.Path, chars.Plural(w.lines.Count, "line"), w.what, numbers(w.lines))
		}
	}
	if r.Torn {
		a.say("%s: line %d breaks off: left for the next import", r.Path, r.TornLine)
	}
}

// numbers prints line numbers, as many as were noted.
func numbers(l agents.Lines) string {
	var s []string
	for _, n := range l.Numbers {
		s = append(s, fmt.Sprint(n))
	}
	if len(s) < l.Count {
		s = append(s, "…")
	}
	return strings.Join(s, ", ")
}

func printReports(w io.Writer, reports []agents.Report) {
	for _, r := range reports {
		if r.Entries == 0 {
			fmt.Fprintf(w, "%s: nothing new\n", columns.OneLine(r.Path))
			continue
		}
		fmt.Fprintf(w, "%s: %s, %s\n", columns.OneLine(r.Path), chars.Plural(r.Entries, "new record"),
			chars.Size(r.Bytes))
	}
	for _, r := range reports {
		if r.Session != "" {
			fmt.Fprintln(w, r.Session)
		}
	}
}
