package redact

import (
	"bytes"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestLinesMaskEveryRecordOfALog(t *testing.T) {
	secret := plant(t, rand.New(rand.NewPCG(1, 9)), "", "ghp_{an:36}").text
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(New(nil).Lines(&out), nil))
	log.Info("token "+secret, "at", "C:\\x\\"+secret, "quoted", `{"k":"`+secret+`"}`)
	if s := out.String(); strings.Contains(s, secret) || strings.Count(s, "[masked:github-token:") != 3 {
		t.Error(s)
	}
	w := New(nil).Lines(broken{})
	if n, err := w.Write([]byte("x")); n != 0 || err == nil {
		t.Errorf("a failed write: %d, %v", n, err)
	}
}
