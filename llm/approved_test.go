package llm

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ctxledger.dev/config"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/trust"
	"ctxledger.dev/workspace"
)

// approved returns a summarizer as the user's own configuration names it.
func approved(tb testing.TB, c config.Summarizer) trust.Approved {
	tb.Helper()
	e := env.System()
	e.Home, e.Lookup = tb.TempDir(), func(string) string { return "" }
	settings := map[string]any{"kind": c.Kind}
	for key, value := range map[string]string{
		"url": c.URL, "model": c.Model, "key_env": c.KeyEnv, "sections": c.Sections, "template": c.Template,
	} {
		if value != "" {
			settings[key] = value
		}
	}
	for key, value := range map[string][]string{"command": c.Command, "key_command": c.KeyCommand} {
		if value != nil {
			settings[key] = value
		}
	}
	if c.Output > 0 {
		settings["max_output"] = c.Output
	}
	raw, err := json.Marshal(map[string]any{"summarizer": settings}) // which is YAML
	if err == nil {
		err = os.MkdirAll(filepath.Dir(config.UserFile(e)), 0o700)
	}
	if err == nil {
		err = os.WriteFile(config.UserFile(e), raw, 0o600)
	}
	if err != nil {
		tb.Fatal(err)
	}
	a, err := trust.Check(e, workspace.Workspace{})
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// newClient returns a client of a summarizer. The file has whole seconds for its timeout: here it may be any.
func newClient(tb testing.TB, c config.Summarizer) *Client {
	tb.Helper()
	e := env.System()
	e.Lookup = func(name string) string { return map[string]string{"THE_KEY": " " + theKey + "\n"}[name] }
	cl, err := New(approved(tb, c), e, "")
	if err != nil {
		tb.Fatal(err)
	}
	cl.c.Timeout = c.Timeout
	return cl
}

func TestNothingIsAskedWithoutAnApproval(t *testing.T) {
	if cl, err := New(trust.Approved{}, env.System(), "m"); err == nil {
		t.Errorf("%+v", cl)
	}
}

// A client has the bounds of the file that it was approved from.
func TestTheTimeoutIsThatOfTheFile(t *testing.T) {
	cl, err := New(approved(t, config.Summarizer{Kind: config.KindOpenAI, URL: "https://a.example", Model: "m"}),
		env.System(), "")
	if err != nil || cl.c.Timeout != 3*time.Minute {
		t.Errorf("%+v, %v", cl.c, err)
	}
}
