package taint

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/cli"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/mcp"
)

var update = flag.Bool("update", false, "rewrite the table in docs/maintainers/threat-model.md")

// TestEveryExitIsInTheTable compares the table with what the faces offer.
func TestEveryExitIsInTheTable(t *testing.T) {
	listed := map[string][]string{}
	for _, x := range Exits() {
		if x.Why == "" || slices.Contains(listed[x.Face], x.Name) {
			t.Errorf("%s %s has no reason, or is there twice", x.Face, x.Name)
		}
		listed[x.Face] = append(listed[x.Face], x.Name)
	}
	for face, offered := range map[string][]string{CLI: commands(), MCP: served(t), LSP: methods(t)} {
		if len(offered) < 5 {
			t.Errorf("%s offers only %q", face, offered)
		}
		for _, name := range offered {
			if !slices.Contains(listed[face], name) {
				t.Errorf("%s %s is an exit without a rule: give it one in exits.go", face, name)
			}
		}
		for _, name := range listed[face] {
			if !slices.Contains(offered, name) && name != "errors" && name != "standard error" {
				t.Errorf("%s %s is in the table, but there is no such exit", face, name)
			}
		}
	}
}

// commands returns the names of all commands, and of what the library adds.
func commands() []string {
	all := []string{"help"}
	for _, c := range cli.Commands() {
		if c.Name != "" { // which is status
			all = append(all, c.Name)
		}
	}
	return all
}

// served returns what the MCP server lists.
func served(t *testing.T) (all []string) {
	t.Helper()
	s, err := mcp.New(func(context.Context, []string) (mcp.Ledger, string, error) { return nil, "", os.ErrNotExist },
		mcp.Options{Version: "test", Env: env.System(), AgentTools: true, GraphTools: true})
	if err != nil {
		t.Fatal(err)
	}
	for method, kind := range map[string]string{"tools": "tool", "prompts": "prompt", "resources": "resource",
		"resources/templates": "resource"} {
		type named struct{ Name string }
		var answer struct {
			Result struct{ Tools, Prompts, Resources, ResourceTemplates []named }
		}
		line := s.Handle(t.Context(), fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"%s/list","params":{}}`, method))
		if err := json.Unmarshal(line, &answer); err != nil {
			t.Fatal(err)
		}
		r := answer.Result
		for _, n := range slices.Concat(r.Tools, r.Prompts, r.Resources, r.ResourceTemplates) {
			all = append(all, kind+" "+n.Name)
		}
	}
	return all
}

// methods returns the methods that the language server takes and the notifications that it sends, by the names in its
// source.
func methods(t *testing.T) (all []string) {
	t.Helper()
	files, err := filepath.Glob("../../lsp/*.go")
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile(`"((?:ctxledger|textDocument|workspace|window)/[A-Za-z/]+|\$/(?:cancelRequest|` +
		`setTrace)|initialized?|shutdown|exit)"`)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, m := range name.FindAllStringSubmatch(string(raw), -1) {
			all = append(all, m[1])
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// TestTheThreatModelHasTheTable compares the table in docs/maintainers/threat-model.md; -update writes it.
func TestTheThreatModelHasTheTable(t *testing.T) {
	const begin, end = "<!-- BEGIN exits: go test -C lab ./taint -run Table -update -->\n", "<!-- END exits -->"
	file := "../../docs/maintainers/threat-model.md"
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(raw), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no place for the table", file)
	}
	var text strings.Builder
	text.WriteString("| exit | rule | where, or why |\n|---|---|---|\n")
	rows := append([]Exit{{CLI, "every other command", Masked, answer, nil}}, table()...)
	for _, x := range rows {
		name := "`" + x.Name + "`"
		if strings.ContainsAny(x.Name, "`,") || x.Name == "every other command" || x.Face == File {
			name = x.Name
		}
		fmt.Fprintf(&text, "| %s | %s | %s |\n", strings.TrimPrefix(x.Face+" "+name, File+" "), x.Rule, x.Why)
	}
	want := before + begin + text.String() + end + after
	if string(raw) == want {
		return
	}
	if !*update {
		t.Fatalf("%s has another table: run go test -C lab ./taint -run Table -update", file)
	}
	if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}
