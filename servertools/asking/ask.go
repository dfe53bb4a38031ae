package asking

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/process"
	"ctxledger.dev/ledger"
	"ctxledger.dev/trust"
)

// Bounds of the process that asks. It ends by itself before them.
const (
	maxTime  = 45 * time.Second // 30 of them for the server
	maxReply = 1 << 20          // bytes: a server has at most 256 tools with short names
	grace    = 5 * time.Second  // to end the server once nothing waits for it
)

const op = "servertools.asking"

// Ask has an approved server asked by the program ctxmcp in the folder of this program. Errors: denied when it is not
// what was approved; unavailable when there is no such program, when the server fails or does not answer in time, and when
// ctx ends; limited when it answers too much; invalid when it does not answer as an MCP server does. Secrets in them are
// masked.
func Ask(ctx context.Context, approved trust.ApprovedServer) (Answer, error) {
	program, err := sibling()
	if err != nil {
		return Answer{}, err
	}
	return By(ctx, program, approved)
}

// sibling returns the program ctxmcp in the folder of this program, never one of PATH. Errors: unavailable.
func sibling() (string, error) {
	own, err := os.Executable()
	if err != nil {
		return "", fault.Wrap(fault.Unavailable, op, err)
	}
	if real, err := filepath.EvalSymlinks(own); err == nil {
		own = real
	}
	path := filepath.Join(filepath.Dir(own), "ctxmcp")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	return path, nil
}

// By is Ask with the program at a path.
func By(ctx context.Context, program string, approved trust.ApprovedServer) (Answer, error) {
	request, err := requestOf(approved)
	if err != nil {
		return Answer{}, err
	}
	raw, err := exchange(ctx, program, request)
	var reply Reply
	switch {
	case err != nil:
		return Answer{}, err
	case json.Unmarshal(raw, &reply) != nil, reply.Answer == nil && reply.Error == nil:
		return Answer{}, fault.New(fault.Unavailable, op, "%s does not answer this program", program).
			WithHint("install ctxmcp of the same version there")
	case reply.Error != nil:
		return Answer{}, reply.Error
	}
	return *reply.Answer, nil
}

// requestOf returns the request for a server as a line.
func requestOf(approved trust.ApprovedServer) ([]byte, error) {
	s := approved.Ask()
	if s.Config == "" {
		return nil, fault.New(fault.Denied, op, "no server is approved")
	}
	line, err := json.Marshal(Request{s.Root, s.Host(), s.Name, s.File, s.Digest()})
	if err != nil {
		return nil, fault.Wrap(fault.Internal, op, err)
	}
	if line = append(line, '\n'); len(line) > MaxRequest {
		return nil, fault.New(fault.TooLarge, op, "the server cannot be asked: its name is too long")
	}
	return line, nil
}

// exchange starts the program, sends it the request and returns what it prints. Its input stays open until ctx ends:
// that is how it learns that it is to end. It has a process group of its own, so that what a terminal sends to this
// program does not keep it from ending the server.
func exchange(ctx context.Context, program string, request []byte) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, maxTime)
	defer stop()
	out := &capped{left: maxReply}
	cmd := exec.CommandContext(ctx, program, Role)
	cmd.Stdout, cmd.WaitDelay = out, grace
	process.Group(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, op, err)
	}
	cmd.Cancel = in.Close // after grace it is killed
	if err := cmd.Start(); err != nil {
		_ = in.Close()
		return nil, unstarted(program, err)
	}
	_, _ = in.Write(request) // where that fails the program has ended, and its answer says so
	_ = cmd.Wait()           // its status says less than its answer
	switch late := ctx.Err(); {
	case out.left < 0:
		return nil, fault.New(fault.Limited, op, "the answer has more than %d KiB", maxReply>>10)
	case errors.Is(late, context.DeadlineExceeded):
		return nil, fault.New(fault.Unavailable, op, "the server did not answer in time")
	case late != nil:
		return nil, fault.Wrap(fault.Unavailable, op, late)
	}
	return out.kept.Bytes(), nil
}

// unstarted is the error of a program that cannot be started.
func unstarted(program string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.Unavailable, op, "asking a server needs the program ctxmcp: %s is missing", program).
			WithHint("install all ctxledger programs in one folder: `make build` puts them into bin/")
	}
	return fault.Wrap(fault.Unavailable, op, err)
}

// capped is a buffer with a size limit, beyond which writing fails.
type capped struct {
	kept bytes.Buffer
	left int
}

// Write implements io.Writer.
func (c *capped) Write(p []byte) (int, error) {
	if c.left -= len(p); c.left < 0 {
		return 0, io.ErrShortWrite
	}
	return c.kept.Write(p)
}

// Role is the first argument of ctxmcp that makes it ask. It is hidden: only Ask uses it.
const Role = "__ask"

// MaxRequest bounds a Request as it is sent, in bytes: an entry of a configuration names the server.
const MaxRequest = 64 << 10

// Request names a server and what was approved of it.
type Request struct {
	Root     string `json:"root"`     // of the workspace
	Host     string `json:"host"`     // "claude-code"
	Server   string `json:"server"`   // its name
	File     string `json:"file"`     // the configuration, absolute
	Approved string `json:"approved"` // the digest of what the person has seen
}

// Reply is what the process prints: an answer, or why there is none.
type Reply struct {
	Answer *Answer      `json:"answer,omitempty"`
	Error  *fault.Error `json:"error,omitempty"`
}

// Answer is what a server answered.
type Answer struct {
	Tools        []ledger.AskedTool `json:"tools"`
	Instructions int                `json:"instructions"` // o200k_base tokens of what it says about itself
}

// Kept is the answer of a server as the ledger keeps it: in the place of what the same server answered before.
func (a Answer) Kept(s trust.ServerAsk) ledger.KeepServerRequest {
	return ledger.KeepServerRequest{Place: s.File + "\x00" + s.Name,
		AskedServer: ledger.AskedServer{Config: s.Config, Tools: a.Tools, Instructions: a.Instructions}}
}
