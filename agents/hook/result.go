package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/agents/claudecode/hooks"
	"ctxledger.dev/artifacts"
	"ctxledger.dev/internal/filetext"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/internal/shell"
	"ctxledger.dev/ledger"
)

const (
	// maxInline is how much of a result travels inside a request, in bytes.
	maxInline = 2 << 20
	// maxSaved is how large a file with a result may be to be read, in bytes.
	maxSaved = limits.Line
)

// after answers PostToolUse.
func (r *run) after(ctx context.Context) ([]byte, error) {
	result, ok := r.event.Result()
	bounds := r.limits(r.event.Tool)
	least := bounds.Least()
	if !ok || least == 0 || r.ours() {
		return nil, nil
	}
	whole, err := r.whole(result)
	size := utf8.RuneCountInString(whole)
	if err != nil || size < least || artifacts.IsStub(whole) || !r.readable(ctx) {
		return nil, err
	}
	if err := r.open(ctx); err != nil {
		return nil, err
	}
	request := ledger.TakeResultRequest{LiveSession: r.live, CallID: r.event.CallID, Tool: r.event.Tool,
		Args: r.event.Input, Text: []byte(whole), Paged: r.event.Paged(), Limits: bounds}
	repeats := bounds.Repeated > 0 && size >= bounds.Repeated
	_, numbered, _ := shell.Printed(r.command())
	plain := filetext.Plain(whole, numbered)
	if repeats {
		request.Earlier, request.Lines = r.earlier(plain)
	}
	if len(whole) > maxInline {
		blob, err := r.api.PutBlob(ctx, bytes.NewReader(request.Text))
		if err != nil {
			return nil, err
		}
		request.Text, request.Blob = nil, blob.Hash
	}
	taken, err := r.api.TakeResult(ctx, request)
	if err != nil {
		return nil, err
	}
	if taken.Stub == "" {
		if repeats && result.File == "" { // of a file of the host, the model reads only the beginning
			lines := digests(strings.TrimRight(plain, " \t\r\n"))
			r.Contexts.show(printed{r.live.HostID, r.origin(), lines, result.First})
		}
		return nil, nil
	}
	return r.event.Replace(result, r.withCommand(taken.Stub)), nil
}

// ours reports whether the call was one of our own tools, or a command that runs our program: what reads back would be
// cut out again.
func (r *run) ours() bool {
	return strings.Contains(r.event.Tool, "ctxledger") || strings.Contains(r.command(), "ctxledger")
}

// command returns the command that the call runs, "" for none.
func (r *run) command() string {
	var args struct {
		Command string `json:"command"`
	}
	if json.Unmarshal(r.event.Input, &args) != nil {
		return ""
	}
	return args.Command
}

// whole returns the text of a result, from the file where the host put it if it passed on only the beginning. A file
// elsewhere than where the host keeps those of this session is not read.
func (r *run) whole(result hooks.Result) (string, error) {
	if result.File == "" {
		return result.Text, nil
	}
	dir := r.event.Saved()
	path := filepath.Clean(result.File)
	if dir == "" || filepath.Dir(path) != dir || result.Size > maxSaved {
		return "", nil
	}
	tree, err := safefs.Open(dir)
	if err != nil {
		return "", err
	}
	defer tree.Close() // only read
	return string(tree.Read(filepath.Base(path), maxSaved)), nil
}
