package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
)

func searchCommand() command {
	r := ledger.SearchRequest{}
	return command{
		name: "search", args: "WORDS", short: "Find what was said or remembered, by its words",
		long: "Search messages, tool results, artifacts and memories by their words, best first. English words are\n" +
			"found in each of their forms, names in code also by their parts.",
		example: "ctxledger search 'connection refused'",
		does:    keeps, json: answers(ledger.SearchResponse{}),
		flags: func(f *pflag.FlagSet) { limitFlag(f, &r.Limit, 10) }, check: checkLimit(&r.Limit),
		ask: shows(func(ctx context.Context, a *action, args []string) (ledger.SearchResponse, error) {
			r.Query = args[0]
			return a.ledger.Search(ctx, r)
		}, printFound),
	}
}

func printFound(a *action, w io.Writer, resp ledger.SearchResponse) {
	if len(resp.Found) == 0 {
		fmt.Fprintln(w, "nothing has these words")
	}
	for i, f := range resp.Found {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s\n  %s\n", foundWhere(a, f), columns.OneLine(f.Text))
	}
	if n := resp.Total - len(resp.Found); n > 0 && len(resp.Found) > 0 {
		fmt.Fprintf(w, "\n%s; `--limit N` shows more\n", chars.Plural(n, "more text"))
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
