package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"ctxledger.dev/config"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/tokens"
)

func modelsCommand() command {
	var update string
	var undo bool
	return command{
		name: "config models", short: "Show the known models and prices, or update them",
		long: "Prints the table of models and prices that is in effect, with the date of the prices and where they " +
			"were published: the program's own table, plus the models in your configuration. --update accepts this " +
			"text.\n\n" +
			"--update replaces the lines of the models that FILE lists, for your user, in all workspaces, and " +
			"prints what has changed. A table that is older than the prices in effect, dated in the future, or with an " +
			"implausible price is refused. A newer version of the program, with newer prices, overrides the " +
			"file. --undo reverts the newest update.\n\n" +
			"Nothing is read from the network.",
		example: "ctxledger config models > models.txt",
		was:     map[string]string{"models": ""},
		does:    undoable, undo: "--undo", json: answers(modelsAnswer{}, repricedAnswer{}),
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&update, "update", "", "use the models and prices in `FILE` from now on")
			f.BoolVar(&undo, "undo", false, "undo the newest update")
		},
		check: func(*action, []string) error {
			if update != "" && undo {
				return misuse("--undo takes no other option")
			}
			return nil
		},
		run: func(_ context.Context, a *action, _ []string) error {
			if update != "" || undo {
				return reprice(a, update)
			}
			models, err := a.models()
			if err != nil {
				return err
			}
			t := models.Prices()
			answer := modelsAnswer{Date: t.Date, Sources: t.Sources}
			for _, m := range t.Models {
				answer.Models = append(answer.Models, m.Row())
			}
			return a.answer(answer, func(w io.Writer) { fmt.Fprint(w, modelsHead, t) })
		},
	}
}

// modelsHead says what the columns of the table are, as a comment that --update skips.
const modelsHead = "# model, encoding, window and longest answer in tokens; dollars for a million tokens of\n" +
	"# input, cache read, cache write and output; what else prices depend on. -: not known\n"

// modelsAnswer is the table in effect.
type modelsAnswer struct {
	Date    string   `json:"date"`
	Sources []string `json:"sources"`
	Models  []string `json:"models"` // the lines of the table
}

// repricedAnswer is what an update changed.
type repricedAnswer struct {
	File    string   `json:"file"`
	Was     string   `json:"was"` // dates of the prices
	Now     string   `json:"now"`
	Changes []string `json:"changes"` // lines of the table, before and now
}

// reprice updates the prices from a file, or with none goes back.
func reprice(a *action, file string) error {
	root := ""
	if ws, err := a.find(); err == nil {
		root = ws.Root // which must not decide for its user
	}
	change := func() (config.Repriced, error) { return config.UndoPrices(a.Env, root) }
	if file != "" {
		text, err := safefs.ReadFile(a.absolute(file), tokens.MaxTable)
		if err != nil {
			if _, ours := errors.AsType[*fault.Error](err); !ours {
				err = fileError(file, err)
			}
			return err
		}
		change = func() (config.Repriced, error) { return config.UpdatePrices(a.Env, root, text) }
	}
	out, err := change()
	if err != nil && file != "" {
		err = fault.New(fault.CodeOf(err), "cli.models", "%s: %s", file, err).WithHint("%s", fault.HintOf(err))
	}
	if err != nil {
		return err
	}
	answer := repricedAnswer{out.File, out.Was.Date, out.Now.Date, append([]string{}, out.Now.Since(out.Was)...)}
	a.say("prices of %s are in effect, replacing those of %s", answer.Now, answer.Was)
	a.hint("`ctxledger config models --undo` undoes that")
	return a.answer(answer, func(w io.Writer) {
		for _, line := range answer.Changes {
			fmt.Fprintln(w, line)
		}
	})
}

// models returns what is known of models where the user is: the built-in ones, and those of the
// configuration. No ledger is opened and no daemon started. Errors: those of workspace.Find.
func (a *action) models() (*tokens.Registry, error) {
	c, _, err := a.configured()
	return c.Models, err
}

// configured returns the settings that hold where the user is, and the root of the workspace; "": there is none. No ledger is
// opened. Errors: those of workspace.Find.
func (a *action) configured() (c config.Config, root string, err error) {
	ws, err := a.find()
	if fault.Is(err, fault.Unavailable) {
		return config.Default(), "", nil // there is no place for a ledger, but none is needed
	}
	if err != nil {
		return c, "", err
	}
	return a.settings(ws), ws.Root, nil
}
