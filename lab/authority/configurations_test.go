//go:build linux

package authority

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// canary is a program of the repository that must not run.
const canary = "canary"

// summarizers are the ways in which a repository asks for authority; %d is a port without a listener.
var summarizers = []string{
	"{kind: command, command: [./canary, a]}",
	"{kind: openai, url: 'http://127.0.0.1:%d', model: m, key_env: GITHUB_TOKEN}",
	"{kind: openai, url: 'http://127.0.0.1:%d/v1', model: m, key_command: [./canary, key]}",
	"{kind: anthropic, model: m}",
	"{kind: command, command: [canary]}",
	"{kind: command, command: [git, --version]}",
	"{kind: command, command: [/bin/sh, -c, 'echo run']}",
	"{kind: openai, model: m, key_env: AWS_SECRET_ACCESS_KEY}",
	"{kind: anthropic, url: 'https://127.0.0.1:%d', model: m, key_env: HOME, template: '{{$history}}'}",
	"{kind: command, command: [../repository/canary], template: 'x {{$history}}', sections: none}",
}

// others are further settings.
var others = []string{
	"context: {mode: llm, compact_turns: 1}", "context: {mode: hybrid, threshold: 0.01}", "follow: false",
	"follow: true\nexports: true\nreduce: true",
	"models: {ranked: {family: llama3, ranks: canary}}", "models: {ranked: {family: llama3, ranks: ../../etc/passwd}}",
	"agents: [{name: mcp, context_window: {mode: llm}}]",
	"agents: [{name: Tester, context: [{source: 'file:canary'}, {source: session_context}, {source: execution_state}]}]\n" +
		"selection: {state_machine: {states: {a: {agent: Developer, transitions: [{to: b, handoff_context: " +
		"[{source: 'file:canary'}]}]}, b: {agent: Tester}}}}",
	"agents: [{name: Tester, context: [{source: 'file:../../etc/passwd'}]}]",
	"corrections: [x]", "ledger_warn_mb: 1", "unknown: [canary]", "command: [./canary]", "url: http://127.0.0.1:1",
	"index: {skills: [canary, /etc], references: [canary, ../../etc/passwd], memories: [canary]}",
}

// fixed are the configurations of every run: one for each way to ask, with a mode that asks.
func fixed(n int) []string {
	var out []string
	for i, s := range summarizers[:n] {
		out = append(out, compose(others[i%2], s, 1))
	}
	return out
}

// generated returns a configuration from a seeded source: sometimes one that cannot be used.
func generated(r *rand.Rand) string {
	var parts []string
	seen := map[string]bool{}
	for range 1 + r.IntN(4) {
		p := others[r.IntN(len(others))]
		if key, _, _ := strings.Cut(p, ":"); !seen[key] {
			seen[key] = true
			parts = append(parts, p)
		}
	}
	text := compose(strings.Join(parts, "\n"), summarizers[r.IntN(len(summarizers))], 1+r.IntN(1000))
	if r.IntN(6) == 0 {
		text += "follow: perhaps\n"
	}
	return text
}

func compose(settings, summarizer string, port int) string {
	if strings.Contains(summarizer, "%d") {
		summarizer = fmt.Sprintf(summarizer, port)
	}
	return settings + "\nsummarizer: " + summarizer + "\n"
}
