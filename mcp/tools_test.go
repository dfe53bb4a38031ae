package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	proto "github.com/mark3labs/mcp-go/mcp"

	"ctxledger.dev/sessions"
)

// listed returns the tool list as a client gets it.
func listed(t *testing.T, c *client.Client) []proto.Tool {
	t.Helper()
	r, err := c.ListTools(t.Context(), proto.ListToolsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Tools
}

// overTheWire returns the bytes of a server's answer to tools/list.
func overTheWire(t *testing.T, f *fixture, request string) []byte {
	t.Helper()
	raw := f.Handle(t.Context(), []byte(request))
	var answer struct {
		Result struct {
			Tools json.RawMessage `json:"tools"`
		} `json:"result"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil || answer.Result.Tools == nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return answer.Result.Tools
}

const (
	listLegacy = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	listModern = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
)

func TestInvariant9TheToolListIsTheSameBytesAlways(t *testing.T) {
	empty := newFixture(t, nil)
	want := overTheWire(t, empty, listLegacy)
	full := newFixture(t, nil)
	session := full.shop(t)
	c := connect(t, full.Server, "another client")
	do[memoryResult](t, c, "memory",
		args{"action": "save", "name": "tools", "description": "compact_conversation", "body": "x"})
	do[compactResult](t, c, "compact_conversation", args{"session": session})
	for what, got := range map[string][]byte{
		"the other era":                    overTheWire(t, empty, listModern),
		"another server with a full store": overTheWire(t, full, listLegacy),
		"there in the other era":           overTheWire(t, full, listModern),
		"what the overhead is counted of":  []byte(full.toolList()),
	} {
		if !bytes.Equal(want, got) {
			t.Errorf("%s: the tool list differs\n%s\n%s", what, want, got)
		}
	}
	// The hash is stored in a file, so that a change is visible in review: it breaks every prompt cache.
	golden(t, "testdata/tools.sha256", []byte(sessions.Digest(want)+"\n"))
}

func TestEachToolIsAsInItsGoldenFile(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.GraphTools = true })
	var names []string
	for _, tool := range listed(t, connect(t, f.Server, "tester")) {
		names = append(names, tool.Name)
		raw, err := json.Marshal(tool)
		if err != nil {
			t.Fatal(err)
		}
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, raw, "", "  "); err != nil {
			t.Fatal(err)
		}
		golden(t, "testdata/tools/"+tool.Name+".json", append(pretty.Bytes(), '\n'))
	}
	files, err := filepath.Glob("testdata/tools/*.json")
	if err != nil || len(files) != len(names) || !slices.IsSorted(names) {
		t.Errorf("tools are %v, with golden files %v (%v)", names, files, err)
	}
}

// TestTheDocumentsHaveTheTableOfTools compares the table in docs/install.md; -update writes it.
func TestTheDocumentsHaveTheTableOfTools(t *testing.T) {
	const head, file = "| tool | does |\n|---|---|\n", "../docs/install.md"
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(raw), head)
	_, after, found := strings.Cut(rest, "\n\n")
	if !found {
		t.Fatalf("%s has no place for the table", file)
	}
	rows := ""
	for _, tl := range tools() {
		rows += fmt.Sprintf("| `%s` | %s |\n", tl.name, tl.does)
	}
	golden(t, file, []byte(before+head+rows+"\n"+after))
}

func TestEveryToolFollowsTheRulesOfHosts(t *testing.T) {
	for _, tl := range slices.Concat(tools(), graphTools()) {
		for kind, text := range map[string]string{"input": tl.input, "output": tl.output} {
			var s struct {
				Type       string                     `json:"type"`
				Properties map[string]json.RawMessage `json:"properties"`
				Required   []string                   `json:"required"`
				AnyOf      any                        `json:"anyOf"`
				OneOf      any                        `json:"oneOf"`
				AllOf      any                        `json:"allOf"`
			}
			if err := json.Unmarshal([]byte(text), &s); err != nil {
				t.Errorf("%s: %s schema: %v", tl.name, kind, err)
			}
			if s.Type != "object" || s.AnyOf != nil || s.OneOf != nil || s.AllOf != nil {
				t.Errorf("%s: the %s schema is not a plain object", tl.name, kind)
			}
			for _, name := range s.Required {
				if s.Properties[name] == nil {
					t.Errorf("%s: %s schema requires %q, which it does not have", tl.name, kind, name)
				}
			}
		}
		if len(tl.description) > 2048 || tl.hints.readOnly && tl.hints.destructive {
			t.Errorf("%s: description or annotations", tl.name)
		}
		if tl.does == "" || tl.secrets == "" || tl.why == "" || len(tl.calls) == 0 {
			t.Errorf("%s: a table or a harness has nothing of it", tl.name)
		}
		s, err := parseSchema(tl)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range tl.calls {
			if _, err := s.check(tl.name, json.RawMessage(c)); err != nil {
				t.Errorf("%s: the call %s is refused: %v", tl.name, c, err)
			}
		}
	}
}

func TestExamplesInMessagesAreOfTheirType(t *testing.T) {
	for _, tl := range tools() {
		s, err := parseSchema(tl)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			example := fmt.Sprintf("{%s}", s.form(name))
			for _, required := range s.Required {
				if required != name {
					example = fmt.Sprintf("{%s, %s}", s.form(name), s.form(required))
				}
			}
			if _, err := s.check(tl.name, json.RawMessage(example)); err != nil {
				t.Errorf("%s: the example %s is refused: %v", tl.name, example, err)
			}
		}
		for name := range tl.forms {
			if _, known := s.Properties[name]; !known {
				t.Errorf("%s: an example for %q, which it does not have", tl.name, name)
			}
		}
	}
}

func TestToolPrefixIsPutBeforeEveryNameAndReference(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.ToolPrefix = "ctx_" })
	c := connect(t, f.Server, "tester")
	for _, tool := range listed(t, c) {
		if !strings.HasPrefix(tool.Name, "ctx_") {
			t.Errorf("tool %q has no prefix", tool.Name)
		}
	}
	contains(t, f.instructions(), "ctx_context_status", "ctx_compact_conversation", "ctx_read_artifact", "ctx_memory",
		"ctx_changes")
	session := f.shop(t)
	r, _ := do[compactResult](t, c, "ctx_compact_conversation", args{"session": session})
	page, text := do[pageResult](t, c, "ctx_read_artifact", args{"id": r.SummaryID})
	if page.Next == nil || page.Next.Tool != "ctx_read_artifact" {
		t.Errorf("next is %+v", page.Next)
	}
	contains(t, text, "[next: ctx_read_artifact {")
	for _, bad := range []string{"with space", "a/b", "ü", strings.Repeat("x", 25)} {
		if _, err := New(nil, Options{ToolPrefix: bad, Env: testEnv()}); err == nil {
			t.Errorf("prefix %q is accepted", bad)
		}
	}
}

// TestAServerThatReadsBackOffersOneTool: each request of an agent that needs it for stubs alone carries its list.
func TestAServerThatReadsBackOffersOneTool(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.ReadBack = true })
	tools := listed(t, connect(t, f.Server, "tester"))
	if len(tools) != 1 || tools[0].Name != "read_artifact" {
		t.Errorf("%+v", tools)
	}
	if all := newFixture(t, nil); 3*f.overhead() > all.overhead() {
		t.Errorf("it takes %d tokens of %d", f.overhead(), all.overhead())
	}
}
