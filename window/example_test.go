package window_test

import (
	"fmt"

	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

func ExamplePlan() {
	log := []sessions.Entry{
		{Seq: 1, Kind: sessions.KindMessage, Role: transcript.RoleUser, Prompt: true},
		{Seq: 2, Kind: sessions.KindMessage, Role: transcript.RoleAssistant, Group: "m",
			Calls: []sessions.Call{{ID: "a"}}},
		{Seq: 3, Kind: sessions.KindMessage, Role: transcript.RoleAssistant, Group: "m",
			Calls: []sessions.Call{{ID: "b"}}},
		{Seq: 4, Kind: sessions.KindMessage, Role: transcript.RoleTool, Results: []sessions.Result{{CallID: "b"}}},
		{Seq: 5, Kind: sessions.KindMessage, Role: transcript.RoleTool, Results: []sessions.Result{{CallID: "a"}}},
	}
	for _, s := range window.Plan(window.Input{Entries: log}).Slots {
		fmt.Println(s.Role, s.Seqs)
	}
	// Output:
	// user [1]
	// assistant [2 3]
	// tool [5 4]
}
