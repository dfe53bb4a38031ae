package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ctxledger.dev/changes"
	"ctxledger.dev/cli/columns"
	"ctxledger.dev/ledger"
)

func (a *app) changesCommand() *cobra.Command {
	r, since := ledger.ChangesRequest{}, ""
	cmd := &cobra.Command{
		Use:   "changes [--session S] [PATH]",
		Short: "List changes of files, newest first",
		Long: "Lists the recorded changes of files, each with its source: observed by ctxledger, reported by a\n" +
			"session's tool call (transcript), or inferred from a command. An observed change is attributed to\n" +
			"the call that ran when the file changed. If several ran, their sessions are marked with a question\n" +
			"mark; if none ran, the change is external.",
		Example: "  ctxledger changes\n  ctxledger changes --since 2h\n" +
			"  ctxledger changes --session ab03de2c internal/",
		Args: a.args(0, 1),
		RunE: shows(a, func(ctx context.Context, api ledger.API, args []string) (out changesAnswer, err error) {
			if r.Limit < 1 {
				return out, misuse("--limit must be at least 1")
			}
			if r.Since, r.From, err = changes.ParseSince(since, a.Env.Now()); err != nil {
				return out, err
			}
			host := ""
			if r.Session != "" {
				s, err := a.session(ctx, r.Session)
				if err != nil {
					return out, err
				}
				r.Session, host = s.ID, s.Host
			}
			info, err := a.discovered(ctx, api)
			if err != nil {
				return out, err
			}
			out.NotFollowed = info.NotFollowed(host)
			out.ChangesResponse, err = a.changes(ctx, api, r, strings.Join(args, ""))
			return out, err
		}, a.printChanges),
	}
	cmd.Flags().StringVar(&r.Session, "session", "",
		"only session `S`, with the files that it read and others changed since")
	cmd.Flags().StringVar(&since, "since", "",
		"only changes since `WHEN`: a time (2026-11-23, 2026-11-23 14:00), an age (2h, 3d) or the number of a change")
	cmd.Flags().IntVar(&r.Limit, "limit", 50, "list at most `N`")
	return cmd
}

// changesAnswer is what the changes command answers.
type changesAnswer struct {
	ledger.ChangesResponse
	NotFollowed string `json:"not_followed,omitempty"` // why there may be changes that are not recorded
}

// changes asks for the changes of a path, or of all files if name is "". Of the paths that name may mean it
// takes the first with changes.
func (a *app) changes(
	ctx context.Context, api ledger.Files, r ledger.ChangesRequest, name string,
) (resp ledger.ChangesResponse, err error) {
	if name == "" {
		return api.Changes(ctx, r)
	}
	for _, p := range a.ledgerPaths(name) {
		if r.Path = p; p == "." {
			r.Path = ""
		}
		if resp, err = api.Changes(ctx, r); err != nil || resp.Total > 0 {
			return resp, err
		}
	}
	return resp, nil
}

func (a *app) printChanges(w io.Writer, resp changesAnswer) {
	switch why := a.self.In(resp.NotFollowed); {
	case resp.Total == 0 && why != "":
		fmt.Fprintln(w, "nothing is known of changes: "+why)
	case resp.Total == 0:
		fmt.Fprintln(w, "no change of a file is recorded here")
	case why != "":
		fmt.Fprintln(w, "there may be changes that are not recorded: "+why)
	}
	if resp.Outside {
		fmt.Fprintln(w, "the path is outside of the workspace: only what agents report of such files is recorded")
	}
	if resp.Total > 0 {
		t := a.newTable(">NO", "TIME", "SESSION", ">TURN", "WHAT", "PATH", "SOURCE")
		for _, c := range resp.Changes {
			t.Add(fmt.Sprint(c.ID), a.stamp(c.Time), author(c), turn(c.Turn), string(c.Op), a.inTree(c),
				string(c.Source))
		}
		t.Print(w)
		explainMarks(w, resp.Changes)
		more(w, resp.Total-len(resp.Changes), resp.Total)
	}
	for _, s := range resp.Stale {
		by := "session " + s.By
		switch s.By {
		case changes.External:
			by = "somebody else"
		case changes.Several:
			by = "one of several calls that ran then"
		}
		fmt.Fprintf(w, "stale: %s was changed by %s after the session read it\n", a.line(s.Path, columns.CellWidth),
			columns.OneLine(by))
	}
}

// inTree names a changed file, with its tree where that is not the user's.
func (a *app) inTree(c changes.Change) string {
	if tree := a.elsewhere(c); tree != "" {
		return c.Path + " in " + tree
	}
	return c.Path
}

// elsewhere returns the tree of a change where that is not the user's, else "".
func (a *app) elsewhere(c changes.Change) string {
	return c.Elsewhere(cmp.Or(a.place.Main, a.place.Root), a.place.Root)
}

// author names the session that made a change, or those that may have.
func author(c changes.Change) string {
	if len(c.Candidates) == 0 {
		return cmp.Or(c.Session, changes.External)
	}
	var names []string
	for _, x := range c.Candidates {
		if name := x.Session + "?"; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// explainMarks says what the question mark of author means, if it is there.
func explainMarks(w io.Writer, list []changes.Change) {
	if slices.ContainsFunc(list, func(c changes.Change) bool { return len(c.Candidates) > 0 }) {
		fmt.Fprintln(w, "?: perhaps; a call of this session ran when the file changed, as did other calls")
	}
}

// turn prints the number of a turn; outside of a session there is none.
func turn(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}
