package mcp

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/client"
	proto "github.com/mark3labs/mcp-go/mcp"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/internal/termtext"
	"ctxledger.dev/ledger"
)

// broken panics whenever it is asked.
type broken struct{ ledger.API }

func TestAPanicEndsOneCallAndTellsOnlyTheLog(t *testing.T) {
	f := newFixture(t, nil)
	s, err := New(func(context.Context, []string) (Ledger, string, error) { return kept{broken{}}, "", nil },
		Options{Env: testEnv(), Log: f.o.Log})
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, s, "tester")
	for range 2 {
		text := refused(t, c, "changes", args{})
		contains(t, text, "internal:", "incident ")
		_, incident, _ := strings.Cut(text, "incident ")
		contains(t, f.log.String(), incident[:8], "nil pointer", "panic in tool changes")
		if strings.Contains(text, "nil pointer") || strings.Contains(text, ".go:") {
			t.Errorf("the client sees the panic: %s", text)
		}
	}
	_, err = resume(t, c, nil)
	if err == nil || !strings.Contains(err.Error(), "incident ") || strings.Contains(err.Error(), "nil pointer") {
		t.Errorf("prompt: %v", err)
	}
	var r proto.ReadResourceRequest
	r.Params.URI = uriChanges
	if _, err := c.ReadResource(t.Context(), r); err == nil || !strings.Contains(err.Error(), "incident ") {
		t.Errorf("resource: %v", err)
	}
}

// An error quotes what it refuses, and the end of a long quotation is missing.
func TestTheLengthOfAnErrorIsBounded(t *testing.T) {
	s := &Server{masks: redact.New([]byte("seed"))}
	text := s.explain(fault.New(fault.Invalid, "test", "there is no %s", strings.Repeat("表", 40_000)))
	if len(text) > termtext.ResultMax+100 || !strings.HasSuffix(text, " more bytes)") || !utf8.ValidString(text) {
		t.Errorf("%d bytes: …%s", len(text), text[max(0, len(text)-80):])
	}
}

func TestALedgerThatCannotBeReachedIsToldAndTriedAgain(t *testing.T) {
	f := newFixture(t, nil)
	opened := 0
	s, err := New(func(context.Context, []string) (Ledger, string, error) {
		if opened++; opened <= 2 {
			return nil, "", fault.New(fault.Denied, "test",
				"the state directory /state is read-only").
				WithHint("set CTXLEDGER_STATE to a directory that you can write")
		}
		return f.local, "", nil
	}, Options{Env: testEnv()})
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, s, "tester")
	if len(listed(t, c)) != len(tools()) || opened != 0 {
		t.Errorf("the tool list needed the ledger %d times", opened)
	}
	for range 2 {
		contains(t, refused(t, c, "changes", args{}), "denied:", "/state is read-only", "hint: set CTXLEDGER_STATE")
	}
	do[changesResult](t, c, "changes", args{})
	do[changesResult](t, c, "changes", args{})
	if opened != 3 {
		t.Errorf("opened %d times", opened)
	}
	if err := c.Close(); err != nil { // the fixture closes its own again, which is harmless
		t.Error(err)
	}
	contains(t, refused(t, c, "changes", args{}), "unavailable:", "closed")
}

// TestResourcesAreOfferedWhereTheyCostNothing: some clients would add tools to every request.
func TestResourcesAreOfferedWhereTheyCostNothing(t *testing.T) {
	for era, options := range eras {
		for name, want := range map[string]bool{"claude-code": false, "gemini-cli-mcp-client": false, "opencode": false,
			"codex-mcp-client": true, "claude-ai": true, "Visual Studio Code": true} {
			c := connect(t, newFixture(t, nil).Server, name, options...)
			if told := c.GetServerCapabilities(); (told.Resources != nil) != want || told.Tools == nil ||
				told.Prompts == nil {
				t.Errorf("%s, %s: told of %+v", era, name, told)
			}
		}
	}
}

func TestResourcesAreReadByAddress(t *testing.T) {
	inEachEra(t, func(t *testing.T, f *fixture, c *client.Client) {
		f.shop(t)
		id := f.keep(t, "kept text\n")
		do[memoryResult](t, c, "memory", args{"action": "save", "name": "build command", "body": "make"})
		list, err := c.ListResources(t.Context(), proto.ListResourcesRequest{})
		if err != nil || len(list.Resources) != 1 {
			t.Errorf("%v: resources %+v", err, list)
		}
		templates, err := c.ListResourceTemplates(t.Context(), proto.ListResourceTemplatesRequest{})
		if err != nil || len(templates.ResourceTemplates) != 2 {
			t.Errorf("%v: templates %+v", err, templates)
		}
		for uri, want := range map[string]string{
			"ctxledger://changes":                  "newest first",
			"ctxledger://artifact/" + id:           "kept text",
			"ctxledger://memory/build%20command":   "make",
			"ctxledger://artifact/ffffffffffff":    "not_found",
			"ctxledger://memory/nothing":           "not_found",
			"ctxledger://nothing/of/the/kind":      "",
			"ctxledger://artifact/..%2F..%2Fowner": "not_found",
		} {
			var r proto.ReadResourceRequest
			r.Params.URI = uri
			got, err := c.ReadResource(t.Context(), r)
			text := ""
			if err != nil {
				text = err.Error()
			} else if content, ok := got.Contents[0].(proto.TextResourceContents); ok {
				text = content.Text
			}
			contains(t, text, want)
		}
	})
}
