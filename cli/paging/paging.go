// Package paging shows a person what may be longer than a screen in the pager of their choice.
package paging

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"syscall"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
)

// usual is the pager where the environment names none: it ends at once if everything fits, passes colours on, and leaves the
// text on the screen.
const usual = "less -FRX"

// Write has what write writes shown on a terminal, in the pager that PAGER names, or in less. Without either it is printed. That
// the person has left the pager before the end is no error. Errors: those of write; unavailable for a pager that fails.
func Write(ctx context.Context, e env.Env, out io.Writer, write func(w io.Writer) error) error {
	words := strings.Fields(e.Lookup("PAGER"))
	if len(words) == 0 {
		words = strings.Fields(usual)
	}
	program, err := exec.LookPath(words[0])
	if err != nil {
		return buffered(out, write)
	}
	cmd := exec.CommandContext(ctx, program, words[1:]...)
	cmd.Stdout, cmd.Stderr = out, out
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fault.Wrap(fault.Unavailable, "paging.write", err)
	}
	wrote := buffered(in, write)
	if errors.Is(wrote, syscall.EPIPE) {
		wrote = nil // the person has read enough
	}
	_ = in.Close() // it may have been left
	return errors.Join(wrote, fault.Wrap(fault.Unavailable, "paging.write", cmd.Wait()))
}

// buffered has write write in larger pieces.
func buffered(out io.Writer, write func(w io.Writer) error) error {
	w := bufio.NewWriter(out)
	return errors.Join(write(w), fault.Wrap(fault.Unavailable, "paging.write", w.Flush()))
}
