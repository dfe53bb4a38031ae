package ledger

import (
	"encoding/json"
	"fmt"
	"strings"

	"ctxledger.dev/internal/chars"
)

// Words describes an event's payload in a line. It is "" for an event without one, or of an unknown kind.
func (e Event) Words() string {
	words := descriptions[e.Kind]
	if e.Data == nil || words == nil {
		return ""
	}
	return words(e.Data)
}

// descriptions has a function for each kind that describes its payload.
var descriptions = map[string]func(json.RawMessage) string{
	EventCompaction:    describe(CompactionMade.words),
	EventSkipped:       describe(CompactionSkipped.words),
	EventSuppressed:    describe(func(d CompactionSuppressed) string { return d.Why }),
	EventFailed:        describe(CompactionFailed.words),
	EventRestore:       describe(CompactionRestored.words),
	EventCleared:       describe(EditsMade.words),
	EventTruncated:     describe(EditsMade.words),
	EventTrimmedInTurn: describe(EditsMade.words),
	EventBudgetWarn:    describe(BudgetWarning.String),
	EventCutover:       describe(BudgetWarning.String),
	EventCapWarning:    describe(CapWarning.words),
	EventFiltered:      describe(ViewFiltered.words),
	EventRepaired:      describe(ViewRepaired.words),
	EventLayerError:    describe(LayerError.words),
	EventOverflow:      describe(ContextOverflow.words),
	EventWindowLearned: describe(WindowLearned.words),
	EventTrimmed:       describe(RequestTrimmed.words),
	EventAssembly:      describe(ContextAssembly.words),
}

// describe returns a function that decodes a payload and describes it, "" for one that cannot be decoded.
func describe[T any](words func(T) string) func(json.RawMessage) string {
	return func(raw json.RawMessage) string {
		var data T
		if json.Unmarshal(raw, &data) != nil {
			return ""
		}
		return words(data)
	}
}

// words formats sizes: "120,000 → 30,000 tokens", with ≈ for estimates.
func (s Sizes) words() string {
	mark := ""
	if s.Estimate {
		mark = "≈"
	}
	return fmt.Sprintf("%[1]s%[2]s → %[1]s%[3]s tokens", mark, chars.Commas(s.Before), chars.Commas(s.After))
}

// words formats a cost, with a leading semicolon; "" for none.
func (c *Cost) words() string {
	if c == nil {
		return ""
	}
	out := fmt.Sprintf("; %s to a model, %s input and %s output tokens", chars.Plural(c.Calls, "request"),
		chars.Commas(c.Usage.Prompt()),
		chars.Commas(int(c.Usage.Output)))
	if c.Dollars != nil {
		out += ", " + chars.Money(*c.Dollars, true)
	}
	return out
}

func (d CompactionMade) words() string {
	out := fmt.Sprintf("%s: %s, turns %d–%d, mode %s%s", d.Reason, d.Sizes.words(), d.FromTurn, d.ToTurn, d.ModeUsed,
		d.Cost.words())
	return strings.TrimPrefix(out, ": ")
}

func (d CompactionSkipped) words() string {
	return strings.TrimPrefix(fmt.Sprintf("%s: %s: %s%s", d.Reason, d.Outcome, d.Why, d.Cost.words()), ": ")
}

func (d CompactionFailed) words() string {
	return fmt.Sprintf("mode %s: %s: %s; the deterministic document is kept%s", d.Mode, d.Class, d.Why, d.Cost.words())
}

func (d ContextAssembly) words() string {
	out := fmt.Sprintf("for %s: %s in %s characters", d.Agent, chars.Plural(d.Artifacts, "source"),
		chars.Commas(d.ContextChars))
	if len(d.Empty) > 0 {
		out += "; empty: " + strings.Join(d.Empty, ", ")
	}
	return out
}

func (d CompactionRestored) words() string { return d.Sizes.words() }

func (d EditsMade) words() string {
	passes := make([]string, len(d.Passes))
	for i, p := range d.Passes {
		passes[i] = fmt.Sprintf("%d × %s", p.Count, p.Pass)
	}
	s := Sizes{d.Before, d.After, d.Estimate}
	return fmt.Sprintf("%s: %s, %s freed, %s written to the cache again: %s", d.Reason, s.words(),
		chars.Commas(d.Freed), chars.Commas(d.Rewritten), strings.Join(passes, ", "))
}

// String returns the warning in a sentence.
func (d BudgetWarning) String() string {
	if d.Spent != nil {
		return d.Spent.String()
	}
	who := "the conversation"
	if d.Agent != "" {
		who = "agent " + d.Agent
	}
	if d.Reason == ReasonResumed {
		held := chars.Commas(d.Held)
		if d.Estimate {
			held = "≈" + held
		}
		return fmt.Sprintf("%s was resumed after a pause in which its provider's cache has probably expired: its window holds %s "+
			"tokens, and the first request after it pays for all of them again", who, held)
	}
	if d.Turn > 0 {
		return fmt.Sprintf("%s: %s tokens of input in one turn, the limit is %s", who, chars.Commas(d.Turn),
			chars.Commas(d.CutoverAt))
	}
	text := fmt.Sprintf("%s: %s tokens of input since the last compaction", who, chars.Commas(d.Input))
	if d.WarnAt > 0 {
		text += ", warn_at is " + chars.Commas(d.WarnAt)
	}
	if d.CutoverAt > 0 {
		text += ", cutover_at is " + chars.Commas(d.CutoverAt)
	}
	return text
}

func (d CapWarning) words() string {
	return fmt.Sprintf("%d messages are shown; the limit is %d", d.Count, d.Cap)
}

func (d ViewFiltered) words() string {
	return fmt.Sprintf("%d of %d messages are shown", d.After, d.Before)
}

func (d ViewRepaired) words() string {
	return fmt.Sprintf("placeholder results added: %d; left out: %d calls, %d results", d.Synthesised, d.DroppedCalls,
		d.DroppedResults)
}

func (d LayerError) words() string {
	return fmt.Sprintf("pass %s left entry %d as it is: %s", d.Layer, d.Entry, d.Error)
}

func (d ContextOverflow) words() string {
	out := fmt.Sprintf("%s (%s): %s", d.Class, d.Pattern, d.Action)
	if d.Limit > 0 {
		out += fmt.Sprintf("; %s of %s tokens", chars.Commas(d.Actual), chars.Commas(d.Limit))
	}
	if d.OutputCap > 0 {
		out += fmt.Sprintf("; ask for at most %s tokens of output", chars.Commas(d.OutputCap))
	}
	return out
}

func (d WindowLearned) words() string {
	return fmt.Sprintf("%s: window %s → %s (%s, the error names %s)", d.Model, chars.Commas(d.Old),
		chars.Commas(d.New), d.Lesson, chars.Commas(d.Named))
}

func (d RequestTrimmed) words() string {
	return fmt.Sprintf("stage %d: %s → %s characters in a copy", d.Stage, chars.Commas(d.Before), chars.Commas(d.After))
}
