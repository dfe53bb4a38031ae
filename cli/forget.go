package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

func (a *app) forgetCommand() *cobra.Command {
	var text string
	var yes, dry bool
	cmd := &cobra.Command{
		Use:   "forget HANDLE | forget --text -",
		Short: "Remove something from the ledger and from the disk; a tombstone stays",
		Long: "Forgets what HANDLE names: an artifact with the messages that hold it, a message, the text of a summary,\n" +
			"or a whole session. A summary or a memory may quote what a handle named: to get rid of words, forget\n" +
			"the words.\n\n" +
			"With --text - it reads a text of at least 8 bytes from standard input (so that a secret stands neither\n" +
			"in the list of processes nor in the history of the shell) and forgets every message and artifact that\n" +
			"holds it, as it is or as JSON writes it, though not inside base64. Where something else was derived\n" +
			"from them, as in summaries, memories, titles, commands and paths, the text alone is taken out. Then it\n" +
			"rewrites the records, looks for the text in every file of the state directory, and says what is left.\n\n" +
			"Copies elsewhere are never touched: the agent's own session files, your backups, exports into other\n" +
			"directories. It shows first what would go, and asks.",
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
			return misuse("--text takes only -: a text on the command line stands in the list of processes and in the shell's history")
		case asked:
			var err error
			if r.Text, err = a.secret(); err != nil {
				return err
			}
		}
		return a.asks(func(ctx context.Context, api ledger.API, _ []string) error { return a.forget(ctx, api, r, yes, dry) })(cmd, args)
	}
	return cmd
}

// maxSecret is what is read of a text at most: a little more than may be forgotten, so that a longer one
// is refused.
const maxSecret = 64<<10 + 3

// secret reads the text that is to be forgotten. A line break at its end belongs to the command that
// wrote it.
func (a *app) secret() (string, error) {
	if terminal(a.In) {
		a.say("reading the text from the terminal; end it with control-D")
	}
	raw, err := io.ReadAll(io.LimitReader(a.In, maxSecret))
	text := strings.TrimSuffix(strings.TrimSuffix(string(raw), "\n"), "\r")
	return text, fault.Wrap(fault.Unavailable, "cli.forget", err)
}

// forget shows what would go, asks, and forgets it.
func (a *app) forget(ctx context.Context, api ledger.API, r ledger.ForgetRequest, yes, dry bool) error {
	if dry || !yes {
		r.DryRun = true
		plan, err := api.Forget(ctx, r)
		if err != nil {
			return err
		}
		if dry {
			return a.answer(plan, func(w io.Writer) { a.printForgotten(w, plan) })
		}
		var shown strings.Builder
		a.printForgotten(&shown, plan)
		a.say("%s", shown.String())
		if err := a.confirm("forget this?"); err != nil {
			return err
		}
		r.DryRun = false
	}
	f, err := api.Forget(ctx, r)
	if err != nil {
		return err
	}
	if err := a.answer(f, func(w io.Writer) { a.printForgotten(w, f); printLeft(w, f, r.Text != "") }); err != nil {
		return err
	}
	if len(f.Left) > 0 {
		return fault.New(fault.Conflict, "cli.forget", "%s of this ledger still hold the text", chars.Plural(len(f.Left), "place"))
	}
	return nil
}

// confirm asks on the terminal. Where the text came from standard input, or where there is no terminal,
// nobody can answer.
func (a *app) confirm(question string) error {
	if !terminal(a.In) || !terminal(a.Err) {
		return misuse("nobody can be asked here: give --yes to go on, --dry-run to look only")
	}
	fmt.Fprintf(a.Err, "%s [y/N] ", question)
	reply, _ := bufio.NewReader(io.LimitReader(a.In, 100)).ReadString('\n') // what was not said is no
	if reply = strings.ToLower(strings.TrimSpace(reply)); reply != "y" && reply != "yes" {
		return fault.New(fault.Denied, "cli.forget", "nothing was changed")
	}
	return nil
}

func (a *app) printForgotten(w io.Writer, f ledger.Forgotten) {
	verb := "forgot"
	if f.DryRun {
		verb = "would forget"
	}
	if len(f.Counts) == 0 {
		fmt.Fprintf(w, "%s nothing: the ledger does not hold it\n", verb)
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

// printLeft says where a text is still to be found.
func printLeft(w io.Writer, f ledger.Forgotten, text bool) {
	if !text {
		fmt.Fprintln(w, "its bytes are gone from the disk; summaries and memories may quote it")
		return
	}
	fmt.Fprintf(w, "searched %s of the ledger: %s left\n", chars.Plural(f.Searched, "file"), chars.Plural(len(f.Left), "place"))
	for _, l := range f.Left {
		fmt.Fprintf(w, "  %s: %s\n", oneLine(l.Place), oneLine(l.Why))
	}
	for _, l := range f.Outside {
		fmt.Fprintf(w, "not touched: %s: %s\n", oneLine(l.Place), oneLine(l.Why))
	}
}
