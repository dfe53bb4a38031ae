package cli

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ctxledger.dev/engine"
)

func (a *app) changesCommand() *cobra.Command {
	r := engine.ChangesRequest{}
	cmd := &cobra.Command{
		Use:     "changes [--session S] [PATH]",
		Short:   "What happened to files, newest first",
		Example: "  ctxledger changes\n  ctxledger changes --session ab03de2c internal/",
		Args:    a.args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Path = strings.TrimPrefix(filepath.ToSlash(strings.Join(args, "")), "./")
			return a.changes(cmd, r)
		},
	}
	cmd.Flags().StringVar(&r.Session, "session", "", "only this session, with the files that it read and others changed since")
	cmd.Flags().Int64Var(&r.Since, "since", 0, "only changes with a greater number")
	cmd.Flags().IntVar(&r.Limit, "limit", 50, "how many to list")
	return cmd
}

func (a *app) changes(cmd *cobra.Command, r engine.ChangesRequest) error {
	api, err := a.open(cmd.Context())
	if err != nil {
		return err
	}
	if r.Session != "" {
		s, err := a.session(cmd.Context(), r.Session)
		if err != nil {
			return err
		}
		r.Session = s.ID
	}
	resp, err := api.Changes(cmd.Context(), r)
	if err != nil {
		return err
	}
	return a.answer(resp, func(w io.Writer) {
		if resp.Total == 0 {
			fmt.Fprintln(w, "no change of a file is recorded here")
			return
		}
		t := newTable(">NO", "TIME", "SESSION", ">TURN", "WHAT", "PATH", "SOURCE")
		for _, c := range resp.Changes {
			t.add(fmt.Sprint(c.ID), a.stamp(c.Time), c.Session, fmt.Sprint(c.Turn), string(c.Op), c.Path, string(c.Source))
		}
		t.print(w)
		if more := resp.Total - len(resp.Changes); more > 0 {
			fmt.Fprintf(w, "… %s more: --limit %d\n", commas(more), resp.Total)
		}
		for _, s := range resp.Stale {
			fmt.Fprintf(w, "stale: %s was changed by %s after the session read it\n", plain(s.Path), plain(s.By))
		}
	})
}

func (a *app) whyCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "why FILE",
		Short:   "A file's history in the ledger: who read, changed or tried to change it",
		Example: "  ctxledger why internal/store/store.go",
		Args:    a.args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			api, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			h, err := api.FileHistory(cmd.Context(), engine.FileHistoryRequest{Path: a.inWorkspace(args[0])})
			if err != nil {
				return err
			}
			return a.answer(h, func(w io.Writer) { a.printHistory(w, h) })
		},
	}
}

// inWorkspace makes a path that was typed somewhere below the workspace absolute, if such a file
// lies there; else it is meant relative to the workspace.
func (a *app) inWorkspace(file string) string {
	if abs := filepath.Join(a.Env.Dir, file); !filepath.IsAbs(file) && a.isFile(abs) {
		return abs
	}
	return file
}

// printHistory prints reads, intents and changes as one story.
func (a *app) printHistory(w io.Writer, h engine.FileHistory) {
	type moment struct {
		at   time.Time
		seq  int64
		cell []string
	}
	var story []moment
	for _, r := range h.Reads {
		story = append(story, moment{r.Time, r.Seq, []string{a.stamp(r.Time), r.Session, fmt.Sprint(r.Turn), "read", commas(r.Tokens) + " tokens"}})
	}
	for _, in := range h.Intents {
		what := strings.ToLower(string(in.Status)) + ": " + in.Name
		if in.Error != "" {
			what += ", " + in.Error
		}
		story = append(story, moment{in.Begun, in.Seq, []string{a.stamp(in.Begun), in.Session, fmt.Sprint(in.Turn), "tried", what}})
	}
	for _, c := range h.Changes {
		story = append(story, moment{c.Time, c.Seq, []string{a.stamp(c.Time), c.Session, fmt.Sprint(c.Turn), string(c.Op), "source: " + string(c.Source)}})
	}
	if len(story) == 0 {
		fmt.Fprintf(w, "the ledger knows nothing of %s\n", plain(h.Path))
		return
	}
	slices.SortStableFunc(story, func(x, y moment) int { return cmp.Or(x.at.Compare(y.at), cmp.Compare(x.seq, y.seq)) })
	t := newTable("TIME", "SESSION", ">TURN", "WHAT", "")
	for _, m := range story {
		t.add(m.cell...)
	}
	fmt.Fprintln(w, plain(h.Path))
	t.print(w)
}
