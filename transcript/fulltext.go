package transcript

import (
	"bytes"
	"encoding/json"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/jsonspan"
)

// FullText returns all that a model reads of a message, as text: words, reasoning, calls with their arguments and results,
// with a blank line between them. Images and unknown blocks are named.
func FullText(m Message) string {
	var texts []string
	for _, p := range m.Parts {
		if text := partText(p); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// ResultText returns the text of the result with this number, from 1, and whether the message has so many.
func ResultText(m Message, number int) (string, bool) {
	for _, p := range m.Parts {
		if p.Kind != KindResult {
			continue
		}
		if number--; number == 0 {
			return partText(p), true
		}
	}
	return "", false
}

// CallText returns the tool of a call, and its arguments, each on a line of its own.
func CallText(p Part) string { return p.Name + "\n" + argumentText(p.Args) }

func partText(p Part) string {
	switch p.Kind {
	case KindCall:
		return "call " + CallText(p)
	case KindImage:
		return "[an image or a document]"
	case KindCompacted:
		return "[the provider's own compaction, which only it can read]"
	case KindOther:
		return "[a block of an unknown kind]"
	case KindResult:
		if p.Media == 0 {
			return p.Text
		}
		return strings.TrimPrefix(p.Text+"\n["+chars.Plural(p.Media, "attachment")+"]", "\n")
	}
	return p.Text
}

// argumentText prints the arguments of a call, a name with its value on a line of its own. Strings stand as they are, below
// their name if they have several lines.
func argumentText(args json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(args))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		if len(args) > 0 && args[0] == '"' {
			return jsonspan.Unquote(args)
		}
		return string(args)
	}
	var lines []string
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			return string(args)
		}
		text := string(value)
		if value[0] == '"' {
			text = jsonspan.Unquote(value)
		}
		separator := ": "
		if strings.Contains(text, "\n") {
			separator = ":\n"
		}
		lines = append(lines, name.(string)+separator+text)
	}
	return strings.Join(lines, "\n")
}
