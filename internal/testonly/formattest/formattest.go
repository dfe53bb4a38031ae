package formattest

import (
	"fmt"
	"strings"
	"testing"

	"ctxledger.dev/transcript"
)

// Provider is how one provider wants a conversation.
type Provider struct {
	Name   string
	Format transcript.Format
	NoIDs  bool // calls and results have none
}

// Providers are those of every format. Gemini appears twice: with and without ids.
func Providers() []Provider {
	return []Provider{
		{"anthropic", transcript.Anthropic, false}, {"openai_chat", transcript.OpenAIChat, false},
		{"openai_responses", transcript.OpenAIResponses, false}, {"gemini", transcript.Gemini, false},
		{"gemini without ids", transcript.Gemini, true},
	}
}

// Messages writes lines of a conversation as the provider's messages:
//
//	s WORD…    the system's words, where it speaks in messages
//	u WORD…    the user's words; "" is an empty text, img for an image, odd for an unknown part,
//	           deep for one that is nested deeper than any
//	a WORD…    an answer; "+x" calls the tool x, with the id x, "+x!" with arguments that are no object, think
//	           is reasoning
//	c          the provider's own compaction, where it has such messages
//	t x=TEXT…  results of calls, in one message where the provider wants that; x=img is an image. Words and img
//	           among them are the user's: in that place of the message, or behind it where results are messages of their own
//	? WORD     a message of an unknown role
//
// Words have their bytes as they are, a zero byte as JSON escapes it.
func (p Provider) Messages(lines ...string) [][]byte {
	var out [][]byte
	for _, line := range lines {
		kind, rest, _ := strings.Cut(line, " ")
		var blocks, calls, all []string // all: both, in order
		for w := range strings.FieldsSeq(rest) {
			name, text, result := strings.Cut(w, "=")
			switch {
			case kind == "t" && result:
				calls = append(calls, p.result(name, text))
				all = append(all, calls[len(calls)-1])
			case kind == "a" && w[0] == '+':
				calls = append(calls, p.call(w[1:]))
				all = append(all, calls[len(calls)-1])
			default:
				blocks = append(blocks, p.block(kind, w))
				all = append(all, blocks[len(blocks)-1])
			}
		}
		for _, m := range p.assemble(kind, blocks, calls, all) {
			out = append(out, []byte(m))
		}
	}
	return out
}

// assemble puts blocks and calls, or results, into messages.
func (p Provider) assemble(kind string, blocks, calls, all []string) []string {
	role := map[string]string{"s": "system", "u": "user", "a": "assistant", "t": "user", "?": "robot"}[kind]
	switch {
	case kind == "c" && p.Format == transcript.OpenAIResponses:
		return []string{`{"type":"compaction","id":"cmp_1","encrypted_content":"ZW5j"}`}
	case kind == "c":
		return nil
	case p.Format == transcript.Gemini:
		if role == "assistant" {
			role = "model"
		}
		return []string{fmt.Sprintf(`{ "role":%q,"parts":[%s]}`, role, strings.Join(all, " , "))}
	case p.Format == transcript.Anthropic:
		return []string{fmt.Sprintf(`{"content":[ %s],"role":%q}`, strings.Join(all, " , "), role)}
	}
	thoughts, blocks := p.reasoning(blocks)
	content := fmt.Sprintf(`{"role":%q, "content":[%s]}`, role, strings.Join(blocks, " , "))
	switch {
	case p.Format == transcript.OpenAIChat && kind == "a" && len(calls) > 0:
		return []string{fmt.Sprintf(`{"role":"assistant",%s"content":[%s],"tool_calls": [ %s ]}`,
			strings.Join(thoughts, ""), strings.Join(blocks, ","), strings.Join(calls, " , "))}
	case p.Format == transcript.OpenAIChat && len(thoughts) > 0:
		return []string{fmt.Sprintf(`{"role":"assistant",%s"content":[%s]}`, strings.Join(thoughts, ""),
			strings.Join(blocks, ","))}
	case kind == "t" && len(blocks) > 0:
		return append(calls, content)
	case kind == "t" || len(calls)+len(thoughts) > 0 && len(blocks) == 0:
		return append(thoughts, calls...)
	}
	return append(append(thoughts, content), calls...)
}

// reasoning parts blocks that are reasoning from the others.
func (p Provider) reasoning(blocks []string) (thoughts, others []string) {
	for _, b := range blocks {
		if b == think[p.Format] {
			thoughts = append(thoughts, b)
		} else {
			others = append(others, b)
		}
	}
	return thoughts, others
}

