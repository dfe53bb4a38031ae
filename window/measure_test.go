package window

import (
	"strings"
	"testing"

	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// What is shown is measured against the whole part, whatever was shown of it before.
func TestAnEditOfAnEditedPartIsMeasuredExactly(t *testing.T) {
	text := strings.Repeat("word ", 1000)
	m := transcript.Message{Role: transcript.RoleTool,
		Parts: []transcript.Part{{Kind: transcript.KindResult, ID: "c", Text: text}}}
	of := &sessions.Entry{Results: []sessions.Result{{CallID: "c", Tokens: textTokens(text)}}}
	capped, smaller := Measure(Edit{Call: "c", Part: PartResult, Head: 1000, Text: markFilter,
		Before: textTokens(text)}, of, m)
	shown, _ := capped.Apply(m.Parts[0])
	if !smaller || capped.Tokens != textTokens(shown) {
		t.Errorf("capped: %d tokens, %d are shown", capped.Tokens, textTokens(shown))
	}
	hidden, smaller := Measure(Edit{Call: "c", Part: PartResult, Text: markResult, Before: capped.Tokens}, of, m)
	if !smaller || hidden.Tokens != textTokens(markResult) {
		t.Errorf("hidden: %d tokens, the marker has %d", hidden.Tokens, textTokens(markResult))
	}
	if _, smaller := Measure(Edit{Call: "c", Part: PartResult, Head: 2000, Text: markFilter, Before: capped.Tokens},
		of, m); smaller {
		t.Error("an edit that shows more than before passes for one that shows less")
	}
}
