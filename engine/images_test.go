package engine_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"strconv"
	"testing"

	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// TestAnImageFillsTheWindowByItsSize: a small one takes less than a large one, by the counter of the session's model.
func TestAnImageFillsTheWindowByItsSize(t *testing.T) {
	l := open(t)
	used := func(side int) int {
		var b bytes.Buffer
		if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, side, side))); err != nil {
			t.Fatal(err)
		}
		raw := `{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` +
			base64.StdEncoding.EncodeToString(b.Bytes()) + `"}}]}`
		id := strconv.Itoa(side)
		r, err := l.AppendEntries(t.Context(), ledger.AppendEntriesRequest{Import: id,
			Session: sessions.Session{Host: "h", HostID: id}, Next: 1, Done: true, Entries: []sessions.NewEntry{{
				Kind: sessions.KindMessage, Format: transcript.Anthropic, Original: []byte(raw)}}})
		if err != nil {
			t.Fatal(err)
		}
		st, err := l.Status(t.Context(), ledger.StatusRequest{Session: r.Session, Model: "claude-opus-4-8"})
		if err != nil {
			t.Fatal(err)
		}
		return st.Used.N
	}
	const framing = 8
	if small, large := used(100), used(1000); small > 16+framing || large < 1290 || large > 1296+framing {
		t.Errorf("images of 16 and 1,296 tokens fill %d and %d", small, large)
	}
}
