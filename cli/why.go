package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
)

func (a *app) whyCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "why FILE",
		Short:   "Show who read, changed or tried to change a file",
		Example: "  ctxledger why internal/store/store.go",
		Args:    a.args(1, 1),
		RunE: shows(a, func(ctx context.Context, api ledger.API, args []string) (out historyAnswer, err error) {
			info, err := a.discovered(ctx, api)
			if err != nil {
				return out, err
			}
			out.NotFollowed = info.NotFollowed("")
			out.FileHistory, err = a.history(ctx, api, args[0])
			return out, err
		}, a.printHistory),
	}
}

// historyAnswer is what the why command answers.
type historyAnswer struct {
	ledger.FileHistory
	NotFollowed string `json:"not_followed,omitempty"` // why more may have happened than is recorded
}

// history asks for the history of a file. Of the paths that name may mean it takes the first with a history.
func (a *app) history(ctx context.Context, api ledger.Files, name string) (h ledger.FileHistory, err error) {
	for _, p := range a.ledgerPaths(name) {
		h, err = api.FileHistory(ctx, ledger.FileHistoryRequest{Path: p})
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

// story puts reads, intents and changes into one order.
func (a *app) story(h ledger.FileHistory) []moment {
	var out []moment
	for _, r := range h.Reads {
		out = append(out, moment{r.Time, r.Session, r.Seq, r.Turn, "read", chars.Commas(r.Tokens) + " tokens"})
	}
	for _, in := range h.Intents {
		detail := strings.ToLower(string(in.Status)) + ": " + in.Name
		if in.Reconciled {
			detail += ", concluded from the file"
		}
		if in.Error != "" {
			detail += ", " + in.Error
		}
		out = append(out, moment{in.Begun, in.Session, in.Seq, in.Turn, "tried", detail})
	}
	for _, c := range h.Changes {
		detail := "source: " + string(c.Source)
		if tree := a.elsewhere(c); tree != "" {
			detail += ", in " + tree
		}
		out = append(out, moment{c.Time, author(c), c.Seq, c.Turn, string(c.Op), detail})
	}
	slices.SortStableFunc(out, func(x, y moment) int {
		return cmp.Or(x.at.Compare(y.at), cmp.Compare(x.session, y.session), cmp.Compare(x.seq, y.seq))
	})
	return out
}

func (a *app) printHistory(w io.Writer, h historyAnswer) {
	moments := a.story(h.FileHistory)
	if why := a.self.In(h.NotFollowed); why != "" {
		fmt.Fprintln(w, "more may have happened than is recorded: "+why)
	}
	if len(moments) == 0 {
		fmt.Fprintf(w, "nothing is recorded about %s\n", columns.OneLine(h.Path))
		return
	}
	fmt.Fprintln(w, columns.OneLine(h.Path))
	t := a.newTable("TIME", "SESSION", ">TURN", "WHAT", "")
	for _, m := range moments {
		t.Add(a.stamp(m.at), m.session, turn(m.turn), m.what, m.detail)
	}
	t.Print(w)
	explainMarks(w, h.Changes)
}
