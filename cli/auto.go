package cli

import (
	"context"
	"strings"

	"ctxledger.dev/compaction"
	"ctxledger.dev/ledger"
)

// modeAuto is the mode of compact that does what the policy asks for, and no more.
const modeAuto = "auto"

// auto does what the policy asks for now, and says why, or why not.
func (a *app) auto(ctx context.Context, api ledger.API, session string, f compactFlags) error {
	out, err := ledger.Auto(ctx, api, ledger.AutoRequest{
		EditViewRequest: ledger.EditViewRequest{Session: session, Reader: f.reader()},
		Options:         compaction.Options{Budget: f.budget, Keep: f.keep, Reasoning: f.author.reasoning},
	}, func(context.Context) (ledger.Author, string, error) { return a.openAuthor("") })
	if err != nil {
		return err
	}
	a.sayAuto(out)
	switch f.output.format {
	case formatJSON:
		return a.answerJSON(out)
	case formatMessages:
		return a.printMessages(ctx, api, session, f.reader())
	}
	if out.Action == ledger.AutoCompacted {
		return a.writeMasked([]byte(strings.TrimRight(out.Compaction.Summary.Text, "\n") + "\n"))
	}
	return nil
}

// sayAuto says what was done, why, and what did not go as configured.
func (a *app) sayAuto(out ledger.AutoResult) {
	if out.Fallback != "" {
		a.say("%s", out.Fallback)
	}
	if out.Compaction != nil {
		a.sayRun(out.Compaction.Summary.Run)
	}
	what := string(out.Action)
	if sizes := out.Sizes(); sizes != "" {
		what += ", " + sizes
	}
	a.say("session %s: %s: %s", out.Edited.Session, what, out.Why)
	if out.Action == ledger.AutoCompacted {
		a.hint("`ctxledger restore --apply %s` undoes it", out.Compaction.Summary.ID)
	}
	if out.Edited.Warn {
		a.say("an agent of session %s nears the input at which it is compacted", out.Edited.Session)
	}
}
