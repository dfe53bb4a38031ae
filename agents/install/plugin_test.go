package install

import (
	"path/filepath"
	"testing"

	"ctxledger.dev/agents/registry"
)

// TestAnEnabledPluginIsFound has the settings as Claude Code 2.1.328 writes them when a plugin is installed, disabled and
// removed, by scope.
func TestAnEnabledPluginIsFound(t *testing.T) {
	const (
		user    = "home/.claude/settings.json"
		project = "project/.claude/settings.json"
		local   = "project/.claude/settings.local.json"
		on      = `{"enabledPlugins": {"ctxledger@ctxledger": true}}`
		off     = `{"enabledPlugins": {"ctxledger@ctxledger": false}}`
		list    = `{"enabledPlugins": ["ctxledger@ctxledger"]}`
		other   = `{"enabledPlugins": {"other@ctxledger": true}}`
		hostile = `{"enabledPlugins": {"ctxledger@x; rm -rf ~": true, "ctxledger@--all": true}}`
		team    = "\ufeff" + `{"enabledPlugins": {"ctxledger@team": true}}`
		ignored = "// mine\n" + `{"enabledPlugins": {"ctxledger@team": true}}`
		disable = "claude plugin disable ctxledger@ctxledger --scope "
	)
	for what, c := range map[string]struct {
		files    map[string]string
		at, with string // where it is enabled, and what disables it; "": it is not
	}{
		"none":     {map[string]string{}, "", ""},
		"user":     {map[string]string{user: on}, user, disable + "user"},
		"bom":      {map[string]string{user: team}, user, "claude plugin disable ctxledger@team --scope user"},
		"comments": {map[string]string{user: ignored}, "", ""}, // then nothing in the file is in effect
		"disabled": {map[string]string{user: off}, "", ""},
		"removed":  {map[string]string{user: `{"enabledPlugins": {}}`}, "", ""},
		"project":  {map[string]string{user: off, project: on}, project, disable + "project"},
		"local":    {map[string]string{local: on}, local, disable + "local"},
		"off here": {map[string]string{user: on, local: off}, "", ""},
		"another":  {map[string]string{user: other}, "", ""},
		"hostile":  {map[string]string{project: hostile}, "", ""},
		"odd":      {map[string]string{user: list, project: `[`, local: "\x00"}, "", ""},
	} {
		top, m := aCase{files: c.files}.place(t)
		h := registry.Of("claude-code")
		got := m.Plugin(h)
		switch {
		case c.at == "" && got != nil, c.at != "" && got == nil:
			t.Errorf("%s: %+v", what, got)
		case got != nil && (got.Path != filepath.Join(top, filepath.FromSlash(c.at)) || got.Off != c.with):
			t.Errorf("%s: %+v", what, got)
		}
		other := registry.Of("codex")
		if got := m.Plugin(other); got != nil {
			t.Errorf("%s: another agent: %+v", what, got)
		}
	}
}
