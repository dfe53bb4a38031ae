//go:build linux

package vscodetest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// past are sessions of before: single turns of the recorded one, each as a session of its own that ended so many days
// ago, and began with other words. That is too old for the daemon to read by itself.
var past = []struct {
	turn, days int
	id         string
	said, says string
}{
	{5, 2, "0b0f1c52-6a1e-4c7e-9d7c-0f3b9a5d7e07", "We need printed receipts in",
		"Receipts have to be printed in"},
	{2, 4, "3c8d2a14-8d59-4b0c-8d4c-52f1c7a0e204", "Now discount codes:", "Customers ask for discount codes:"},
	{3, 11, "8f4e6b30-17a2-4f6d-a3be-9c0d1e2f3a03", "We oversold the oak table last week:",
		"The last oak table was sold twice:"},
}

// lasted is how long each of them took: the script needed no time to think.
const lasted = 25 * time.Minute

// carried is what the first request of a session reads from the provider's cache: what every request carries.
const carried = 5_339

// Ids of the recorded session: those of its records are not those of another session.
var (
	prompts = regexp.MustCompile(`(?m)^.*"promptId":"[^"]*","type":"user","message":\{"role":"user","content":"`)
	follows = regexp.MustCompile(`^\{"parentUuid":"[^"]*"`)
	cached  = regexp.MustCompile(`"cache_read_input_tokens":(\d+)`)
	records = regexp.MustCompile(`"(uuid|parentUuid|id|tool_use_id|sourceToolAssistantUUID)":"([a-z]*_?)([0-9A-Za-z-]+)"`)
)

// leavePast writes the files of sessions of before.
func (s *scene) leavePast(t *testing.T) {
	t.Helper()
	raw, err := os.ReadFile(recording)
	must(t, err)
	begins := prompts.FindAllIndex(raw, -1)
	for _, p := range past {
		end := len(raw)
		if p.turn < len(begins) {
			end = begins[p.turn][0]
		}
		turn := alone(t, raw[begins[p.turn-1][0]:end])
		turn = bytes.ReplaceAll(turn, []byte(sessionID), []byte(p.id))
		turn = bytes.ReplaceAll(turn, []byte(p.said), []byte(p.says))
		turn = records.ReplaceAll(turn, fmt.Appendf(nil, `"$1":"${2}%d$3"`, p.turn))
		file := filepath.Join(filepath.Dir(s.session), p.id+".jsonl")
		ended := time.Now().AddDate(0, 0, -p.days)
		s.put(t, file, between(t, inHere(turn, s.Workspace), ended.Add(-lasted), ended))
		must(t, os.Chtimes(file, ended, ended))
	}
}

// alone is a turn as it would be if a session had begun with it: it follows nothing, and its requests have none of the
// turns before it.
func alone(t *testing.T, turn []byte) []byte {
	t.Helper()
	less := -1
	return cached.ReplaceAllFunc(follows.ReplaceAll(turn, []byte(`{"parentUuid":null`)), func(field []byte) []byte {
		n, err := strconv.Atoi(string(cached.FindSubmatch(field)[1]))
		must(t, err)
		if less < 0 {
			less = n - carried
		}
		return fmt.Appendf(nil, `"cache_read_input_tokens":%d`, n-less)
	})
}
