package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
)

func readTool() tool {
	return tool{
		name: "read_artifact",
		description: "Read back what a stub, summary or cut list names by id: a tool result, an artifact, a message or all that " +
			"a summary covers. At most one selection; large texts come in pages.",
		does:  "reads what a stub or summary replaced: lines, bytes, grep, JSON path, search",
		hints: hints{readOnly: true, idempotent: true},
		input: `{"type":"object","properties":{` +
			`"id":{"type":"string"},` +
			`"lines":{"type":"string","description":"\"10-40\""},` +
			`"bytes":{"type":"string","description":"\"0-4095\""},` +
			`"head":{"type":"integer","description":"lines"},` +
			`"tail":{"type":"integer","description":"lines"},` +
			`"grep":{"type":"string","description":"RE2; (?i) ignores case"},` +
			`"context":{"type":"integer","description":"lines around"},` +
			`"path":{"type":"string","description":"with grep: in messages about it"},` +
			`"json_path":{"type":"string","description":"$.a[0]"},` +
			`"search":{"type":"string","description":"words"},` +
			`"after":{"type":"integer","description":"as in next"},` +
			`"raw":{"type":"boolean","description":"messages as received"},` +
			`"limit":{"type":"integer","description":"characters, default 8000"}},"required":["id"]}`,
		output: `{"type":"object","properties":{` +
			`"text":{"type":"string"},` +
			`"range":{"type":"string"},` +
			`"total_lines":{"type":"integer"},` +
			`"total_bytes":{"type":"integer"},` +
			`"next":{"type":"object","description":"a call for what follows"}},"required":["text"]}`,
		forms: map[string]string{
			"id": `"3f9c1b2a7d4e"`, "lines": `"10-40"`, "bytes": `"0-4095"`, "head": "40", "tail": "40",
			"grep":    `"panic|error"`,
			"context": "3", "path": `"store.go"`, "json_path": `"$.items[0].name"`,
			"search": `"connection refused"`, "limit": "8000",
		},
		longest: 2 * limits.ArtifactTextMax, // JSON can double the length of a text
		secrets: "exact", why: toOwner,
		calls: []string{`{"id":"HANDLE","limit":40000}`},
		// Package artifacts validates the selection; its errors name the wrong argument and show the correct form.
		run: takes(func(ctx context.Context, c *call, r ledger.ReadArtifactRequest) (reply, error) {
			r.Fill = r.Grep != "" // one call is cheaper than two
			return c.readOrSearch(ctx, r)
		}),
	}
}

// pageResult is the result of read_artifact.
type pageResult struct {
	Text       string `json:"text"`
	Range      string `json:"range"` // a description of the text
	TotalLines int64  `json:"total_lines"`
	TotalBytes int64  `json:"total_bytes"`
	Next       *next  `json:"next,omitempty"` // absent when nothing is left
}

// next is the call that reads the next part.
type next struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// shown returns a page as the answer to a request, of which the next one asks for as many characters.
func (c *call) shown(r ledger.ReadArtifactRequest, page artifacts.Page, asked int) reply {
	// The text is the original, exactly, with the secrets in it: it goes back to the agent that saw it (see "Secrets at the
	// exits" in docs/maintainers/threat-model.md), and JSON escapes control characters.
	out := pageResult{
		Text: page.Text, Range: clean(page.Range), TotalLines: page.TotalLines, TotalBytes: page.TotalBytes,
	}
	if r.Search != "" && page.Text == "" {
		out.Range += "; " + searchHint
	}
	if page.Next != nil {
		r.ID, r.Selection = cmp.Or(page.ID, r.ID), *page.Next // a kept answer has none
		r.Limit, r.Fill = asked, false                        // it is not an argument
		out.Next = &next{c.o.ToolPrefix + "read_artifact", json.RawMessage(plainJSON(r))}
	}
	return reply{out, out.String()}
}

// String returns the text between lines that describe it.
func (p pageResult) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%s of %d lines, %d bytes]\n%s", p.Range, p.TotalLines, p.TotalBytes, p.Text)
	if p.Next != nil {
		if !strings.HasSuffix(p.Text, "\n") {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "[next: %s %s]", p.Next.Tool, p.Next.Arguments)
	}
	return b.String()
}
