package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/config"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

func windowCommand() command {
	automatic := false
	return command{
		name: "config window", args: "[MODEL] [TOKENS]", short: "Show a model's possible window sizes, or set one",
		long: "With TOKENS it writes the window size into your own configuration, where it applies to every " +
			"workspace and overrides what is measured or known. Everything else in the file stays. Without " +
			"TOKENS it lists the possible window sizes of MODEL (default: the newest session's model), the " +
			"one in use first. --automatic removes your setting.",
		example: "ctxledger config window\nctxledger config window claude-opus-4-6 200000\n" +
			"ctxledger config window claude-opus-4-6 --automatic",
		does: undoable, undo: "a setting, not content", json: answers(windowAnswer{}),
		flags: func(f *pflag.FlagSet) {
			f.BoolVar(&automatic, "automatic", false, "remove your setting; use what is measured or known")
		},
		run: func(ctx context.Context, a *action, args []string) error {
			switch {
			case automatic && len(args) == 1:
				return setWindow(a, args[0], 0)
			case automatic:
				return fault.New(fault.Invalid, "cli.window", "--automatic takes a model, but no token count").
					WithHint("`ctxledger config window MODEL --automatic`")
			case len(args) == 2:
				short := strings.NewReplacer(",", "", "_", "", "k", "000", "K", "000", "M", "000000")
				n, err := strconv.Atoi(short.Replace(args[1]))
				if err != nil || n == 0 {
					return fault.New(fault.Invalid, "cli.window", "%.40q is not a number of tokens", args[1]).
						WithHint("for example 200000, 200k or 1M")
				}
				return setWindow(a, args[0], n)
			}
			if err := a.open(ctx); err != nil {
				return err
			}
			return showWindow(ctx, a, args)
		},
	}
}

// windowAnswer is what is known of a model's window.
type windowAnswer struct {
	Model  string              `json:"model"`
	Window int                 `json:"window"` // tokens; 0: not known
	Sizes  []ledger.WindowSize `json:"sizes"`  // that it may have
	File   string              `json:"file"`   // where it is set
}

// showWindow lists the sizes that the window of a model may have, of the newest session's if none is named.
func showWindow(ctx context.Context, a *action, args []string) error {
	out := windowAnswer{Model: strings.Join(args, ""), File: config.UserFile(a.Env), Sizes: []ledger.WindowSize{}}
	s, err := a.session(ctx, "")
	switch {
	case err == nil:
		st, err := a.ledger.Status(ctx, ledger.StatusRequest{Session: s.ID, Model: out.Model, Brief: true})
		if err != nil {
			return err
		}
		out.Model, out.Window, out.Sizes = cmp.Or(out.Model, st.Model), st.Window, append(out.Sizes, st.Windows...)
	case out.Model == "" || !fault.Is(err, fault.NotFound):
		return err
	default:
		models, err := a.models()
		if err != nil {
			return err
		}
		if out.Window, _ = models.Window(out.Model); out.Window > 0 {
			out.Sizes = append(out.Sizes,
				ledger.WindowSize{Tokens: out.Window, From: ledger.KnownWindow(models, out.Model)})
		}
	}
	return a.answer(out, func(w io.Writer) { printWindow(a, w, out, s) })
}

func printWindow(a *action, w io.Writer, out windowAnswer, s sessions.Session) {
	if out.Model == "" {
		fmt.Fprintf(w, "the model of session %s, the newest, is not known\nto see or set a model's window: "+
			"ctxledger config window MODEL [TOKENS]\n", s.ID)
		return
	}
	model := a.line(out.Model, statusLine)
	if len(out.Sizes) == 0 {
		fmt.Fprintf(w, "the window of %s is not known\n", model)
	} else {
		t := a.newTable(">WINDOW", "BECAUSE", "")
		for i, size := range out.Sizes {
			inForce := ""
			if i == 0 {
				inForce = "in effect"
			}
			t.Add(chars.Commas(size.Tokens), size.Words(), inForce)
		}
		t.Print(w)
	}
	fmt.Fprintf(w, "to set it: ctxledger config window %s TOKENS\n", columns.OneLine(model))
}

// setWindow writes the window of a model into the user's configuration; with 0 it takes it out.
func setWindow(a *action, model string, n int) error {
	ws, err := a.find()
	if err != nil && !fault.Is(err, fault.Unavailable) { // no ledger is needed
		return err
	}
	out := windowAnswer{Model: model, Window: n, Sizes: []ledger.WindowSize{}}
	text := "the window of " + a.line(model, statusLine) + " is no longer set"
	if n == 0 {
		out.File, err = config.ClearWindow(a.Env, ws.Root, model)
	} else {
		out.File, err = config.SetWindow(a.Env, ws.Root, model, n)
		out.Sizes = append(out.Sizes, ledger.WindowSize{Tokens: n, From: ledger.WindowSet})
		text = a.line(model, statusLine) + " has a window of " + chars.Commas(n) + " tokens"
	}
	if err != nil {
		return err
	}
	return a.answer(out, func(w io.Writer) { fmt.Fprintf(w, "%s: %s\n", text, columns.OneLine(out.File)) })
}
