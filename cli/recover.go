package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/window/overflow"
)

// Bounds of what is read of a provider's answer.
const (
	maxAnswer    = 16 << 20  // bytes of a successful one, whose usage may be at its end
	maxErrorBody = 256 << 10 // bytes of a failed one
)

// recoverFlags are the options of the recover command.
type recoverFlags struct {
	answer string
	output messagesFlags
	report ledger.OverflowRequest
}

func recoverCommand() command {
	var f recoverFlags
	return command{
		name: "recover", args: "[SESSION|FILE]", rank: hidden,
		short: "Recover after a provider refused or truncated a request",
		long: "Reads a provider's answer, an error or a response with its usage, and takes the next step: it " +
			"learns the limit that the error names, compacts without a model, and if that is not enough, makes " +
			"a smaller copy of the request, which is not recorded. It says so if nothing overflowed. The " +
			"session may be a file of messages, as for `ctxledger compact`. If nothing more can be done, the " +
			"exit status is 1. Limits are learned per provider, endpoint and model.",
		example: "ctxledger recover --error error.json --status 400 --messages chat.json",
		does:    undoable, undo: "it compacts", json: answers(ledger.Recovery{}),
		flags: func(fs *pflag.FlagSet) {
			fs.StringVar(&f.answer, "error", "", "the provider's answer is in `FILE` (- is standard input)")
			fs.IntVar(&f.report.Status, "status", 0, "HTTP `STATUS` of the answer")
			fs.StringVar(&f.report.Model, "model", "", "`MODEL` of the request (default: the session's)")
			fs.StringVar(&f.report.Provider, "provider", "", "provider `NAME` of the request")
			fs.StringVar(&f.report.Endpoint, "endpoint", "", "`URL` of the server that the request went to")
			fs.IntVar(&f.report.MaxOutput, "max-output", 0, "the request asked for at most `TOKENS` of output")
			fs.IntVar(&f.report.NumCtx, "num-ctx", 0, "the request asked a local server for a context of `TOKENS`")
			fs.BoolVar(&f.report.Streamed, "streamed", false, "part of the answer has already reached the user")
			f.output.define(fs, "what to send next")
		},
		check: func(*action, []string) error { return f.check() },
		ask:   f.recover,
	}
}

// check refuses options that contradict each other.
func (f *recoverFlags) check() error {
	r := f.report
	switch {
	case f.answer == "":
		return misuse("give the provider's answer with --error FILE; - is standard input")
	case r.Status != 0 && (r.Status < 100 || r.Status > 599):
		return misuse("--status takes an HTTP status, from 100 to 599")
	case r.MaxOutput < 0 || r.NumCtx < 0:
		return misuse("--max-output and --num-ctx take 0 (not known) or more")
	}
	return f.output.check()
}

// recover runs the command.
func (f *recoverFlags) recover(ctx context.Context, a *action, args []string) error {
	body, err := readInput(a, f.answer, "answer", maxAnswer)
	if err != nil {
		return err
	}
	s, err := sessionOf(ctx, a, strings.Join(args, ""), f.output.format)
	if err != nil {
		return err
	}
	got := overflow.Read(f.report.Status, body)
	r := f.report
	r.Session, r.Status, r.Finish, r.Usage = s.ID, got.Status, got.Finish, got.Usage
	r.Body = got.Body[:min(len(got.Body), maxErrorBody)]
	done, err := ledger.Recover(ctx, a.ledger, r, compaction.Options{})
	if err != nil {
		return err
	}
	if done.Advice.Action != overflow.GiveUp {
		return printRecovery(ctx, a, done, f.output.messages)
	}
	gaveUp := fault.New(fault.TooLarge, "cli.recover", "%s", done.Advice.Say)
	if !a.json || f.output.messages {
		return gaveUp
	}
	return errors.Join(printRecovery(ctx, a, done, f.output.messages), gaveUp)
}

func printRecovery(ctx context.Context, a *action, done ledger.Recovery, messages bool) error {
	switch {
	case messages:
	case a.json:
		return a.answerExact(done) // with the request to send
	default:
		return a.writeMasked([]byte(recoveryText(a, done)))
	}
	a.say("%s", done.Next)
	if done.Messages != nil {
		return printArray(a, done.Messages)
	}
	return printMessages(ctx, a, done.Session, ledger.Reader{})
}

// recoveryText describes the failure of a request, what was learned from it, and what to do.
func recoveryText(a *action, done ledger.Recovery) string {
	var b chars.Prose
	v := done.Verdict
	b.Say("verdict    %s", v.Class)
	b.SayIf(v.Pattern != "", " (%s)", strings.TrimSpace(v.Pattern+" "+string(v.Confidence)))
	b.SayIf(v.Limit > 0, ": %s of %s tokens", known(v.Actual), chars.Commas(v.Limit))
	b.SayIf(v.Path != "", ", seen in %s", a.line(v.Path, columns.CellWidth))
	window := windowSource(a, &done.Window)
	b.SayIf(window != "", "\nwindow     %s", window)
	b.SayIf(done.Lesson == overflow.Higher, "\nwindow     the error gives a larger window than is configured, %s tokens: "+
		"raise it under models in ctxledger.yaml if that is right", chars.Commas(v.Limit))
	b.Say("\nnext       %s\n", columns.OneLine(done.Next))
	return b.String()
}

func known(n int) string {
	if n == 0 {
		return "more"
	}
	return chars.Commas(n)
}

// windowSource describes the window that was learned from the provider's errors; "" if none was.
func windowSource(a *action, w *ledger.Window) string {
	if w == nil || w.Learned == nil {
		return ""
	}
	text := fmt.Sprintf("%s tokens, learned on %s from the provider's error (%s)",
		chars.Commas(w.Tokens), w.Learned.Seen.Format("2006-01-02"), w.Learned.Pattern)
	if w.Learned.Endpoint != "" {
		text += " at " + a.line(w.Learned.Endpoint, columns.CellWidth)
	}
	if w.Profile > 0 {
		text += fmt.Sprintf("; %s are configured", chars.Commas(w.Profile))
	}
	return text
}
