package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ctxledger.dev/config"
)

func (a *app) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show the settings that are in force, and where each was set",
		Long: "Prints every setting with its value and the file and line that set it, or \"default\". Settings come\n" +
			"from ctxledger.yaml in the workspace and from your own file, which overrides it.",
		Example: "  ctxledger config\n  ctxledger config --json\n  ctxledger config preset bursty >> ctxledger.yaml",
		Args:    a.args(0, 0),
		RunE:    func(*cobra.Command, []string) error { return a.showConfig() },
	}
	cmd.AddCommand(a.presetCommand(), a.windowCommand())
	return cmd
}

// settingAnswer is a setting as it is answered.
type settingAnswer struct {
	config.Setting
	From string `json:"from"`
}

func (a *app) showConfig() error {
	ws, err := a.find()
	if err != nil {
		return err
	}
	answers := []settingAnswer{}
	for _, s := range a.settings(ws).Effective() {
		from := "default"
		if s.From.File != "" {
			from = s.From.String()
		}
		answers = append(answers, settingAnswer{s, from})
	}
	return a.answer(answers, func(w io.Writer) {
		t := a.newTable("SETTING", ">VALUE", "UNIT", "FROM")
		t.Wide = true // half a path leads nowhere
		for _, s := range answers {
			t.Add(s.Path, s.String(), s.Unit, s.From)
		}
		t.Print(w)
	})
}

func (a *app) presetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "preset [NAME]",
		Short: "Print the settings for a kind of session, to be put into a configuration file",
		Long: "Without NAME it lists the presets. With NAME it prints one as a part of a configuration file, with what it\n" +
			"changes in comments. It changes no file.",
		Example: "  ctxledger config preset\n  ctxledger config preset reviewer",
		Args:    a.args(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.answer(config.Presets(), a.printPresets)
			}
			p, err := config.PresetOf(args[0])
			if err != nil {
				return err
			}
			return a.answer(p, func(w io.Writer) { fmt.Fprint(w, p.Text()) })
		},
	}
}

func (a *app) printPresets(w io.Writer) {
	t := a.newTable("PRESET", "FOR")
	for _, p := range config.Presets() {
		t.Add(p.Name, p.For)
	}
	t.Print(w)
}
