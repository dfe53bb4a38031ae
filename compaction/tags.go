package compaction

import (
	"fmt"
	"strings"

	"ctxledger.dev/internal/chars"
)

// tagged is a recorded text between tags of a prompt that it cannot close; nothing for nothing.
func tagged(tag, text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return fmt.Sprintf("<%s>\n%s\n</%s>\n\n", tag, chars.Untagged(text, closingTags), tag)
}

// closingTags is anything that a model may take for the end of a tag of a prompt.
var closingTags = chars.TagLike(false, "task", "document", "focus", "agent-notes", "change-log", "trace",
	"previous-summary", "conversation")
