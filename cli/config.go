package cli

import (
	"context"
	"fmt"
	"io"

	"ctxledger.dev/config"
)

func configCommand() command {
	return command{
		name: "config", short: "Show the settings; validate, trust, preset, window, models",
		long: "Prints every setting with its value and the file and line that set it, or \"default\". Settings " +
			"come from ctxledger.yaml in the workspace and from your own file, which overrides it.",
		example: "ctxledger config\nctxledger config --json",
		does:    keeps, json: answers([]settingAnswer{}),
		at: shows(func(_ context.Context, a *action, _ []string) (out []settingAnswer, err error) {
			for _, s := range a.settings(a.place).Effective() {
				from := "default"
				if s.From.File != "" {
					from = s.From.String()
				}
				out = append(out, settingAnswer{s, from})
			}
			return out, nil
		}, func(a *action, w io.Writer, answers []settingAnswer) {
			t := a.newTable("SETTING", ">VALUE", "UNIT", "FROM")
			t.Wide = true // half a path leads nowhere
			for _, s := range answers {
				t.Add(s.Path, s.String(), s.Unit, s.From)
			}
			t.Print(w)
		}),
	}
}

// settingAnswer is a setting as it is answered.
type settingAnswer struct {
	config.Setting
	From string `json:"from"`
}

func presetCommand() command {
	return command{
		name: "config preset", args: "[NAME]", short: "Print the settings for a kind of session",
		long: "Without NAME it lists the presets. With NAME it prints that preset as configuration text, with " +
			"comments that say what it changes. It changes no file.",
		example: "ctxledger config preset\nctxledger config preset reviewer >> ctxledger.yaml",
		does:    keeps, everywhere: true, json: answers([]config.Preset{}, config.Preset{}),
		run: func(_ context.Context, a *action, args []string) error {
			if len(args) == 0 {
				return a.answer(config.Presets(), func(w io.Writer) {
					t := a.newTable("PRESET", "FOR")
					t.Wide = true
					for _, p := range config.Presets() {
						t.Add(p.Name, p.For)
					}
					t.Print(w)
				})
			}
			p, err := config.PresetOf(args[0])
			if err != nil {
				return err
			}
			return a.answer(p, func(w io.Writer) { fmt.Fprint(w, p.Text()) })
		},
	}
}
