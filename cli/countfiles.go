package cli

import (
	"context"
	"errors"
	"io"
	"os"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/tokens"
	"ctxledger.dev/tokens/filecount"
)

// counting is what one command counts.
type counting struct {
	texts   []*filecount.Text
	counter tokens.Counter
	ignored []string // directories in which git ignores all there is
}

// countFiles counts the texts that the paths name. Errors: those of filecount.Add.
func countFiles(ctx context.Context, a *action, c tokens.Counter, paths []string) (*counting, error) {
	bar := a.progress("counting")
	o := filecount.Options{Counter: c, Open: func(x *filecount.Text) (io.ReadCloser, error) { return openText(a, x) }}
	if bar.w != nil {
		o.Found, o.Read = bar.expect, bar.advance
	}
	t, found := filecount.New(ctx, o), &counting{counter: c}
	var err error
	for _, p := range paths {
		if err = countPath(a, t, found, p); err != nil {
			break
		}
	}
	found.texts, err = t.Done(err)
	bar.done()
	for _, x := range found.texts {
		x.Err = explained(x)
	}
	return found, err
}

// countPath finds what a path names: a text, or all texts in a directory.
func countPath(a *action, t *filecount.Counter, found *counting, name string) error {
	switch name {
	case "":
		return t.Add(&filecount.Text{Err: fault.New(fault.NotFound, "cli.count", "a path cannot be empty")})
	case "-":
		if terminal(a.In) {
			a.say("reading the text from the terminal; end it with Ctrl-D")
		}
		return t.Add(&filecount.Text{Name: name})
	}
	x := &filecount.Text{Name: name, Place: a.absolute(name)}
	info, err := os.Stat(x.Place)
	if err != nil {
		x.Err = err
		return t.Add(x)
	}
	if info.IsDir() {
		ignored, err := t.Dir(name, x.Place)
		if ignored {
			found.ignored = append(found.ignored, name)
		}
		return err
	}
	x.Size = info.Size()
	return t.Add(x)
}

// openText opens a text; "-" is standard input.
func openText(a *action, x *filecount.Text) (io.ReadCloser, error) {
	if x.Name == "-" {
		return io.NopCloser(a.In), nil
	}
	return openFile(columns.OneLine(x.Name), x.Place)
}

// explained returns why a text was not counted, with its name.
func explained(x *filecount.Text) error {
	if fault.Is(x.Err, fault.TooLarge) {
		return &fault.Error{Code: fault.TooLarge, Op: "cli.count", Message: columns.OneLine(x.Name), Err: x.Err}
	}
	if _, ok := errors.AsType[*fault.Error](x.Err); ok || x.Err == nil || errors.Is(x.Err, filecount.ErrBinary) {
		return x.Err
	}
	return fileError(columns.OneLine(x.Name), x.Err)
}
