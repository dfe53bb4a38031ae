package transcript

import (
	"bytes"
	"encoding/json"

	"ctxledger.dev/internal/jsonspan"
)

// MessageIn returns the message that the original of an entry has at a span; the empty span is all of it. What stands
// there without a message around it becomes one of the user: the content of a message, or what a host has put together
// for the model.
func MessageIn(f Format, original []byte, at Span) []byte {
	if at.Empty() {
		return original
	}
	raw := at.In(original)
	if f != Anthropic || hasRole(raw) || !json.Valid(raw) {
		return raw
	}
	if raw[0] == '"' {
		return messageBytes(RoleUser, raw)
	}
	return messageBytes(RoleUser, joined("[", string(bytes.Join(loadedBlocks(raw, 0), []byte(","))), "]"))
}

// hasRole reports whether an object says who speaks, as every message does.
func hasRole(raw []byte) bool {
	w := jsonspan.New(raw, maxDepth)
	if w.Peek() != '{' {
		return false
	}
	for name := range w.Inside {
		if textAt(raw, name) == "role" {
			return true
		}
	}
	return false
}

// maxWrapped is how deep hosts wrap what they load.
const maxWrapped = 8

// loaded is an object of what a host loaded: a block, something around one, or an image as Claude Code keeps it.
type loaded struct {
	Type    string
	Content json.RawMessage
	File    struct{ Base64, Type json.RawMessage }
}

// loadedBlocks returns the blocks of what a host loaded: of a text, of blocks, or of an array of these or of objects that
// have them as their "content". Anything else is shown as it is, in the frame in which Claude Code shows what it loads.
func loadedBlocks(raw []byte, depth int) (out [][]byte) {
	var all []json.RawMessage
	var object, inside loaded
	switch {
	case raw[0] == '"':
		return [][]byte{textBlock("text", raw)}
	case raw[0] == '[' && depth < maxWrapped && json.Unmarshal(raw, &all) == nil:
		for _, x := range all {
			out = append(out, loadedBlocks(x, depth+1)...)
		}
		return out
	case raw[0] != '{' || json.Unmarshal(raw, &object) != nil:
	case object.Type == "image" && object.File.Base64 != nil && object.File.Type != nil:
		return [][]byte{joined(`{"type":"image","source":{"type":"base64","media_type":`, string(object.File.Type),
			`,"data":`, string(object.File.Base64), `}}`)}
	case object.Type == "text", object.Type == "image", object.Type == "document":
		return [][]byte{raw}
	case object.Content != nil && json.Unmarshal(object.Content, &inside) == nil && inside.Type == "image",
		object.Type == "" && object.Content != nil && depth < maxWrapped:
		return loadedBlocks(object.Content, depth+1)
	}
	return [][]byte{textBlock("text", quote("<system-reminder>\n"+string(raw)+"\n</system-reminder>"))}
}
