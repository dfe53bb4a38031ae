package transcript

import (
	"slices"

	"ctxledger.dev/internal/fault"
)

// Recognise returns the format of messages, recognised by what only one format has. likely are formats to prefer
// where several fit, such as that of the messages before. Plain messages ({"role": "user", "content": "…"}) mean the
// same in every format that they fit: the first of the table is returned. The error is invalid when no format fits
// all messages, which names the first that does not by its number, from 1, and without messages.
func Recognise(messages [][]byte, likely ...Format) (Format, error) {
	if len(messages) == 0 {
		return "", fault.New(fault.Invalid, op, "no messages").
			WithHint("pass the conversation as an array of messages")
	}
	fitting := Formats()
	for i, raw := range messages {
		left, err := fittingOf(raw, fitting)
		if err != nil {
			return "", fault.New(fault.Invalid, op, "message %d: %v", i+1, err)
		}
		if len(left) == 0 {
			return "", fault.New(fault.Invalid, op, "message %d does not fit the messages before it, or no "+
				"known format", i+1).
				WithHint("name the format: the known ones are %s", FormatNames())
		}
		fitting = left
	}
	for _, f := range likely {
		if slices.Contains(fitting, f) {
			return f, nil
		}
	}
	return fitting[0], nil
}

// fittingOf returns those of formats that a message fits.
func fittingOf(raw []byte, formats []Format) ([]Format, error) {
	if err := checkSize(raw); err != nil {
		return nil, err
	}
	n, err := readDocument(raw, "message")
	if err != nil {
		return nil, err
	}
	var out []Format
	for _, c := range codecs {
		if slices.Contains(formats, c.format) && c.fits(n) {
			out = append(out, c.format)
		}
	}
	return out, nil
}

// typesOf says to which formats alone the blocks of a type belong. A type that is not here is new, and
// speaks against none.
var typesOf = map[string][]Format{
	"text":                {Anthropic, OpenAIChat},
	"image":               {Anthropic},
	"document":            {Anthropic},
	"tool_use":            {Anthropic},
	"tool_result":         {Anthropic},
	"server_tool_use":     {Anthropic},
	"thinking":            {Anthropic},
	"redacted_thinking":   {Anthropic},
	"image_url":           {OpenAIChat},
	"input_audio":         {OpenAIChat},
	"file":                {OpenAIChat},
	"refusal":             {OpenAIChat, OpenAIResponses},
	"input_text":          {OpenAIResponses},
	"output_text":         {OpenAIResponses},
	"input_image":         {OpenAIResponses},
	"input_file":          {OpenAIResponses},
	"summary_text":        {OpenAIResponses},
	"computer_screenshot": {OpenAIResponses},
}

func fitsAnthropic(n node) bool {
	return n.hasRole("user", "assistant") && !n.has("tool_calls") && !n.has("tool_call_id") && !n.has(legacyCall) &&
		n.contentFits(Anthropic)
}

func fitsChat(n node) bool {
	without := n.first(n.get("content")) == 'n' || !n.has("content")
	return !n.has("type") && !n.has("parts") &&
		(n.hasRole("system", "developer", "user", "assistant", "tool", roleFunction) && n.contentFits(OpenAIChat) ||
			without && n.hasRole("assistant", "tool"))
}

func fitsItems(n node) bool {
	if typ, err := n.str("type", false); err == nil && typ != "" && typ != itemMessage {
		return !n.has("role")
	}
	return n.hasRole("system", "developer", "user", "assistant") && !n.has("tool_calls") && !n.has(legacyCall) &&
		n.contentFits(OpenAIResponses)
}

func fitsGemini(n node) bool {
	return n.first(n.get("parts")) == '[' && !n.has("content")
}

// hasRole reports whether a message has one of these roles.
func (n node) hasRole(roles ...string) bool {
	role, err := n.str("role", true)
	return err == nil && slices.Contains(roles, role)
}

// contentFits reports whether the content is a string, or an array of blocks none of which is of another
// format.
func (n node) contentFits(f Format) bool {
	at := n.get("content")
	if n.first(at) != '[' {
		return n.first(at) == '"'
	}
	spans, err := elements(n.src, at)
	if err != nil {
		return false
	}
	for _, e := range spans {
		b, err := readNode(n.src, e, "block")
		if err != nil {
			return false
		}
		typ, err := b.str("type", true)
		if formats, known := typesOf[typ]; err != nil || known && !slices.Contains(formats, f) {
			return false
		}
	}
	return true
}
