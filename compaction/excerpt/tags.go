package excerpt

import (
	"fmt"
	"strings"

	"ctxledger.dev/internal/chars"
)

// Tagged is a recorded text between tags of a prompt that it cannot close; nothing for nothing.
func Tagged(tag, text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return fmt.Sprintf("<%s>\n%s\n</%s>\n\n", tag, chars.Untagged(text, closing), tag)
}

// closing is anything that a model may take for the end of a tag of a prompt.
var closing = chars.TagLike(false, "task", "document", "focus", "agent-notes", "change-log", "trace",
	"previous-summary", "conversation")
