package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

func (a *app) forgetCommand() *cobra.Command {
	var text string
	var yes, dry bool
	cmd := &cobra.Command{
		Use:   "forget HANDLE | forget --text -",
		Short: "Delete something from the ledger and from the disk; a tombstone stays",
		Long: "Deletes what HANDLE names: an artifact with the messages that hold it, a message, the text of a\n" +
			"summary, or a whole session. Summaries and memories may still quote it; to delete words\n" +
			"everywhere, use --text.\n\n" +
			"With --text - it reads a text of at least 8 bytes from standard input, so that a secret appears\n" +
			"neither in the process list nor in the shell's history. It deletes every message and artifact that\n" +
			"contains the text, also with JSON escapes, but not inside base64. From derived data, such as\n" +
			"summaries, memories, titles, commands and paths, it removes only the text. Then it rewrites the\n" +
			"records, searches every file of the state directory for the text, and reports what is left.\n\n" +
			"Copies elsewhere are never touched: the agent's own session files, your backups, exports into\n" +
			"other directories. The command first shows what would be deleted, and asks.",
		Example: "  ctxledger forget a3f9c20b1d7e\n" +
			"  ctxledger forget --text - < secret.txt\n" +
			"  pass show api-key | ctxledger forget --text - --yes",
		Args: a.args(0, 1),
	}
	cmd.Flags().StringVar(&text, "text", "", "forget a text; `-` reads it from standard input")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only show what would be forgotten")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		r := ledger.ForgetRequest{Handle: strings.Join(args, "")}
		switch asked := cmd.Flags().Changed("text"); {
		case asked == (len(args) == 1):
			return misuse("name a handle, or give a text with --text -")
		case asked && text != "-":
			return misuse("--text takes only -: the process list and the shell's history show the command line")
		case asked:
			var err error
			if r.Text, err = a.secret(); err != nil {
				return err
			}
		}
		return a.asks(func(ctx context.Context, api ledger.API, _ []string) error {
			return a.forget(ctx, api, r, yes, dry)
		})(cmd, args)
	}
	return cmd
}

// maxSecret bounds what is read of a text, in bytes: a little more than the limit, so that a longer one is refused.
const maxSecret = 64<<10 + 3

// secret reads the text to forget, without the line break at its end.
func (a *app) secret() (string, error) {
	if terminal(a.In) {
		a.say("reading the text from the terminal; end it with control-D")
	}
	raw, err := io.ReadAll(io.LimitReader(a.In, maxSecret))
	text := strings.TrimSuffix(strings.TrimSuffix(string(raw), "\n"), "\r")
	return text, fault.Wrap(fault.Unavailable, "cli.forget", err)
}

// forget shows what would go, asks, and forgets it.
func (a *app) forget(ctx context.Context, api ledger.Erasure, r ledger.ForgetRequest, yes, dry bool) error {
	if dry || !yes {
		r.DryRun = true
		plan, err := api.Forget(ctx, r)
		if err != nil {
			return err
		}
		if dry {
			return a.answer(plan, func(w io.Writer) { a.printForgotten(w, plan, r.Text != "") })
		}
		var shown strings.Builder
		a.printForgotten(&shown, plan, r.Text != "")
		for line := range strings.Lines(shown.String()) {
			a.say("%s", line)
		}
		if err := a.confirm("forget this?"); err != nil {
			return err
		}
		r.DryRun = false
	}
	f, err := api.Forget(ctx, r)
	if err != nil {
		return err
	}
	if err := a.answer(f, func(w io.Writer) {
		a.printForgotten(w, f, r.Text != "")
		printLeft(w, f, r.Text != "")
	}); err != nil {
		return err
	}
	if len(f.Left) > 0 {
		return fault.New(fault.Conflict, "cli.forget", "%s of this ledger still hold the text",
			chars.Plural(len(f.Left), "place"))
	}
	return nil
}

// confirm asks on the terminal. It fails without a terminal, or if the text came from standard input.
func (a *app) confirm(question string) error {
	if !terminal(a.In) || !terminal(a.Err) {
		return misuse("cannot ask without a terminal: give --yes to continue, --dry-run to look only")
	}
	fmt.Fprintf(a.Err, "%s [y/N] ", question)
	reply, _ := bufio.NewReader(io.LimitReader(a.In, 100)).ReadString('\n') // what was not said is no
	if reply = strings.ToLower(strings.TrimSpace(reply)); reply != "y" && reply != "yes" {
		return fault.New(fault.Denied, "cli.forget", "nothing was changed")
	}
	return nil
}

// printForgotten says what was forgotten, or would be. text says that it was a text, not what a handle names.
func (a *app) printForgotten(w io.Writer, f ledger.Forgotten, text bool) {
	verb := "forgot"
	if f.DryRun {
		verb = "would forget"
	}
	if len(f.Counts) == 0 {
		why := "the ledger does not hold it"
		if !text {
			why = "it was forgotten before" // else its handle were not known
		}
		fmt.Fprintf(w, "%s nothing: %s\n", verb, why)
		return
	}
	var parts []string
	for _, c := range f.Counts {
		parts = append(parts, chars.Plural(c.N, c.Kind))
	}
	fmt.Fprintf(w, "%s %s\n", verb, strings.Join(parts, ", "))
	if n := len(f.Sessions); n > 0 {
		const most = 8
		more := ""
		if n > most {
			more = ", …"
		}
		fmt.Fprintf(w, "in %s: %s%s\n", chars.Plural(n, "session"), strings.Join(f.Sessions[:min(n, most)], ", "), more)
	}
}

func byReason(x, y ledger.LeftPlace) int { return strings.Compare(x.Why, y.Why) }

// printLeft says where the text can still be found.
func printLeft(w io.Writer, f ledger.Forgotten, text bool) {
	if !text {
		fmt.Fprintln(w, "its bytes are gone from the disk; summaries and memories may quote it")
		printOutside(w, f)
		return
	}
	fmt.Fprintf(w, "searched %s of the ledger: %s left\n", chars.Plural(f.Searched, "file"),
		chars.Plural(len(f.Left), "place"))
	for _, l := range f.Left {
		fmt.Fprintf(w, "  %s: %s\n", columns.OneLine(l.Place), columns.OneLine(l.Why))
	}
	fmt.Fprintln(w, "freed pages: erased, nothing waits for `gc`")
	printOutside(w, f)
}

// printOutside names the places that forgetting does not reach.
func printOutside(w io.Writer, f ledger.Forgotten) {
	said := ""
	for _, l := range slices.SortedStableFunc(slices.Values(f.Outside), byReason) {
		if l.Why != said {
			fmt.Fprintf(w, "not touched: %s\n", columns.OneLine(l.Why))
			said = l.Why
		}
		fmt.Fprintf(w, "  %s\n", columns.OneLine(l.Place))
	}
}
