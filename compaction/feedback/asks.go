package feedback

import (
	"encoding/json"

	"ctxledger.dev/intents"
)

// Asks reports whether a tool turns to the user: its results carry decisions however they ended.
func Asks(name string) bool {
	plain := intents.PlainName(name)
	return questionTools[plain] || planTools[plain]
}

// PlanOf returns the plan that a call proposes to the user, "" if it proposes none.
func PlanOf(name string, args json.RawMessage) string {
	var given struct{ Plan string }
	if !Plans(name) || json.Unmarshal(args, &given) != nil {
		return ""
	}
	return given.Plan
}

// Plans reports whether a tool asks the user to approve a plan.
func Plans(name string) bool { return planTools[intents.PlainName(name)] }
