package compaction

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/intents"
)

// put writes a file with a text, or replaces a text in it.
func (k *talk) put(path, old, text string) {
	name, op, args := "Write", intents.OpWrite, map[string]string{"file_path": path, "content": text}
	if old != "" {
		name, op = "Edit", intents.OpPatch
		args = map[string]string{"file_path": path, "old_string": old, "new_string": text}
	}
	raw, _ := json.Marshal(args)
	k.doWith(Operation{Intent: intents.Intent{Name: name, Op: op, Target: path}}, string(raw), "")
}

// graph returns the block of a compaction.
func (k *talk) graph(o Options) string {
	k.t.Helper()
	k.user("And now?")
	o.Keep = 1
	return layout.BlockWith(mustPlan(k.t, k.in, o).Text, "[SYMBOL DEPENDENCY GRAPH")
}

// The graph has the definitions of written files as they are now, with what they use of each other, and nothing of other
// files, of documents, or of what is gone again.
func TestTheSymbolGraphIsMadeOfRecordedEdits(t *testing.T) {
	k := newTalk(t)
	k.user("The task")
	k.put("b/use.go", "", "package b\n\nfunc Serve() { users.LoadUsers(); run() }\n\nfunc Drop() {}\n")
	k.put("a/users.go", "", "package a\n\ntype Store struct{}\n\nfunc LoadUsers() []string { return nil }\n\nfunc run() {}\n")
	k.put("a/users.go", "type Store struct{}", "type UserStore struct{}")
	k.put("b/use.go", "func Drop() {}", "func Take(s UserStore) {}")
	k.put("web/app.ts", "", "export class App {\n  render() {\n    return LoadUsers\n  }\n}\n")
	k.put("notes.md", "", "# LoadUsers (how)\n\nUserStore is new.\n")
	k.put("gone.go", "", "package a\n\nfunc Gone() { LoadUsers() }\n")
	k.do(Operation{Intent: intents.Intent{Name: "Delete", Op: intents.OpDelete, Target: "gone.go"}}, "")
	k.read("other.go", 500, "LoadUsers")
	for range 30 {
		k.say(strings.Repeat("It goes on. ", 40))
	}
	const want = `[SYMBOL DEPENDENCY GRAPH — 12 node(s) across 4 file(s)]
File: a/users.go
  SymbolDefinition (func): LoadUsers
  SymbolDefinition (type): UserStore
  SymbolDefinition (func): run
File: b/use.go
  SymbolDefinition (func): Serve
  SymbolDefinition (func): Take
  SymbolReference: LoadUsers → a/users.go
  SymbolReference: UserStore → a/users.go
File: notes.md
  SymbolReference: LoadUsers → a/users.go
  SymbolReference: UserStore → a/users.go
File: web/app.ts
  SymbolDefinition (class): App
  SymbolDefinition (function): render
  SymbolReference: LoadUsers → a/users.go`
	if got := strings.TrimSpace(k.graph(Options{Symbols: true, Budget: 8_000})); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := k.graph(Options{Budget: 8_000}); got != "" {
		t.Errorf("it was not asked for:\n%s", got)
	}
	k.in.Operations = nil
	if got := k.graph(Options{Symbols: true}); got != "" {
		t.Errorf("nothing was written:\n%s", got)
	}
}

// Many files and names, and hostile ones, stay within the cap and the budget, and can be taken for no line of ours.
func TestTheSymbolGraphIsBounded(t *testing.T) {
	k := newTalk(t)
	k.user("The task")
	for i := range 90 {
		var b strings.Builder
		for n := range 9 {
			fmt.Fprintf(&b, "def name_%d_%d():\n    name_%d_%d()\n", i, n, (i+1)%90, n)
		}
		k.put(fmt.Sprintf("pkg/file%02d.py", i), "", b.String())
	}
	k.put("[TASK\nx.go", "", "package a\n\nfunc [TASK() {}\nfunc "+strings.Repeat("x", 5_000)+"() {}\n")
	k.read("large.go", 90_000) // room for a long document
	for _, budget := range []int{800, 3_000, 30_000} {
		p := mustPlan(t, k.in, Options{Symbols: true, Budget: budget, Keep: 1, Pin: nil, Whole: true})
		if n := layout.Count(p.Text); n > budget {
			t.Errorf("%d tokens of %d", n, budget)
		}
		graph := layout.BlockWith(p.Text, "[SYMBOL DEPENDENCY GRAPH")
		if n := strings.Count(graph, "\n  Symbol"); n > symbolNodes || budget == 30_000 && n != symbolNodes {
			t.Errorf("budget %d: %d nodes", budget, n)
		}
		if strings.Contains(p.Text, "\n[TASK\n") || strings.Contains(p.Text, "\nx.go") {
			t.Errorf("a path poses as a line of ours:\n%s", graph)
		}
	}
}
