package shellcmd

import (
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/pattern"
)

// rejection is what a host writes where the user refused a call; the user's own words may follow.
var rejection = pattern.Lazy(`The user doesn't want to proceed with this tool use\. The tool use was rejected \([^)]*\)\.\s*` +
	`(?:STOP what you are doing and wait for the user[^.…]*[.…]|To tell you how to proceed, the user said:)?\s*`)

// BareOutput returns what a tool printed, or what the user said instead of letting it run, without the text
// that hosts add.
func BareOutput(text string) string {
	text = rejection().ReplaceAllString(chars.Strip(text), "rejected by the user: ")
	text = strings.TrimSpace(hostNoise().ReplaceAllString(text, ""))
	if text == "rejected by the user:" {
		text = "rejected by the user"
	}
	return text
}

// hostNoise is what hosts put around a result's text, not the tool.
var hostNoise = pattern.Lazy(`^\s*(?:Error: )?Exit code \d+\s*|</?(?:tool_use_error|persisted-output|system-reminder)>|` +
	`^\((?:Bash|Tool|Command)[^)]*no output\)$|^\[This command modified .*`)
