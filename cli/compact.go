package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"ctxledger.dev/agents"
	"ctxledger.dev/compaction"
	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/compaction/settings"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// The formats of answers with messages.
const (
	formatText     = "text"
	formatJSON     = "json"
	formatMessages = "messages"
)

// outputFlags are the flags of the commands that read and print messages.
type outputFlags struct {
	format string // "" before check: the default
	wire   string // format of the messages in a file; "": recognised
}

func (f *outputFlags) define(cmd *cobra.Command, formats string) {
	cmd.Flags().StringVar(&f.format, "format", "", "`FORMAT`: "+formats+" (default text)")
	cmd.Flags().StringVar(&f.wire, "messages", "",
		"FILE holds messages in `FORMAT`, one of "+transcript.FormatNames()+" (default: recognised)")
}

// check sets the default format, and refuses unknown formats.
func (f *outputFlags) check(json bool) error {
	switch {
	case f.wire != "" && !slices.Contains(transcript.Formats(), transcript.Format(f.wire)):
		return misuse("there is no format of messages %q: use one of %s", f.wire, transcript.FormatNames())
	case json && f.format == formatText:
		return misuse("give --json or --format text, not both")
	case f.format == "" && json:
		f.format = formatJSON
	case f.format == "":
		f.format = formatText
	case !slices.Contains([]string{formatText, formatJSON, formatMessages}, f.format):
		return misuse("there is no format %q: use text, json or messages", f.format)
	}
	return nil
}

// compactFlags are the flags of the compact command.
type compactFlags struct {
	mode   string
	budget int
	chars  int
	keep   int
	agent  string
	resume bool
	dir    string // with resume: where the session goes on
	output outputFlags
	author authorFlags
}

func (a *app) compactCommand() *cobra.Command {
	var f compactFlags
	cmd := &cobra.Command{
		Use:   "compact [SESSION|FILE]",
		Short: "Replace the older part of a session by a summary, reversibly",
		Long: "Compacts a session, or a file, which is imported first: an agent's session file, or the messages\n" +
			"of a conversation as a JSON array. Nothing is lost: `ctxledger restore` prints the range that a\n" +
			"summary replaces, or undoes the compaction. --mode auto does only what is due by the policy\n" +
			"(`context` in ctxledger.yaml): nothing, a step of edits, or a compaction; the answer says why.\n" +
			"--resume writes what remains as a new session of the agent, see docs/resume.md.",
		Example: "  ctxledger compact\n  ctxledger compact --budget 2000 session.jsonl\n" +
			"  ctxledger compact --format messages ab03de2c > messages.json\n" +
			"  ctxledger compact --resume",
		Args: a.args(0, 1),
	}
	cmd.Flags().StringVar(&f.mode, "mode", string(compaction.Intent), "`MODE`: "+
		strings.Join(settings.DescribeModes(func(names []string, says string) string {
			return strings.Join(names, " or ") + " (" + says + ")"
		}), ", ")+", auto (only what is due now); see docs/configuration.md")
	cmd.Flags().IntVar(&f.budget, "budget", 0, "at most `TOKENS` for the summary; in window mode for the whole view")
	cmd.Flags().IntVar(&f.chars, "budget-chars", 0, "at most `N` characters for the summary")
	cmd.Flags().IntVar(&f.keep, "keep", 0, "keep `N` turns verbatim")
	cmd.Flags().StringVar(&f.agent, "agent", "", "the view of agent `NAME`, by its settings under agents in ctxledger.yaml")
	cmd.Flags().BoolVar(&f.resume, "resume", false, "write a new session file of the agent, and print the command that goes "+
		"on with it; the old session stays as it is")
	cmd.Flags().StringVar(&f.dir, "dir", "", "with --resume: go on in `DIRECTORY` (default: where the session ran)")
	f.author.define(cmd)
	f.output.define(cmd, "text (only the summary), json, or messages (the new view)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if f.author.summary != "" && !cmd.Flags().Changed("mode") {
			f.mode = string(compaction.LLM)
		}
		if err := f.check(a.json); err != nil {
			return err
		}
		return a.asks(func(ctx context.Context, api ledger.API, args []string) error {
			return a.compact(ctx, api, strings.Join(args, ""), f)
		})(cmd, args)
	}
	return cmd
}

// check refuses flags that contradict each other.
func (f *compactFlags) check(json bool) error {
	switch {
	case compaction.Mode(f.mode).Refused() != "":
		return misuse("mode %s %s: use intent, or hybrid with a model", f.mode, compaction.Mode(f.mode).Refused())
	case f.mode != modeAuto && !compaction.Mode(f.mode).Offered():
		return misuse("there is no mode %q: use %s or %s", f.mode,
			strings.Join(settings.ModeNames(false), ", "), modeAuto)
	case f.chars > 0 && f.mode == modeAuto:
		return misuse("--budget-chars does not work in mode auto: give --budget")
	case f.chars > 0 && compaction.Mode(f.mode).Asks():
		return misuse("--budget-chars would ask a model repeatedly in mode %s: give --budget", f.mode)
	case f.resume && (f.mode == modeAuto || f.chars > 0 || f.output.format != ""):
		return misuse("--resume does not go with --mode auto, --budget-chars or --format")
	case f.dir != "" && !f.resume:
		return misuse("--dir needs --resume")
	case f.budget < 0 || f.chars < 0 || f.keep < 0:
		return misuse("--budget, --budget-chars and --keep take numbers from 0 (ctxledger decides)")
	case f.budget > 0 && f.chars > 0:
		return misuse("give --budget or --budget-chars, not both")
	}
	if err := f.output.check(json); err != nil {
		return err
	}
	return f.author.check(f.mode)
}

