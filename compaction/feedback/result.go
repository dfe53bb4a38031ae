package feedback

import (
	"encoding/json"
	"strings"

	"ctxledger.dev/intents"
)

// Result recognises the result of a call of the named tool that carries a decision of the user. failed says that the host
// marked the result as an error. Ordinary results, and errors that merely quote such a text, are reported as false.
func Result(name string, args json.RawMessage, result string, failed bool) (Feedback, bool) {
	tool := intents.PlainName(name)
	s := bare(result)
	if f, ok := fromJSON(tool, args, s, failed); ok {
		return f, true
	}
	if f, ok := fromText(s, failed, questionTools[tool] || planTools[tool]); ok {
		return completed(f, tool, args, s), true
	}
	if f, ok := runningCommand(s); ok {
		return f, true
	}
	if questionTools[tool] && !failed {
		if pairs := answers(args, s); len(pairs) > 0 {
			return Feedback{Kind: Answered, Pairs: pairs}, true
		}
	}
	return Feedback{}, false
}

// bare returns a result without what hosts put in front of a text of their own.
func bare(s string) string {
	s = strings.TrimSpace(s)
	line, rest, _ := strings.Cut(s, "\n")
	if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "] Result:") {
		s = strings.TrimSpace(rest)
	}
	if inside, ok := strings.CutPrefix(s, "<tool_use_error>"); ok {
		s = strings.TrimSuffix(inside, "</tool_use_error>")
	}
	return strings.TrimPrefix(s, "Error: ")
}

// fromText matches a result with the hosts' texts. asks says that the tool turns to the user, so that its results may
// be long.
func fromText(s string, failed, asks bool) (Feedback, bool) {
	short := failed || asks || len(s) <= shortBytes
	if len(s) < 60 && whole[strings.ToLower(strings.TrimRight(s, "."))] {
		return Feedback{Kind: Refused}, true
	}
	head := s[:min(len(s), headBytes)]
	for i := range texts {
		t := &texts[i]
		if strings.HasPrefix(s, t.begins) && (short || t.long) && containsAny(head, t.also) {
			return Feedback{Kind: t.kind, ByRule: t.byRule, Words: t.said(s)}, true
		}
	}
	return Feedback{}, false
}

// said returns the user's words in a result.
func (t *text) said(s string) string {
	for _, mark := range t.words {
		if _, said, ok := strings.Cut(s, mark); ok {
			return Words(before(said, t.until))
		}
	}
	return ""
}

// before cuts off a host's text: an end tag at its first occurrence, a sentence at its last.
func before(s string, tails []string) string {
	for _, tail := range tails {
		i := strings.LastIndex(s, tail)
		if tail[0] == '<' {
			i = strings.Index(s, tail)
		}
		if i >= 0 {
			s = s[:i]
		}
	}
	return strings.TrimSpace(s)
}

func containsAny(s string, all []string) bool {
	for _, sub := range all {
		if strings.Contains(s, sub) {
			return true
		}
	}
	return len(all) == 0
}

// completed adds the plan or the answers to what a text said.
func completed(f Feedback, tool string, args json.RawMessage, s string) Feedback {
	switch {
	case f.Kind == Approved && planTools[tool]:
		f.Plan, f.Edited = approvedPlan(args, s)
	case f.Kind == Refused && strings.Contains(f.Words, "Questions asked"):
		f.Words, f.Pairs = "", clarified(args, f.Words)
	}
	return f
}

// The headings under which Claude Code repeats an approved plan.
const (
	editedPlan   = "## Approved Plan (edited by user):\n"
	approvedHead = "## Approved Plan:\n"
)

// approvedPlan returns the plan that was approved, and whether the user edited it.
func approvedPlan(args json.RawMessage, s string) (plan string, edited bool) {
	var given struct{ Plan, Summary string }
	if len(args) <= jsonBytes {
		_ = json.Unmarshal(args, &given) // arguments of another shape hold no plan
	}
	if _, plan, ok := strings.Cut(s, editedPlan); ok {
		plan = strings.TrimSpace(plan)
		return plan, plan != strings.TrimSpace(given.Plan)
	}
	if _, plan, ok := strings.Cut(s, approvedHead); ok {
		return strings.TrimSpace(plan), false
	}
	if given.Plan == "" {
		given.Plan = given.Summary
	}
	return strings.TrimSpace(given.Plan), false
}

// runningCommand recognises what the user said about a command that Cline and Roo Code left running.
func runningCommand(s string) (Feedback, bool) {
	const said = "The user provided the following feedback:\n<feedback>"
	if !strings.HasPrefix(s, "Command is still running in the user's terminal.") {
		return Feedback{}, false
	}
	i := strings.LastIndex(s, said)
	if i < 0 {
		return Feedback{}, false
	}
	return Feedback{Kind: Answered, Words: Words(before(s[i+len(said):], feedbackEnd))}, true
}

// decision is what hosts put into JSON: Roo Code a status, Cursor what was rejected, Gemini CLI an approval.
type decision struct {
	Status    string
	Approved  *bool
	Rejected  *struct{ Reason string }
	Cancelled bool
	Dismissed bool
	Feedback  string
	Message   string
}

// fromJSON recognises a decision in a result that is a JSON object.
func fromJSON(tool string, args json.RawMessage, s string, failed bool) (Feedback, bool) {
	if !strings.HasPrefix(s, "{") || len(s) > jsonBytes || len(s) > shortBytes && !failed &&
		!questionTools[tool] && !planTools[tool] {
		return Feedback{}, false
	}
	var d decision
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(s), &object) != nil {
		return Feedback{}, false
	}
	_ = json.Unmarshal([]byte(s), &d) // fields of another shape stay empty
	switch {
	case d.Rejected != nil:
		return Feedback{Kind: Refused, Words: Words(d.Rejected.Reason)}, true
	case d.Status == "denied" && strings.HasPrefix(d.Message, "The user denied"):
		return Feedback{Kind: Refused, Words: Words(d.Feedback)}, true
	case d.Status == "approved" && strings.HasPrefix(d.Message, "The user approved"):
		return Feedback{Kind: Approved, Words: Words(d.Feedback)}, true
	case d.Approved != nil && planTools[tool]:
		f := Feedback{Kind: Refused, Words: Words(d.Feedback)}
		if *d.Approved {
			f.Kind = Approved
			f.Plan, f.Edited = approvedPlan(args, "")
		}
		return f, true
	case questionTools[tool] && (d.Cancelled || d.Dismissed):
		return Feedback{Kind: Refused, Pairs: answers(args, s)}, true
	}
	for _, key := range []string{"error", "output", "message", "content", "result"} {
		var inner string
		if json.Unmarshal(object[key], &inner) == nil {
			if f, ok := fromText(bare(inner), failed, planTools[tool]); ok {
				return completed(f, tool, args, inner), true
			}
		}
	}
	return Feedback{}, false
}
