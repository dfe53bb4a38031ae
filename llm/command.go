package llm

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/process"
	"ctxledger.dev/internal/termtext"
	"ctxledger.dev/window/overflow"
)

const (
	maxOutput = 4 << 20         // bytes that a program may write
	killDelay = 2 * time.Second // for the pipes of a killed program's children to close
)

// askCommand has a program write: the whole prompt goes to its standard input. Its answer is what a terminal
// would show: some draw while they think.
func (cl *Client) askCommand(ctx context.Context, p compaction.Prompt) (compaction.Reply, error) {
	text, err := cl.run(ctx, "command", p.System+"\n\n"+p.Text, maxOutput)
	if err != nil {
		return compaction.Reply{}, err
	}
	return compaction.Reply{Text: string(termtext.Render(nil, []byte(text)))}, nil
}

// run runs the program of a setting with a text on its standard input and returns what it writes to its standard
// output, at most limit bytes. When ctx ends, its whole process group is killed. Errors: denied for a program that has
// changed since it was confirmed; not_found for no such program; unavailable when it fails, with the end of
// what it says; limited when it says too much;
// too_large when it says that the prompt is too long.
func (cl *Client) run(ctx context.Context, setting, in string, limit int) (string, error) {
	const op = "llm.command"
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	out, complaint := &capped{limit: limit, full: stop}, termtext.NewTail(termtext.ErrorTail)
	x, err := cl.approved.Program(setting)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, x.Path, x.Args...)
	cmd.Dir, cmd.Env = x.Dir, x.Env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(in), out, complaint
	cmd.WaitDelay = killDelay
	process.Group(cmd)
	err = cmd.Run()
	name := short(filepath.Base(x.Path), 200)
	switch {
	case out.over:
		return "", fault.New(fault.Limited, op, "the program %s wrote more than %d bytes", name, limit)
	case ctx.Err() != nil:
		return "", fault.Wrap(fault.Unavailable, op, ctx.Err())
	case errors.Is(err, fs.ErrNotExist):
		return "", fault.New(fault.NotFound, op, "no program %s", name)
	case errors.Is(err, exec.ErrWaitDelay):
		_ = cmd.Cancel() // what it left behind holds its pipes
		return "", fault.New(fault.Unavailable, op, "the program %s exited with children running", name)
	case err != nil:
		return "", cl.died(name, err, string(complaint.AppendTo(nil)))
	}
	return out.kept.String(), nil
}

// died is the error of a program that failed, with the end of its output, which names the cause.
func (cl *Client) died(name string, err error, said string) error {
	code := fault.Unavailable
	if cl.tooLarge(overflow.Response{Err: errors.New(said)}, compaction.Prompt{}) {
		code = fault.TooLarge
	}
	said = cl.masks.String(said)
	if cl.Died != nil && code == fault.Unavailable {
		cl.Died(termtext.LastLines(said, termtext.DeathLines))
	}
	const most = 300
	if said = short(chars.Tail(said, most), most); said != "" {
		said = ": " + said
	}
	return fault.New(code, "llm.command", "the program %s failed (%s)%s", name, short(err.Error(), 100), said)
}

// capped keeps what is written to it up to a limit, and calls full beyond it.
type capped struct {
	kept  bytes.Buffer
	limit int
	over  bool
	full  func()
}

// Write implements io.Writer.
func (c *capped) Write(p []byte) (int, error) {
	if c.kept.Len()+len(p) > c.limit {
		c.over = true
		c.full()
		return 0, errors.New("too much output")
	}
	return c.kept.Write(p)
}

// short is a foreign text as one line of at most limit characters, without control characters.
func short(s string, limit int) string {
	return chars.Short(visible(s), limit)
}

// visible is the beginning of a foreign text as one line, without control characters.
func visible(s string) string {
	const most = 64 << 10 // bytes: more is not looked at
	return strings.Join(strings.Fields(chars.Strip(s[:min(len(s), most)])), " ")
}
