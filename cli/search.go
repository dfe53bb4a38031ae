package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
)

func searchCommand() command {
	r, all := ledger.SearchRequest{}, false
	return command{
		name: "search", args: "WORDS…", short: "Find what was said or remembered, by its words",
		long: "Search messages, tool results, artifacts and memories by their words: those with all words first, then those with some. " +
			"English words are found in each of their forms, names in code also by their parts. With --all, the ledgers of all " +
			"your directories and your own memories are searched.",
		example: "ctxledger search connection refused\nctxledger search --all connection refused",
		does:    keeps, json: answers(ledger.SearchResponse{}, foundAll{}),
		flags: func(f *pflag.FlagSet) {
			limitFlag(f, &r.Limit, 10)
			f.BoolVar(&all, "all", false, "search all workspaces, and your own memories")
		},
		check: checkLimit(&r.Limit),
		ask: func(ctx context.Context, a *action, args []string) error {
			r.Query = strings.Join(args, " ")
			if !all {
				resp, err := a.ledger.Search(ctx, r)
				if err != nil {
					return err
				}
				return a.answer(resp, func(w io.Writer) {
					printFound(a, w, resp, func(i int) string { return foundWhere(a, resp.Found[i]) })
				})
			}
			out, err := searchAll(ctx, a, r)
			if err != nil {
				return err
			}
			return a.answer(out, func(w io.Writer) { printFoundAll(a, w, out) })
		},
	}
}

// printFound prints what was found, and where each is.
func printFound(a *action, w io.Writer, resp ledger.SearchResponse, where func(i int) string) {
	if len(resp.Found) == 0 {
		fmt.Fprintln(w, "no matches")
	}
	listed := len(resp.Found)
	for i, f := range resp.Found {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s\n  %s\n", where(i), columns.OneLine(f.Text))
		if f.Same > 0 {
			fmt.Fprintf(w, "  (the same line in %s)\n", chars.Plural(f.Same, "more "+f.Kind))
		}
		listed += f.Same
	}
	if n := resp.Total - listed; n > 0 && len(resp.Found) > 0 {
		fmt.Fprintf(w, "\n%s with at least one of the words; `--limit N` shows more\n", chars.Plural(n, "more text"))
	}
	hintUnread(a, resp.Unread)
}

// hintUnread says that a search did not see all.
func hintUnread(a *action, unread bool) {
	if unread {
		a.hint("the ledger is still reading older sessions: search again in a moment")
	}
}

// foundWhere says what was found, and where: by ids that other commands accept.
func foundWhere(a *action, f ledger.Found) string {
	switch f.Kind {
	case ledger.FoundMemory:
		return "memory " + columns.OneLine(f.ID)
	case ledger.FoundArtifact:
		where := fmt.Sprintf("artifact %s (%s)", f.ID, columns.OneLine(f.Title))
		if f.Lines != "" {
			where += ", lines " + f.Lines
		}
		if f.Session != "" {
			where += fmt.Sprintf(", session %s, turn %d", f.Session, f.Turn)
		}
		return where
	}
	return fmt.Sprintf("%s %s, %s, session %s, turn %d", f.Role, f.ID, a.stamp(f.Time), f.Session, f.Turn)
}
