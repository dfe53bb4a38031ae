package feedback

import "ctxledger.dev/intents"

// Asks reports whether a tool turns to the user: its results carry decisions however they ended.
func Asks(name string) bool {
	plain := intents.PlainName(name)
	return questionTools[plain] || planTools[plain]
}

// Plans reports whether a tool asks the user to approve a plan.
func Plans(name string) bool { return planTools[intents.PlainName(name)] }
