package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

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

// recoverFlags are the flags of the recover command.
type recoverFlags struct {
	answer string
	output outputFlags
	report ledger.OverflowRequest
}

func (a *app) recoverCommand() *cobra.Command {
	var f recoverFlags
	cmd := &cobra.Command{
		Use:   "recover --error FILE [SESSION|FILE]",
		Short: "Recover after a provider refused or truncated a request as too large",
		Long: "Reads a provider's answer, an error or a response with its usage, and takes the next step: it\n" +
			"learns the limit that the error names, compacts without a model, and if that is not enough, makes\n" +
			"a smaller copy of the request, which is not recorded. It says so if the answer is no overflow. The\n" +
			"session may be a file of messages, as for `ctxledger compact`. If nothing more can be done, the\n" +
			"exit status is 1.",
		Example: "  ctxledger recover --error error.json --status 400 --format messages chat.json\n" +
			"  curl … | ctxledger recover --error - --endpoint http://localhost:11434",
		Args: a.args(0, 1),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.answer, "error", "", "read the provider's answer from `FILE` (- is standard input)")
	flags.IntVar(&f.report.Status, "status", 0, "HTTP `STATUS` of the answer (default: not known)")
	flags.StringVar(&f.report.Model, "model", "", "`MODEL` of the request (default: that of the session)")
	flags.StringVar(&f.report.Provider, "provider", "",
		"provider `NAME` of the request; a limit is learned for provider, endpoint and model")
	flags.StringVar(&f.report.Endpoint, "endpoint", "", "`URL` of the server that the request went to")
	flags.IntVar(&f.report.MaxOutput, "max-output", 0, "the request asked for at most `TOKENS` of output")
	flags.IntVar(&f.report.NumCtx, "num-ctx", 0, "the request asked a local server for a context of `TOKENS`")
	flags.BoolVar(&f.report.Streamed, "streamed", false, "a part of the answer has reached the user")
	f.output.define(cmd, "text, json, or messages (what to send next)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(a.json); err != nil {
			return err
		}
		return a.asks(func(ctx context.Context, api ledger.API, args []string) error {
			return a.recover(ctx, api, strings.Join(args, ""), f)
		})(cmd, args)
	}
	return cmd
}

// check refuses flags that contradict each other.
func (f *recoverFlags) check(json bool) error {
	r := f.report
	switch {
	case f.answer == "":
		return misuse("give what the provider answered with --error FILE; - is standard input")
	case r.Status != 0 && (r.Status < 100 || r.Status > 599):
		return misuse("--status takes an HTTP status, from 100 to 599")
	case r.MaxOutput < 0 || r.NumCtx < 0:
		return misuse("--max-output and --num-ctx take numbers from 0 (not known)")
	}
	return f.output.check(json)
}

func (a *app) recover(ctx context.Context, api ledger.API, what string, f recoverFlags) error {
	body, err := a.readAnswer(f.answer)
	if err != nil {
		return err
	}
	s, err := a.sessionOf(ctx, api, what, f.output.wire)
	if err != nil {
		return err
	}
	got := overflow.Read(f.report.Status, body)
	r := f.report
	r.Session, r.Status, r.Finish, r.Usage = s.ID, got.Status, got.Finish, got.Usage
	r.Body = got.Body[:min(len(got.Body), maxErrorBody)]
	done, err := ledger.Recover(ctx, api, r, compaction.Options{})
	if err != nil {
		return err
	}
	if done.Advice.Action != overflow.GiveUp {
		return a.printRecovery(ctx, api, done, f.output.format)
	}
	gaveUp := fault.New(fault.TooLarge, "cli.recover", "%s", done.Advice.Say)
	if f.output.format != formatJSON {
		return gaveUp
	}
	return errors.Join(a.printRecovery(ctx, api, done, f.output.format), gaveUp)
}

// readAnswer reads what a provider answered.
func (a *app) readAnswer(name string) ([]byte, error) {
	in, _, err := a.input(name)
	if err != nil {
		return nil, err
	}
	defer in.Close() // only read
	body, err := io.ReadAll(io.LimitReader(in, maxAnswer+1))
	if err == nil && len(body) > maxAnswer {
		return nil, fault.New(fault.TooLarge, "cli.recover", "the answer has more than %d MiB", maxAnswer>>20)
	}
	return body, fault.Wrap(fault.Unavailable, "cli.recover", err)
}

func (a *app) printRecovery(ctx context.Context, api ledger.API, done ledger.Recovery, format string) error {
	switch {
	case format == formatJSON:
		return a.answerExact(done) // with the request to send
	case format == formatText:
		return a.writeMasked([]byte(a.recoveryText(done)))
	}
	a.say("%s", done.Next)
	if done.Messages != nil {
		return a.printArray(done.Messages)
	}
	return a.printMessages(ctx, api, done.Session, ledger.Reader{})
}

// recoveryText describes the failure of a request, what was learned from it, and what to do.
func (a *app) recoveryText(done ledger.Recovery) string {
	var b strings.Builder
	v := done.Verdict
	fmt.Fprintf(&b, "verdict    %s", v.Class)
	if v.Pattern != "" {
		fmt.Fprintf(&b, " (%s)", strings.TrimSpace(v.Pattern+" "+string(v.Confidence)))
	}
	if v.Limit > 0 {
		fmt.Fprintf(&b, ": %s of %s tokens", known(v.Actual), chars.Commas(v.Limit))
	}
	if v.Path != "" {
		fmt.Fprintf(&b, ", seen in %s", a.line(v.Path, columns.CellWidth))
	}
	if text := a.windowSource(&done.Window); text != "" {
		fmt.Fprintf(&b, "\nwindow     %s", text)
	}
	if done.Lesson == overflow.Higher {
		fmt.Fprintf(&b, "\nwindow     the error names more than is configured, %s tokens: "+
			"raise it under models in ctxledger.yaml if that is right", chars.Commas(v.Limit))
	}
	fmt.Fprintf(&b, "\nnext       %s\n", columns.OneLine(done.Next))
	return b.String()
}

func known(n int) string {
	if n == 0 {
		return "more"
	}
	return chars.Commas(n)
}

// windowSource describes the window that was learned from the provider's errors; "" if none was.
func (a *app) windowSource(w *ledger.Window) string {
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
