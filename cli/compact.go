package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
)

// compactFlags are the flags of the compact command.
type compactFlags struct {
	mode   string
	budget int
	chars  int
	keep   int
	format string
}

func (a *app) compactCommand() *cobra.Command {
	var f compactFlags
	cmd := &cobra.Command{
		Use:   "compact [flags] [SESSION|FILE]",
		Short: "Replace the older part of a session by a summary, reversibly",
		Long: "Compacts a session, or a session file, which is imported first. Nothing is lost: `ctxledger restore`\n" +
			"prints the range that a summary stands for and takes the compaction back.",
		Example: "  ctxledger compact\n  ctxledger compact --budget 2000 --format text session.jsonl\n  ctxledger compact --format messages ab03de2c > messages.json",
		Args:    a.args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return a.compact(cmd, strings.Join(args, ""), f)
		},
	}
	cmd.Flags().StringVar(&f.mode, "mode", "intent", "intent (a document from the ledger) or window (drop the oldest turns)")
	cmd.Flags().IntVar(&f.budget, "budget", 0, "size of the summary in tokens; in window mode of the whole view")
	cmd.Flags().IntVar(&f.chars, "budget-chars", 0, "size of the summary in characters")
	cmd.Flags().IntVar(&f.keep, "keep", 0, "turns to keep verbatim")
	cmd.Flags().StringVar(&f.format, "format", "", "text (the summary alone), json, or messages (the new view)")
	return cmd
}

// check refuses flags that contradict each other.
func (f compactFlags) check() error {
	switch {
	case f.mode != string(compaction.Intent) && f.mode != string(compaction.Window):
		return usageError{fmt.Errorf("mode %q is not built in this version: use intent or window", f.mode)}
	case f.budget < 0 || f.chars < 0 || f.keep < 0:
		return usageError{fmt.Errorf("--budget, --budget-chars and --keep take positive numbers")}
	case f.budget > 0 && f.chars > 0:
		return usageError{fmt.Errorf("give --budget or --budget-chars, not both")}
	case f.format != "" && f.format != "text" && f.format != "json" && f.format != "messages":
		return usageError{fmt.Errorf("format %q is not known: use text, json or messages", f.format)}
	}
	return nil
}

func (a *app) compact(cmd *cobra.Command, what string, f compactFlags) error {
	ctx := cmd.Context()
	name := what
	if a.isFile(what) {
		var err error
		if name, err = a.loadFile(cmd, what); err != nil {
			return err
		}
	}
	s, err := a.session(ctx, name)
	if err != nil {
		return err
	}
	r := engine.PlanCompactionRequest{Session: s.ID, Options: compaction.Options{
		Mode: compaction.Mode(f.mode), Budget: f.budget, Keep: f.keep, Reason: "manual",
	}}
	if f.chars > 0 {
		if r.Options.Budget, err = a.charBudget(cmd, r, f.chars); err != nil {
			return err
		}
	}
	p, err := engine.Compact(ctx, a.ledger, r, "", false)
	if err != nil {
		return err
	}
	return a.printCompaction(cmd, p, f.format)
}

// isFile reports whether an argument names a file rather than a session.
func (a *app) isFile(what string) bool {
	if what == "" {
		return false
	}
	if !filepath.IsAbs(what) {
		what = filepath.Join(a.Env.Dir, what)
	}
	st, err := os.Stat(what)
	return err == nil && st.Mode().IsRegular()
}

// charBudget finds the budget in tokens whose summary has at most chars characters.
func (a *app) charBudget(cmd *cobra.Command, r engine.PlanCompactionRequest, chars int) (int, error) {
	const tries = 6
	r.Options.Budget = max(chars/3, 1)
	for range tries {
		p, err := engine.Compact(cmd.Context(), a.ledger, r, "", true)
		if err != nil || p.Outcome != compaction.Compacted {
			return r.Options.Budget, err
		}
		n := utf8.RuneCountInString(p.Summary.Text)
		if n <= chars {
			return r.Options.Budget, nil
		}
		r.Options.Budget = max(r.Options.Budget*chars/n*9/10, 1)
	}
	return 0, fault.New(fault.TooLarge, "cli.compact", "no summary of this session fits into %d characters", chars).
		WithHint("allow more with --budget-chars")
}

func (a *app) printCompaction(cmd *cobra.Command, p engine.CompactionPlan, format string) error {
	done := p.Outcome == compaction.Compacted
	if done {
		a.say("%s → %s tokens; summary %s stands for turns %d–%d of session %s", p.Summary.TokensBefore, p.Summary.TokensAfter,
			p.Summary.ID, p.Summary.TurnFrom, p.Summary.TurnTo, p.Session)
		a.hint("`ctxledger restore --apply %s` takes it back", p.Summary.ID)
	} else if !a.json && format != "json" {
		a.say("nothing was compacted: %s", p.Why)
	}
	switch {
	case format == "json" || a.json && format == "":
		a.json = true
		return a.answer(p, nil)
	case format == "messages":
		return a.printMessages(cmd, p.Session)
	case done:
		_, err := io.WriteString(a.raw(), strings.TrimRight(p.Summary.Text, "\n")+"\n")
		return fault.Wrap(fault.Unavailable, "cli.compact", err)
	}
	return nil
}

// printMessages prints the view as a JSON array, each message with its exact bytes.
func (a *app) printMessages(cmd *cobra.Command, session string) error {
	v, err := engine.Messages(cmd.Context(), a.ledger, engine.ViewRequest{Session: session})
	if err != nil {
		return err
	}
	w := a.raw()
	for i, m := range v.Messages {
		sep := ",\n"
		if i == 0 {
			sep = "[\n"
		}
		if _, err := fmt.Fprintf(w, "%s%s", sep, m.JSON); err != nil {
			return fault.Wrap(fault.Unavailable, "cli.compact", err)
		}
	}
	if len(v.Messages) == 0 {
		fmt.Fprint(w, "[")
	}
	_, err = fmt.Fprintln(w, "\n]")
	return fault.Wrap(fault.Unavailable, "cli.compact", err)
}
