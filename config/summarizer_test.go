package config

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestSummarizers(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       *Summarizer
		wrong      string // in the error
	}{
		{"none", "follow: true\n", nil, ""},
		{"anthropic", "summarizer:\n  kind: anthropic\n  model: claude-haiku-4-5\n  key_env: MY_KEY\n  " +
			"max_output: 4000\n  timeout: 90\n  sections: pi\n",
			&Summarizer{Kind: KindAnthropic, Model: "claude-haiku-4-5", KeyEnv: "MY_KEY", Output: 4000,
				Timeout: 90 * time.Second, Sections: "pi"}, ""},
		{"pascal case", "Summarizer: {Kind: openai, Model: m, URL: http://localhost:8080/v1}\n",
			&Summarizer{Kind: KindOpenAI, Model: "m", URL: "http://localhost:8080/v1", Timeout: 3 * time.Minute}, ""},
		{"a key from a program", "summarizer: {kind: openai, model: m, key_command: [pass, show, key]}\n",
			&Summarizer{Kind: KindOpenAI, Model: "m", KeyCommand: []string{"pass", "show", "key"},
				Timeout: 3 * time.Minute}, ""},
		{"a program", "summarizer: {kind: command, command: [llm, -m, x]}\n",
			&Summarizer{Kind: KindCommand, Command: []string{"llm", "-m", "x"}, Timeout: 3 * time.Minute}, ""},
		{"a prompt of one's own", "summarizer: {kind: openai, model: m, template: 'Short: {{$history}}'}\n",
			&Summarizer{Kind: KindOpenAI, Model: "m", Timeout: 3 * time.Minute, Template: "Short: {{$history}}",
				Sections: "none"}, ""},
		{"and its sections", "summarizer: {kind: openai, model: m, sections: pi, template: 'Short: {{$history}}'}\n",
			&Summarizer{Kind: KindOpenAI, Model: "m", Timeout: 3 * time.Minute, Template: "Short: {{$history}}",
				Sections: "pi"}, ""},
		{"a prompt without the conversation", "summarizer: {kind: openai, model: m, template: 'Short, please'}\n", nil,
			"{{$history}}"},
		{"a prompt that is too long", "summarizer: {kind: openai, model: m, template: '{{$history}}" +
			strings.Repeat("x", maxTemplate) + "'}\n", nil, "16 KiB"},
		{"no kind", "summarizer: {model: m}\n", nil, "ctxledger.yaml:1:1: summarizer: kind: give"},
		{"no model", "\nsummarizer: {kind: openai}\n", nil, "ctxledger.yaml:2:1: summarizer: model"},
		{"a program with an address", "summarizer: {kind: command, command: [x], url: http://a}\n", nil, "no url"},
		{"no program", "summarizer: {kind: command}\n", nil, "command: give a program"},
		{"a command line", "summarizer: {kind: command, command: llm -m x}\n", nil, "ctxledger.yaml:1:"},
		{"a server with a program", "summarizer: {kind: openai, model: m, command: [x]}\n", nil,
			"only valid with kind: command"},
		{"two keys", "summarizer: {kind: openai, model: m, key_env: A, key_command: [b]}\n", nil, "not both"},
		{"the key itself", "summarizer: {kind: openai, model: m, key_env: sk-live-abc123}\n", nil,
			"not the key itself"},
		{"the key in the address", "summarizer: {kind: openai, model: m, url: 'https://u:sk-live-abc123@a.example'}\n",
			nil, "without user, password"},
		{"another scheme", "summarizer: {kind: openai, model: m, url: 'file:///etc/passwd'}\n", nil, "https://"},
		{"no time", "summarizer: {kind: openai, model: m, timeout: 0}\n", nil, "timeout"},
		{"too much time", "summarizer: {kind: openai, model: m, timeout: 99999999999}\n", nil, "timeout"},
		{"a negative output", "summarizer: {kind: openai, model: m, max_output: -1}\n", nil, "max_output"},
		{"not a mapping", "summarizer: openai\n", nil, "ctxledger.yaml:1:"},
		{"a key nobody knows", "summarizer: {kind: openai, model: m, colour: blue}\n",
			&Summarizer{Kind: KindOpenAI, Model: "m", Timeout: 3 * time.Minute}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, problems, err := parse(".", []byte(c.text))
			if c.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), c.wrong) ||
					strings.Contains(err.Error(), "sk-live") {
					t.Errorf("error %v", err)
				}
				return
			}
			if err != nil || !reflect.DeepEqual(got.Summarizer, c.want) ||
				(len(problems) > 0) != strings.Contains(c.text, "colour") {
				t.Errorf("%+v, %v, %v", got.Summarizer, problems, err)
			}
		})
	}
}
