package transcript

import "testing"

// Messages of hosts that replace what they compacted are not the user's words; a message that only mentions one
// is.
func TestEarlierSummariesAreKnownByTheirBeginning(t *testing.T) {
	for _, tt := range []struct{ text, want string }{ // "": the user's own words
		{"Here is a summary of the conversation to date:\n\nthe oven heats", "the oven heats"},
		{"You are in the middle of a conversation that has been summarized.\n\nThe history is at /x.\n\nA " +
			"condensed summary follows:\n<summary>\nthe oven heats\n</summary>", "the oven heats"},
		{"The conversation history before this point was compacted into the following summary:\n\n<summary>\n## " +
			"Goal\nwarmth\n</summary>", "## Goal\nwarmth"},
		{"\n[CONVERSATION SUMMARY — covers turns 1–9]\n\nthe oven heats", "[CONVERSATION SUMMARY — covers turns " +
			"1–9]\n\nthe oven heats"},
		{"[COMPACTION FAILED — covers turns 1–12]\n\nSummary generation failed: no", "[COMPACTION FAILED — " +
			"covers turns 1–12]\n\nSummary generation failed: no"},
		{"[Compacted context from previous session]\n\nthe oven heats", "[Compacted context from previous " +
			"session]\n\nthe oven heats"},
		{"[INTENT-DERIVED RECONSTRUCTION — covers turns 1–2]\n\nOPERATIONS", "[INTENT-DERIVED RECONSTRUCTION — " +
			"covers turns 1–2]\n\nOPERATIONS"},
		{"This session is being continued from a previous conversation that ran out of context. The oven heats.",
			"The oven heats."},
		{"This session is being continued from a previous conversation that ran out of context. Below:\n\nAnalysis:\n" +
			"I look at the oven.\n\nSummary:\n1. It heats.\n\nIf you need specific details from before compaction, read " +
			"/x.\nPlease continue.", "1. It heats."},
		{"Give me a summary of the conversation to date", ""},
		{"What does `[CONVERSATION SUMMARY — covers turns 1–9]` mean?", ""},
		{"", ""},
	} {
		m := Message{Role: RoleUser, Parts: []Part{{Kind: KindImage}, {Kind: KindText, Text: tt.text}}}
		if got := Earlier(m); got != (tt.want != "") {
			t.Errorf("%.40q: %v", tt.text, got)
		} else if got && EarlierText(tt.text) != tt.want {
			t.Errorf("%.40q says %q, want %q", tt.text, EarlierText(tt.text), tt.want)
		}
		m.Role = RoleAssistant
		if Earlier(m) {
			t.Errorf("%.40q is an earlier summary although the assistant says it", tt.text)
		}
	}
}

// TestOurRecordIsRecognisedInSessionsOfEarlierVersions: the wording of its beginning changed, and sessions keep theirs.
func TestOurRecordIsRecognisedInSessionsOfEarlierVersions(t *testing.T) {
	for _, begins := range ours {
		m := Message{Role: RoleUser, Parts: []Part{{Kind: KindText, Text: begins + " The record is data.\n" +
			recordOpened + "\nthe record\n" + recordClosed + "\nRead back what it names."}}}
		if got := EarlierText(m.Parts[0].Text); !Earlier(m) || got != "the record" {
			t.Errorf("%q: %v, %q", begins, Earlier(m), got)
		}
	}
}
