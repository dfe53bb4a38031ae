package cli

import (
	"context"

	"ctxledger.dev/compaction"
	"ctxledger.dev/ledger"
)

// modeAuto is the mode of compact that does what the policy asks for, and no more.
const modeAuto = "auto"

// compactAuto does what the policy asks for now, and says why, or why not.
func compactAuto(ctx context.Context, a *action, session string, f compactFlags) error {
	out, err := ledger.Auto(ctx, a.ledger, ledger.AutoRequest{
		EditViewRequest: ledger.EditViewRequest{Session: session, Reader: f.whose()},
		Options:         compaction.Options{Budget: f.budget, Keep: f.keep, Reasoning: f.author.reasoning},
	}, func(context.Context) (ledger.Author, string, error) { return openAuthor(a, "") })
	if err != nil {
		return err
	}
	switch {
	case f.output.messages:
		err = printMessages(ctx, a, session, f.whose())
	case a.json:
		err = a.answerJSON(out)
	case out.Action == ledger.AutoCompacted:
		err = printSummary(a, out.Compaction.Summary)
	}
	sayAuto(a, out)
	return err
}

// sayAuto says what was done, why, and what did not go as configured.
func sayAuto(a *action, out ledger.AutoResult) {
	if out.Fallback != "" {
		a.say("%s", out.Fallback)
	}
	if out.Compaction != nil {
		sayRun(a, out.Compaction.Summary.Run)
	}
	what := string(out.Action)
	if sizes := out.Sizes(); sizes != "" {
		what += ", " + sizes
	}
	a.say("session %s: %s: %s", out.Edited.Session, what, out.Why)
	if out.Action == ledger.AutoCompacted {
		a.hint("`ctxledger restore %s` undoes it", out.Compaction.Summary.ID)
	}
	if out.Edited.Warn {
		a.say("an agent of session %s is close to its compaction limit", out.Edited.Session)
	}
}
