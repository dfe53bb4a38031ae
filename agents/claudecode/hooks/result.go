package hooks

import (
	"encoding/json"
	"strings"
)

// Result is the text of a result that can be replaced.
type Result struct {
	Text string
	// File is where the whole text is, if Text is only its beginning, and Size is its length in bytes. The file name is
	// what the event says; it is not checked.
	File string
	Size int64
	// First is the number of the first line of Text, if it is of a file that was read, else 1.
	First int

	shape  shape
	stderr string     // of shapeBash
	read   fileRead   // of shapeRead
	blocks []rawBlock // of shapeBlocks
}

// shape is the form of a result.
type shape int

const (
	shapeNone   shape = iota
	shapeBash         // an object with stdout
	shapeString       // of an MCP tool
	shapeBlocks       // of an MCP tool
	shapeRead         // of the tool Read: an object with the file; the model reads its lines with numbers
)

// bash is the result of the tool Bash.
type bash struct {
	Stdout      *string `json:"stdout"`
	Stderr      *string `json:"stderr"`
	Interrupted bool    `json:"interrupted"`
	IsImage     bool    `json:"isImage"`
	Background  string  `json:"backgroundTaskId"`
	Path        string  `json:"persistedOutputPath"`
	Size        int64   `json:"persistedOutputSize"`
}

// replaced is what replaces the result of Bash: Claude Code ignores an object without one of these members.
type replaced struct {
	Stdout      string `json:"stdout"`
	Stderr      string `json:"stderr"`
	Interrupted bool   `json:"interrupted"`
	IsImage     bool   `json:"isImage"`
}

// fileRead is the result of the tool Read for a text. Claude Code takes nothing but such an object in its place (seen
// with 2.1.328).
type fileRead struct {
	Type string `json:"type"`
	File struct {
		Path    string  `json:"filePath"`
		Content *string `json:"content"`
		Lines   int     `json:"numLines"`
		Start   int     `json:"startLine"`
		Total   int     `json:"totalLines"`
	} `json:"file"`
}

// block is one block of the content of an MCP result.
type block struct {
	Type string  `json:"type"`
	Text *string `json:"text"`
}

// The tools whose results have a shape of their own.
const (
	Bash = "Bash" // runs a command
	Read = "Read" // reads a file
)

// mcpTool is how the names of tools of MCP servers begin.
const mcpTool = "mcp__"

// Result returns the result of PostToolUse. ok is false for a result that cannot be replaced: Claude Code takes only
// what has the shape of the original, and not of every tool. An image, an interrupted command and one that runs on in
// the background stay.
func (e Event) Result() (r Result, ok bool) {
	switch {
	case e.Name != PostToolUse:
		return Result{}, false
	case e.Tool == Bash:
		var b bash
		if json.Unmarshal(e.Response, &b) != nil || b.Stdout == nil || b.Stderr == nil || b.Interrupted || b.IsImage ||
			b.Background != "" {
			return Result{}, false
		}
		return Result{Text: *b.Stdout, File: b.Path, Size: b.Size, First: 1, shape: shapeBash, stderr: *b.Stderr}, true
	case e.Tool == Read:
		var f fileRead
		if json.Unmarshal(e.Response, &f) != nil || f.Type != "text" || f.File.Content == nil {
			return Result{}, false
		}
		return Result{Text: *f.File.Content, First: max(1, f.File.Start), shape: shapeRead, read: f}, true
	case strings.HasPrefix(e.Tool, mcpTool):
		return mcpResult(e.Response)
	}
	return Result{}, false
}

// Paged reports whether a call asked for a part of a file: its result is as large as the agent wants it.
func (e Event) Paged() bool {
	var args struct {
		Offset *float64 `json:"offset"`
		Limit  *float64 `json:"limit"`
	}
	return e.Tool == Read && json.Unmarshal(e.Input, &args) == nil && (args.Offset != nil || args.Limit != nil)
}

// mcpResult reads the result of an MCP tool: a text, or blocks with texts among them.
func mcpResult(raw json.RawMessage) (Result, bool) {
	if len(raw) > 0 && raw[0] == '"' {
		var text string
		err := json.Unmarshal(raw, &text)
		return Result{Text: text, First: 1, shape: shapeString}, err == nil
	}
	blocks, ok := blocksOf(raw)
	if !ok {
		return Result{}, false
	}
	var texts []string
	for _, b := range blocks {
		if b.text != nil {
			texts = append(texts, *b.text)
		}
	}
	return Result{Text: strings.Join(texts, "\n"), First: 1, shape: shapeBlocks, blocks: blocks}, len(texts) > 0
}

// rawBlock is a block with its JSON; text is nil for one that is not text.
type rawBlock struct {
	raw  json.RawMessage
	text *string
}

func blocksOf(raw json.RawMessage) (out []rawBlock, ok bool) {
	var list []block
	if json.Unmarshal(raw, &list) != nil || list == nil {
		return nil, false
	}
	whole := make([]json.RawMessage, len(list)) // needed of what is not text
	for i, b := range list {
		switch {
		case b.Type == "" || b.Type == "text" && b.Text == nil:
			return nil, false
		case b.Type != "text":
			if whole[i] == nil && json.Unmarshal(raw, &whole) != nil {
				return nil, false
			}
			b.Text = nil
		}
		out = append(out, rawBlock{whole[i], b.Text})
	}
	return out, true
}

// Replace returns the output of PostToolUse that lets the model read text instead of the result. What else the result
// has stays: standard error, images.
func (e Event) Replace(r Result, text string) []byte {
	var output any
	switch r.shape {
	case shapeBash:
		output = replaced{Stdout: text, Stderr: r.stderr}
	case shapeRead:
		f := r.read
		f.File.Content, f.File.Start, f.File.Lines = &text, 1, strings.Count(text, "\n")+1
		output = f
	case shapeString:
		output = text
	case shapeBlocks:
		output = replaceBlocks(r.blocks, text)
	default:
		return nil
	}
	return answer(specific{Event: PostToolUse, Output: output})
}

// replaceBlocks puts text in the place of the first text block, and leaves the other ones out.
func replaceBlocks(blocks []rawBlock, text string) []any {
	out := []any{}
	for done := false; len(blocks) > 0; blocks = blocks[1:] {
		switch b := blocks[0]; {
		case b.text == nil:
			out = append(out, b.raw)
		case !done:
			out = append(out, block{Type: "text", Text: &text})
			done = true
		}
	}
	return out
}
