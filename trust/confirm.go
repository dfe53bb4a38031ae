package trust

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/workspace"
)

const question = "Type yes to allow exactly this, in this tree, until it changes: "

// Confirm is Check, but asks the person at the terminal for what is not confirmed, and keeps the answer. Both in and
// out have to be terminals: there is no other way to confirm, and no answer that could be prepared. Errors: those of
// Check; denied when the answer is not yes; those of keeping it.
func Confirm(e env.Env, ws workspace.Workspace, in io.Reader, out io.Writer) (Approved, error) {
	a, err := Check(e, ws)
	if !fault.Is(err, fault.Denied) {
		return a, err
	}
	tty, okIn := terminal(in)
	_, okOut := terminal(out)
	if !okIn || !okOut {
		return Approved{}, err
	}
	a, where, wantErr := wanted(e, ws)
	if wantErr != nil {
		return Approved{}, wantErr
	}
	fmt.Fprintf(out, "%s asks for something that needs your consent:\n", where)
	a.ask.Print(out)
	if err := discardTyped(tty); err != nil { // typed before the question could be read, it is no answer
		return Approved{}, fault.Wrap(fault.Unavailable, "trust.confirm", err)
	}
	fmt.Fprint(out, question)
	if answer(tty) != "yes" {
		return Approved{}, fault.New(fault.Denied, "trust.confirm", "you did not allow what %s asks for", where)
	}
	if err := give(ws, Consent{version, e.Now().UTC(), a.ask}); err != nil {
		return Approved{}, err
	}
	return a, nil
}

// terminal returns the file that is a terminal, if it is one.
func terminal(x any) (*os.File, bool) {
	f, ok := x.(*os.File)
	if !ok {
		return nil, false
	}
	info, err := f.Stat()
	// /dev/null is such a device too
	return f, err == nil && info.Mode()&os.ModeCharDevice != 0 && term.IsTerminal(f.Fd())
}

// answer reads a line from a terminal.
func answer(tty *os.File) string {
	const most = 100 // bytes
	var line []byte
	for one := make([]byte, 1); len(line) < most; {
		n, err := tty.Read(one)
		if n == 0 || err != nil || one[0] == '\n' {
			break
		}
		line = append(line, one[0])
	}
	return strings.TrimSpace(string(line))
}
