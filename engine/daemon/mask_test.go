package daemon

import (
	"errors"
	"os"
	"strings"
	"testing"

	"ctxledger.dev/internal/env"
)

func TestNoSecretLeavesThroughTheLog(t *testing.T) {
	secret := "ghp_" + strings.Repeat("Ab1x", 9) // in parts, so that no scanner takes this file for a leak
	l, err := openLog(t.TempDir(), false)
	if err != nil {
		t.Fatal(err)
	}
	e := env.System()
	log := logger(l, e)
	log.Info("own", "workspace", "/w/"+secret)
	log.With("call", secret).Warn("quoting \"" + secret + "\"")
	_ = toWire(errors.New("open: token="+secret), e, log)
	_ = guarded(e, log, func() error { panic("with\n" + secret) })
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(l.path)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(raw); strings.Contains(text, secret) || strings.Count(text, "[masked:github-token:") != 5 {
		t.Errorf("the log:\n%s", text)
	}
}