// Quote writes a text as JSON, with its bytes as they are.
func Quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\x00", `\u0000`, "\n", `\n`).Replace(text) + `"`
}

// What is written in the same way whatever it says, by format.
var (
	image = map[transcript.Format]string{
		transcript.Anthropic:       `{"type":"image","source":{"type":"base64","data":"AA=="}}`,
		transcript.OpenAIChat:      `{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}`,
		transcript.OpenAIResponses: `{"type":"input_image","image_url":"https://example.org/a.png"}`,
		transcript.Gemini:          `{"inlineData":{"mimeType":"image/png","data":"AA=="}}`,
	}
	think = map[transcript.Format]string{
		transcript.Anthropic:       `{"type":"thinking","thinking":"hm","signature":"c2ln"}`,
		transcript.OpenAIChat:      `"reasoning_content":"hm",`,
		transcript.OpenAIResponses: `{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"ZW5j"}`,
		transcript.Gemini:          `{"text":"hm","thought":true,"thoughtSignature":"c2ln"}`,
	}
)

// block writes a word.
func (p Provider) block(kind, word string) string {
	text := Quote(strings.Trim(word, `"`))
	odd := `{"type":"smell","of":%s}`
	if p.Format == transcript.Gemini {
		odd = `{"smell":%s}`
	}
	switch {
	case word == "img":
		return image[p.Format]
	case word == "think" && kind == "a":
		return think[p.Format]
	case word == "odd":
		return fmt.Sprintf(odd, `"roses"`)
	case word == "deep":
		return fmt.Sprintf(odd, strings.Repeat("[", 2_000)+strings.Repeat("]", 2_000))
	case p.Format == transcript.Gemini:
		return fmt.Sprintf(`{"text":%s}`, text)
	case p.Format == transcript.OpenAIResponses && kind == "a":
		return fmt.Sprintf(`{"type":"output_text","text":%s}`, text)
	case p.Format == transcript.OpenAIResponses:
		return fmt.Sprintf(`{"type":"input_text","text":%s}`, text)
	}
	return fmt.Sprintf(`{"type":"text","text":%s}`, text)
}

// tool is the name of the tool of a call, which says which call it is unless names alone have to.
func (p Provider) tool(x string) string {
	if p.NoIDs {
		return strings.TrimRight(x, "0123456789")
	}
	return x
}

// call writes a call of the tool x, which has the id x; with a "!" its arguments are no object.
func (p Provider) call(x string) string {
	x, broken := strings.CutSuffix(x, "!")
	args := fmt.Sprintf(`{"path": "src/%s.go"}`, x)
	inString := p.Format == transcript.OpenAIChat || p.Format == transcript.OpenAIResponses
	switch {
	case broken && inString:
		args = args[:len(args)/2]
	case broken:
		args = `["no", "object"]`
	}
	if inString {
		args = Quote(args)
	}
	return fmt.Sprintf(map[transcript.Format]string{
		transcript.Anthropic:       `{"type":"tool_use","id":%[1]q,"name":%[3]q,"input":%[4]s}`,
		transcript.OpenAIChat:      `{"id":%[1]q,"type":"function","function":{"name":%[3]q,"arguments":%[4]s}}`,
		transcript.OpenAIResponses: `{"type":"function_call","call_id":%[1]q,"name":%[3]q,"arguments":%[4]s}`,
		transcript.Gemini:          `{"functionCall":{%[2]s"name":%[3]q,"args":%[4]s}}`,
	}[p.Format], x, p.id(x), p.tool(x), args)
}

// result writes the result of a call.
func (p Provider) result(x, text string) string {
	content := Quote(text)
	switch {
	case text == "img" && p.Format == transcript.Gemini:
		return fmt.Sprintf(`{"functionResponse":{%s"name":%q,"response":{"output":""},"parts":[%s]}}`, p.id(x),
			p.tool(x), image[p.Format])
	case text == "img":
		content = "[" + image[p.Format] + "]"
	}
	return fmt.Sprintf(map[transcript.Format]string{
		transcript.Anthropic:       `{"type":"tool_result","tool_use_id":%[1]q,"content":%[4]s}`,
		transcript.OpenAIChat:      `{"role":"tool","tool_call_id":%[1]q,"content":%[4]s}`,
		transcript.OpenAIResponses: `{"type":"function_call_output","call_id":%[1]q,"output":%[4]s}`,
		transcript.Gemini:          `{"functionResponse":{%[2]s"name":%[3]q,"response":{"output":%[4]s}}}`,
	}[p.Format], x, p.id(x), p.tool(x), content)
}

// id is the member with the id of a part of Gemini.
func (p Provider) id(x string) string {
	if p.NoIDs {
		return ""
	}
	return fmt.Sprintf(`"id":%q,`, x)
}

// Brief writes messages in the notation of Messages, neighbours of one role joined: formats differ in
// what is a message.
func (p Provider) Brief(t testing.TB, messages [][]byte) string {
	t.Helper()
	var out []string
	last := ""
	for _, raw := range messages {
		m, err := transcript.Decode(p.Format, raw)
		if err != nil {
			t.Fatalf("%v in %s", err, raw)
		}
		kind := map[transcript.Role]string{transcript.RoleSystem: "s", transcript.RoleUser: "u",
			transcript.RoleAssistant: "a", transcript.RoleTool: "t"}[m.Role]
		if kind != last {
			out = append(out, kind)
		}
		last = kind
		for _, part := range m.Parts {
			name := part.ID
			if part.Name != "" {
				name = part.Name
			}
			switch text := strings.Fields(part.Text + " ")[:min(1, len(strings.Fields(part.Text)))]; part.Kind {
			case transcript.KindCall:
				out[len(out)-1] += " +" + name
			case transcript.KindResult:
				out[len(out)-1] += " " + name + "=" + strings.Join(text, "")
			case transcript.KindText:
				out[len(out)-1] += " " + strings.Join(text, "")
			default:
				out[len(out)-1] += " " + string(part.Kind)
			}
		}
	}
	return strings.Join(out, " | ")
}
