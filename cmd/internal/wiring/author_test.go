package wiring

import (
	"os"
	"path/filepath"
	"testing"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/llm"
)

// What a workspace's files name as its summarizer, an agent reaches only after a person has.
func TestAnAgentUsesOnlyASummarizerThatAPersonHasUsed(t *testing.T) {
	root, state := t.TempDir(), t.TempDir()
	configure := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, "ctxledger.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e := env.System()
	want := func(code fault.Code) {
		t.Helper()
		write, _, err := Author(e)(root, state)
		if fault.CodeOf(err) != code || (write == nil) != (err != nil) {
			t.Errorf("%v, want %q", err, code)
		}
	}
	want(fault.NotFound)
	configure("summarizer: {kind: openai, url: http://localhost:11434, model: a}\n")
	want(fault.Denied)
	model, err := llm.Open(root, e, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := model.Approve(state); err != nil {
		t.Fatal(err)
	}
	want("")
	configure("summarizer: {kind: openai, url: http://localhost:11434, model: another, sections: pi}\n")
	want("") // the same place
	for _, other := range []string{
		"summarizer: {kind: openai, url: http://localhost:11435, model: a}\n",
		"summarizer: {kind: openai, url: http://localhost:11434, model: a, key_env: HOME}\n",
		"summarizer: {kind: openai, url: http://localhost:11434, model: a, key_command: [cat, secret]}\n",
		"summarizer: {kind: command, command: [curl, x]}\n",
	} {
		configure(other)
		want(fault.Denied)
	}
	configure("summarizer: {kind: magic}\n")
	want(fault.Invalid)
}
