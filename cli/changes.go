package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"ctxledger.dev/changes"
	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

func changesCommand() command {
	r, since := ledger.ChangesRequest{}, ""
	return command{
		name: "changes", args: "[PATH]", short: "List file changes, newest first",
		long: "Lists recorded file changes with their source: observed by ctxledger, reported by a tool call " +
			"(transcript), or inferred from a command. An observed change is attributed to the call that was " +
			"running at the time. If several were running, their sessions are marked with a question mark; " +
			"if none was, the change is external. For one session it also lists files that the session read " +
			"and that others have changed since.\n\n--since takes a time (2026-11-23, 2026-11-23 14:00), an " +
			"age (2h, 3d) or the number of a change.",
		example: "ctxledger changes --since 2h\nctxledger changes --session ab03de2c internal/",
		does:    keeps, json: answers(changesAnswer{}),
		flags: func(f *pflag.FlagSet) {
			sessionFlag(f, &r.Session)
			f.StringVar(&since, "since", "", "only changes since `WHEN`: a time, an age, a number")
			limitFlag(f, &r.Limit, 50)
		},
		check: func(a *action, args []string) (err error) {
			if r.Since, r.From, err = changes.ParseSince(since, a.Env.Now()); err != nil {
				return usageError{fmt.Errorf("--since: %w", err), fault.HintOf(err)}
			}
			return checkLimit(&r.Limit)(a, args)
		},
		ask: shows(func(ctx context.Context, a *action, args []string) (out changesAnswer, err error) {
			host := ""
			if r.Session != "" {
				s, err := a.session(ctx, r.Session)
				if err != nil {
					return out, err
				}
				r.Session, host, out.by = s.ID, s.Host, s.ID
			}
			info, err := discovered(ctx, a)
			if err != nil {
				return out, err
			}
			out.NotFollowed, out.in, out.of = info.NotFollowed(host), info, since != "" || len(args) > 0
			out.ChangesResponse, err = changesOf(ctx, a, r, strings.Join(args, ""))
			return out, err
		}, printChanges),
	}
}

// changesAnswer is what the changes command answers.
type changesAnswer struct {
	ledger.ChangesResponse
	NotFollowed string `json:"not_followed,omitempty"` // why there may be changes that are not recorded

	by string      // the session that was asked for; "": all
	in ledger.Info // where
	of bool        // whether only some were asked for: of a path, since a time
}

// changesOf asks for the changes of a path, or of all files if name is "". Of the paths that name may mean it
// takes the first with changes.
func changesOf(
	ctx context.Context, a *action, r ledger.ChangesRequest, name string,
) (resp ledger.ChangesResponse, err error) {
	if name == "" {
		return a.ledger.Changes(ctx, r)
	}
	for _, p := range ledgerPaths(a, name) {
		if r.Path = p; p == "." {
			r.Path = ""
		}
		if resp, err = a.ledger.Changes(ctx, r); err != nil || resp.Total > 0 {
			return resp, err
		}
	}
	return resp, nil
}

func printChanges(a *action, w io.Writer, resp changesAnswer) {
	switch why := a.self.in(resp.NotFollowed); {
	case resp.Total == 0 && why != "":
		fmt.Fprintln(w, "no changes are known: "+why)
	case resp.Total == 0 && resp.by != "":
		fmt.Fprintf(w, "no file changes by session %s itself are recorded\n", resp.by)
	case resp.Total == 0 && resp.of:
		fmt.Fprintln(w, "no matching file changes are recorded here")
	case resp.Total == 0:
		fmt.Fprintln(w, "no file changes are recorded here")
	case why != "":
		fmt.Fprintln(w, "there may be changes that are not recorded: "+why)
	}
	if resp.Outside {
		fmt.Fprintln(w, "the path is outside the workspace: only what agents report about such files is recorded")
	}
	if resp.Total > 0 {
		t := a.newTable(">CHANGE", "TIME", "SESSION", ">TURN", "WHAT", "PATH", "SOURCE")
		for _, c := range resp.Changes {
			t.Add(fmt.Sprint(c.ID), a.stamp(c.Time), author(c), turn(c.Turn), string(c.Op),
				inTree(resp.in, c.Tree, c.Path), string(c.Source))
		}
		t.Print(w)
		explainMarks(w, resp.Changes)
		more(w, resp.Total-len(resp.Changes), resp.Total)
	}
	for _, s := range resp.Stale {
		happened, knew := s.Words()
		fmt.Fprintf(w, "stale: %s was %s %s after the session %s it\n",
			a.line(inTree(resp.in, resp.Tree, s.Path), columns.CellWidth), happened,
			columns.OneLine(changes.Who(s.By, s.Subagent)), knew)
	}
}

// inTree names a recorded file, with its tree where that is not the user's.
func inTree(in ledger.Info, tree, path string) string {
	if tree = in.Elsewhere(tree, path); tree != "" {
		return path + " in " + tree
	}
	return path
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
		fmt.Fprintln(w, "?: uncertain; when the file changed, a call from this session was running among others, or had just ended")
	}
}

// turn prints the number of a turn; outside a session there is none.
func turn(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}
