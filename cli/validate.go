package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/config"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
)

func validateCommand() command {
	return command{
		name: "config validate", args: "[FILE]", short: "Check a configuration file, and say where it is wrong",
		long: "Checks FILE as a workspace's configuration, or, without FILE, ctxledger.yaml and your own file. " +
			"It says what is wrong or has no effect, and where. Nothing is run and no daemon is started. The " +
			"exit status is 1 if a file has an error that would keep it from being used.",
		example: "ctxledger config validate\nctxledger config validate orchestration.yaml --json",
		was:     map[string]string{"validate": ""},
		does:    keeps, json: answers([]config.Checked{}),
		run: func(_ context.Context, a *action, args []string) error {
			checked, err := validateFiles(a, args)
			if err != nil {
				return err
			}
			if err := a.answer(checked, func(w io.Writer) { printValidated(a, w, checked) }); err != nil {
				return err
			}
			return firstUnusable(checked)
		},
	}
}

func validateFiles(a *action, args []string) ([]config.Checked, error) {
	if len(args) == 0 {
		ws, err := a.find()
		if err != nil {
			return nil, err
		}
		return config.Validate(a.Env, ws.Root), nil
	}
	c, err := config.ValidateFile(a.Env, a.absolute(args[0]))
	if _, ours := errors.AsType[*fault.Error](err); err != nil && !ours {
		err = fileError(args[0], err)
	}
	c.File = args[0]
	for i := range c.Problems {
		c.Problems[i].File = args[0]
	}
	return []config.Checked{c}, err
}

func printValidated(a *action, w io.Writer, checked []config.Checked) {
	for _, c := range checked {
		for _, p := range c.Problems {
			place, text := p.Place(), p.Severity.String()+": "+p.Message
			if p.Code != "" { // else it is about many
				text = p.Severity.String() + " " + p.Code + ": " + p.Message
			}
			fmt.Fprintf(w, "%s: %s\n", columns.OneLine(place), a.line(text, 1000))
			if p.Hint != "" {
				fmt.Fprintf(w, "  hint: %s\n", columns.OneLine(p.Hint))
			}
		}
		switch {
		case !c.Exists:
			fmt.Fprintf(w, "%s does not exist; the defaults apply\n", columns.OneLine(c.File))
		case len(c.Problems) == 0:
			fmt.Fprintf(w, "%s: no problems\n", columns.OneLine(c.File))
		}
	}
}

// firstUnusable returns an error for the first file that has one.
func firstUnusable(checked []config.Checked) error {
	for _, c := range checked {
		if n := c.Errors(); n > 0 {
			return fault.New(fault.Invalid, "cli.validate", "%s cannot be used: %s", c.File, chars.Plural(n, "error"))
		}
	}
	return nil
}
