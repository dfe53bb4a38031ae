package transcript

import (
	"testing"
)

// What stands in an original without a message around it becomes one of the user, with every literal as it was.
func TestMessageIn(t *testing.T) {
	const framed = `{"role":"user","content":[{"type":"text","text":"<system-reminder>\n`
	for value, want := range map[string]string{
		`{"content":"x","role":"user"}`:          `{"content":"x","role":"user"}`,
		`{"rol\u0065":"user","content":"x"}`:     `{"rol\u0065":"user","content":"x"}`,
		`"half \ud83d"`:                          `{"role":"user","content":"half \ud83d"}`,
		`[{"type":"text","text":"x"}]`:           `{"role":"user","content":[{"type":"text","text":"x"}]}`,
		`["x",{"type":"image","source":{}}]`:     `{"role":"user","content":[{"type":"text","text":"x"},{"type":"image","source":{}}]}`,
		`[{"content":"x"},{"content":["y",[]]}]`: `{"role":"user","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]}`,
		`[]`:                                     `{"role":"user","content":[]}`,
		`{"type":"plan_mode","content":"x"}`:     framed + `{\"type\":\"plan_mode\",\"content\":\"x\"}\n</system-reminder>"}]}`,
		`{"type":"file","content":{"type":"image","file":{"base64":"AA","type":"image/png"}}}`: `{"role":"user","content":[{"type":"image",` +
			`"source":{"type":"base64","media_type":"image/png","data":"AA"}}]}`,
		`{"type":7}`:               framed + `{\"type\":7}\n</system-reminder>"}]}`,
		`{"type":`:                 `{"type":`,
		`[[[[[[[[["deep"]]]]]]]]]`: framed + `[\"deep\"]\n</system-reminder>"}]}`,
	} {
		original := `{"v":` + value + `}`
		at := Span{From: 5, To: 5 + len(value)}
		if got := string(MessageIn(Anthropic, []byte(original), at)); got != want {
			t.Errorf("%s becomes %s, want %s", value, got, want)
		}
		if got := string(MessageIn(OpenAIChat, []byte(original), at)); got != value {
			t.Errorf("%s becomes %s in another format", value, got)
		}
		if got := string(MessageIn(Anthropic, []byte(original), Span{})); got != original {
			t.Errorf("without a span %s becomes %s", original, got)
		}
	}
}
