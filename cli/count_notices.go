package cli

import (
	"errors"
	"fmt"
	"io"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/config"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/tokens"
	"ctxledger.dev/tokens/filecount"
)

// What is named one by one on standard error; JSON has them all.
const (
	maxNotices  = 10
	maxFailures = 100
)

// printBound prints the upper bound of an estimate.
func printBound(w io.Writer, c tokens.Count) {
	fmt.Fprintf(w, "≈ is an estimate; upper bound: %s\n", chars.Plural(c.Upper, "token"))
}

// sayUnknown says that nothing is known of a model that was named, and what its counts are taken from instead.
func sayUnknown(a *action, model string, c tokens.Counter) error {
	if model == "" {
		return nil
	}
	models, err := a.models()
	if err != nil {
		return err
	}
	if _, known := models.Lookup(model); !known {
		a.say("the model %q is not known: its tokens are estimated from the encoding %s", model, c.Encoding())
		a.hint("describe it under models in %s", config.File)
	}
	return nil
}

// sayUncounted names what was not counted, or not as it is. Errors: invalid if a path could not be counted.
func sayUncounted(a *action, t *counting) error {
	var binary, invalid, failed []string
	for _, x := range t.texts {
		switch {
		case errors.Is(x.Err, filecount.ErrBinary):
			binary = append(binary, columns.OneLine(x.Name)+": binary, left out")
		case x.Err != nil:
			failed = append(failed, x.Err.Error())
		case x.Read.Invalid:
			invalid = append(invalid, columns.OneLine(x.Name)+": not valid UTF-8; each invalid part counts as U+FFFD")
		}
	}
	for _, name := range t.ignored {
		a.say("%s: git ignores everything in it; name the files to count them", name)
	}
	a.sayEach(binary, maxNotices, "more binary file")
	a.sayEach(invalid, maxNotices, "more file")
	a.sayEach(failed, maxFailures, "more path")
	if len(failed) > 0 {
		return fault.New(fault.Invalid, "cli.count", "%s could not be counted", chars.Plural(len(failed), "path"))
	}
	return nil
}

// reason says why a text was not counted, without its name.
func reason(err error) string {
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}

// sayEach writes lines to standard error, and of the rest how many there are.
func (a *action) sayEach(lines []string, most int, noun string) {
	for _, l := range lines[:min(len(lines), most)] {
		a.say("%s", l)
	}
	if n := len(lines) - most; n > 0 {
		a.say("and %s", chars.Plural(n, noun))
	}
}
