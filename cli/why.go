package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/shell"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

func whyCommand() command {
	return command{
		name: "why", args: "FILE", short: "Show who read, changed or tried to change a file, newest first",
		example: "ctxledger why internal/store/store.go",
		does:    keeps, json: answers(historyAnswer{}),
		ask: shows(func(ctx context.Context, a *action, args []string) (out historyAnswer, err error) {
			if isDir(a.absolute(args[0])) {
				return out, fault.New(fault.Invalid, "cli.why", "%.1000q is a directory: name a file", args[0]).
					WithHint("`ctxledger changes %s` lists the changes below it", shell.Quote(args[0]))
			}
			info, err := discovered(ctx, a)
			if err != nil {
				return out, err
			}
			out.NotFollowed, out.in = info.NotFollowed(""), info
			out.FileHistory, err = historyOf(ctx, a, args[0])
			if err != nil {
				return out, err
			}
			var of []string
			for _, r := range out.FileHistory.Reads {
				of = append(of, r.Session)
			}
			scales, err := ledger.ScalesOf(ctx, a.ledger, of)
			out.Reads = make([]countedRead, 0, len(of))
			for _, r := range out.FileHistory.Reads {
				out.Reads = append(out.Reads, countedRead{r, scales[r.Session].Total(r.Took)})
			}
			return out, err
		}, printHistory),
	}
}

// historyAnswer is what the why command answers.
type historyAnswer struct {
	ledger.FileHistory
	Reads       []countedRead `json:"reads"`
	NotFollowed string        `json:"not_followed,omitempty"` // why more may have happened than is recorded

	in ledger.Info // where
}

// countedRead is one time an agent read a file, with what that took in the agent's window.
type countedRead struct {
	ledger.FileRead
	Tokens tokens.Count `json:"tokens"`
}

// historyOf asks for the history of a file. Of the paths that name may mean it takes the first with a history.
func historyOf(ctx context.Context, a *action, name string) (h ledger.FileHistory, err error) {
	for _, p := range ledgerPaths(a, name) {
		h, err = a.ledger.FileHistory(ctx, ledger.FileHistoryRequest{Path: p})
		if err != nil || len(h.Reads)+len(h.Intents)+len(h.Changes) > 0 {
			return h, err
		}
	}
	return h, nil
}

// moment is one thing that happened to a file.
type moment struct {
	at      time.Time
	session string
	seq     int64 // of the log entry it comes from
	turn    int
	what    string
	detail  string
}

// storyOf puts reads, intents and changes into one order, the newest first.
func storyOf(h historyAnswer) []moment {
	var out []moment
	add := func(m moment, tree string) {
		if tree = h.in.Elsewhere(tree, h.Path); tree != "" {
			m.detail += ", in " + tree
		}
		out = append(out, m)
	}
	for _, r := range h.Reads {
		whose := "the window"
		if r.Subagent {
			whose = "a subagent's window"
		}
		took := r.Tokens.Tokens() + " of " + whose
		if r.Gone {
			took += ", which no longer has it"
		}
		if r.Failed {
			took = "failed, " + took
		}
		add(moment{r.Time, r.Session, r.Seq, r.Turn, "read", took}, h.Trees[r.Session])
	}
	for _, in := range h.Intents {
		detail := in.Name + ": " + strings.ToLower(string(in.Status))
		if in.Reconciled {
			detail += ", inferred from the file"
		}
		if in.Error != "" {
			detail += ", " + in.Error
		}
		add(moment{in.Begun, in.Session, in.Seq, in.Turn, "call", detail}, h.Trees[in.Session])
	}
	for _, c := range h.Changes {
		add(moment{c.Time, author(c), c.Seq, c.Turn, string(c.Op), "source: " + string(c.Source)}, c.Tree)
	}
	slices.SortStableFunc(out, func(x, y moment) int {
		return cmp.Or(x.at.Compare(y.at), cmp.Compare(x.session, y.session), cmp.Compare(x.seq, y.seq))
	})
	slices.Reverse(out)
	return out
}

func printHistory(a *action, w io.Writer, h historyAnswer) {
	moments := storyOf(h)
	if why := a.self.in(h.NotFollowed); why != "" {
		fmt.Fprintln(w, "more may have happened than is recorded: "+why)
	}
	if len(moments) == 0 {
		fmt.Fprintf(w, "nothing is recorded about %s\n", columns.OneLine(h.Path))
		fmt.Fprintln(w, "a shell command counts as a read only if it prints a single file, as `cat FILE` does")
		return
	}
	fmt.Fprintln(w, columns.OneLine(h.Path))
	t := a.newTable("TIME", "SESSION", ">TURN", "EVENT", "DETAIL")
	for _, m := range moments {
		t.Add(a.stamp(m.at), m.session, turn(m.turn), m.what, m.detail)
	}
	t.Print(w)
	explainMarks(w, h.Changes)
}