func (a *app) compact(ctx context.Context, api ledger.API, what string, f compactFlags) error {
	s, err := a.sessionOf(ctx, api, what, f.output.wire)
	if err != nil {
		return err
	}
	if f.resume {
		return a.compactToFile(ctx, api, s, f)
	}
	if f.mode == modeAuto {
		return a.auto(ctx, api, s.ID, f)
	}
	r := ledger.PlanCompactionRequest{Session: s.ID, Reader: f.reader(), Options: compaction.Options{
		Mode: compaction.Mode(f.mode), Budget: f.budget, Keep: f.keep, Reason: compaction.Manual,
	}}
	if f.chars > 0 {
		if r.Options.Budget, err = charBudget(ctx, api, r, f.chars); err != nil {
			return err
		}
	}
	p, err := a.compacted(ctx, api, r, f.author)
	if err != nil {
		return err
	}
	return a.printCompaction(ctx, api, p, f)
}

// reader says whose view it is.
func (f *compactFlags) reader() ledger.Reader { return ledger.Reader{Agent: f.agent} }

// sessionOf returns the session that an argument names. A file it first reads into the ledger.
func (a *app) sessionOf(ctx context.Context, api ledger.API, what, wire string) (s sessions.Session, err error) {
	switch isFile := what != "" && a.isFile(what); {
	case isFile:
		file := what
		if what, err = a.conversation(ctx, api, file, wire); err == nil && what == "" {
			var r agents.Report
			r, err = a.importFile(ctx, api, file)
			what = r.Session
		}
	case wire != "":
		err = misuse("--messages needs a file of messages: name one")
	}
	if err != nil {
		return s, err
	}
	return a.session(ctx, what)
}

// isFile reports whether an argument names a file rather than a session.
func (a *app) isFile(name string) bool {
	st, err := os.Stat(a.absolute(name))
	return err == nil && st.Mode().IsRegular()
}

// charBudget finds a budget in tokens whose summary has at most so many characters, and not many fewer.
func charBudget(ctx context.Context, api ledger.Shrinker, r ledger.PlanCompactionRequest, most int) (int, error) {
	const (
		perToken = 3  // characters: what a token of a summary has at least, as a rule
		enough   = 97 // percent of the characters
	)
	why, fits := "", 0
	tooMuch := max(most/perToken, 1) + 1
	for budget := tooMuch - 1; budget > fits && budget < tooMuch; {
		r.Options.Budget = budget
		p, err := ledger.Compact(ctx, api, r, "", true)
		if err != nil {
			return 0, err
		}
		if p.Outcome == compaction.DoesNotFit {
			why = p.Why
			break
		}
		got := utf8.RuneCountInString(strings.TrimRight(p.Summary.Text, "\n")) + 1 // with the end of its last line
		switch {
		case p.Outcome != compaction.Compacted || got <= most && got >= most*enough/100:
			return budget, nil
		case got <= most:
			fits = budget
		default:
			tooMuch = budget
			why = fmt.Sprintf("the shortest that was found has %s", chars.Commas(got))
		}
		if budget = max(budget*most/got, 1); budget <= fits || budget >= tooMuch {
			budget = (fits + tooMuch) / 2
		}
	}
	if fits > 0 {
		return fits, nil
	}
	return 0, fault.New(fault.TooLarge, "cli.compact", "no summary of this session fits into %s characters: %s",
		chars.Commas(most), why).
		WithHint("allow more with --budget-chars")
}

func (a *app) printCompaction(ctx context.Context, api ledger.API, p ledger.CompactionPlan, f compactFlags) error {
	switch p.Outcome {
	case compaction.Compacted:
		a.say("%s; summary %s replaces %s of session %s", p.Summary.Became(), p.Summary.ID,
			layout.TurnRange(p.Summary.TurnFrom, p.Summary.TurnTo), p.Session)
		a.sayRun(p.Summary.Run)
		a.hint("`ctxledger restore --apply %s` undoes it", p.Summary.ID)
	case compaction.NothingToDo:
		a.say("session %s was not compacted: %s", p.Session, p.Why)
	default:
		a.sayRun(p.Summary.Run)
		return fault.New(fault.Conflict, "cli.compact", "session %s was not compacted: %s", p.Session, p.Why)
	}
	switch {
	case f.output.format == formatJSON:
		return a.answerJSON(p)
	case f.output.format == formatMessages:
		return a.printMessages(ctx, api, p.Session, f.reader())
	case p.Outcome == compaction.Compacted:
		return a.writeMasked([]byte(strings.TrimRight(p.Summary.Text, "\n") + "\n"))
	}
	return nil
}

// printMessages prints the view as a JSON array, each message with its exact bytes, or what of it the user allows to be
// sent.
func (a *app) printMessages(ctx context.Context, api ledger.API, session string, of ledger.Reader) error {
	next, err := ledger.Request(ctx, api, ledger.ViewRequest{Session: session, Reader: of}, "")
	if err != nil {
		return err
	}
	if next.Trimmed != nil {
		a.say("a trimmed copy, since the view is larger than the settings allow: %s", next.Trimmed.Words())
	}
	return a.printArray(next.Messages)
}

// printArray prints messages as a JSON array, each with its exact bytes.
func (a *app) printArray(messages [][]byte) (err error) {
	w := a.raw()
	sep := "["
	for _, m := range messages {
		if _, err := fmt.Fprintf(w, "%s\n%s", sep, m); err != nil {
			return fault.Wrap(fault.Unavailable, "cli.compact", err)
		}
		sep = ","
	}
	if len(messages) == 0 {
		_, err = fmt.Fprintln(w, "[]")
	} else {
		_, err = fmt.Fprintln(w, "\n]")
	}
	if err == nil {
		err = w.Close()
	}
	return fault.Wrap(fault.Unavailable, "cli.compact", err)
}
