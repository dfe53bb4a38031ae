package cli

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"ctxledger.dev/compaction"
	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/compaction/settings"
	"ctxledger.dev/engine/temporary"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/llm"
	"ctxledger.dev/trust"
)

// authorFlags say who writes the summary in the modes that do not leave it to the ledger.
type authorFlags struct {
	model     string
	summary   string
	reasoning bool
}

func (f *authorFlags) define(flags *pflag.FlagSet) {
	flags.StringVar(&f.model, "model", "", "have `MODEL` write it, instead of the configured model")
	flags.StringVar(&f.summary, "summary", "", "use the text in `FILE` (- is standard input) as the summary")
	flags.BoolVar(&f.reasoning, "reasoning", false, "include excerpts of the model's reasoning")
}

// check refuses flags that contradict each other.
func (f authorFlags) check(mode string) error {
	asks := compaction.Mode(mode).Asks()
	switch {
	case f.model != "" && !asks:
		return misuse("--model names the model that writes the summary: also give --mode %s",
			strings.Join(settings.ModeNames(true), " or --mode "))
	case f.summary != "" && !asks:
		return misuse("--summary needs mode %s, not %s", strings.Join(settings.ModeNames(true), " or "), mode)
	case f.summary != "" && f.model != "":
		return misuse("--summary and --model cannot be used together")
	}
	return nil
}

// maxSummary is the longest summary that is read from a file, in bytes.
const maxSummary = 1 << 20

// runCompaction plans and accepts a compaction, with a model or a supplied text where the mode wants one.
func runCompaction(
	ctx context.Context, a *action, r ledger.PlanCompactionRequest, f authorFlags,
) (ledger.CompactionPlan, error) {
	r.Options.Reasoning = f.reasoning
	if !r.Options.Mode.Asks() {
		return ledger.Compact(ctx, a.ledger, r, "", false)
	}
	if f.summary != "" {
		text, err := suppliedSummary(a, f.summary)
		if err != nil {
			return ledger.CompactionPlan{}, err
		}
		author := func(_ context.Context, b *compaction.Brief) (compaction.Answer, error) {
			return compaction.Supplied(b, text), nil
		}
		return ledger.CompactBy(ctx, a.ledger, r, "", false, author)
	}
	author, sections, err := openAuthor(a, f.model)
	if err != nil {
		return ledger.CompactionPlan{}, err
	}
	r.Options.Preset = sections
	return ledger.CompactBy(ctx, a.ledger, r, "", false, author)
}

// openAuthor returns the configured model as an author, and the sections of its summaries. It first asks the
// person at the terminal to confirm what a workspace configures.
func openAuthor(a *action, name string) (ledger.Author, string, error) {
	approved, err := trust.Confirm(a.Env, a.place, a.In, a.Err)
	if err != nil {
		return nil, "", err
	}
	model, err := llm.New(approved, a.Env, name)
	if err != nil {
		return nil, "", err
	}
	model.Died = func(said string) { sayDied(a, said) }
	write := model.Author()
	return func(ctx context.Context, b *compaction.Brief) (compaction.Answer, error) {
		ctx, stop := temporary.Interruptible(ctx) // a model's program is not left behind
		defer stop()
		a.say("asking %s for the summary of %s", llm.Place(model.Config()), layout.TurnRange(b.From, b.To))
		return write(ctx, b)
	}, model.Config().Sections, nil
}

// sayDied shows what a program wrote before it failed, if that is more than the one line in the error.
func sayDied(a *action, said string) {
	if !strings.Contains(strings.TrimSpace(said), "\n") {
		return
	}
	a.say("the program exited with:")
	for line := range strings.Lines(said) {
		a.say("  %s", strings.TrimSuffix(line, "\n"))
	}
}

// suppliedSummary reads a summary from a file.
func suppliedSummary(a *action, name string) (string, error) {
	raw, err := readInput(a, name, "summary", maxSummary)
	if err == nil && !utf8.Valid(raw) {
		err = fault.New(fault.Invalid, "cli.compact", "the summary is not UTF-8 text")
	}
	return string(raw), err
}

// sayRun says how a model's summary was made, and what it cost.
func sayRun(a *action, r *compaction.Run) {
	if r == nil {
		return
	}
	a.say("%s", r.String())
	if text := r.Corrections(); text != "" {
		a.say("%s", text)
	}
	if r.Calls > 0 {
		mark := ""
		if r.Estimated {
			mark = "≈"
		}
		input := r.Usage.Input + r.Usage.CacheRead + r.Usage.CacheWrite
		a.say("%[1]s: %[2]s%[3]s input, %[2]s%[4]s output tokens",
			chars.Plural(r.Calls, "request"), mark, chars.Commas(input), chars.Commas(r.Usage.Output))
	}
}
