package compaction

import (
	"slices"
	"strconv"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/transcript"
)

const (
	saidHead = "[AGENT'S CLOSING WORDS — claims, not checked]"
	// saidTurns is how many of the newest turns are included.
	saidTurns = 10
	// saidTries is how many messages of a turn are looked at for one with a text.
	saidTries = 3
)

// addSaid adds what the agent said at the end of each of the newest turns: its report is often the only record of
// a reason.
func (s *source) addSaid(d *document) error {
	b := d.block(&block{head: saidHead})
	turns, tries := 0, 0
	for i := s.cut - 1; i >= 0 && turns < saidTurns; {
		it := &s.in.Items[i]
		if it.Role != transcript.RoleAssistant || isResult(it) {
			i--
			continue
		}
		text, err := s.textOf(it)
		if err != nil {
			return err
		}
		limit := 400
		if turns == 0 {
			limit = 800
		}
		text = oneLine(text, limit)
		if tries++; text == "" && tries < saidTries {
			i--
			continue
		}
		if text != "" {
			d.add(b, &line{text: "  turn " + strconv.Itoa(it.Turn) + ": " + text, class: classSaid, pos: it.first()})
		}
		turns++
		tries = 0
		i = s.beforeTurn(i)
	}
	return nil
}

// beforeTurn returns the index of the last item before the turn of item i.
func (s *source) beforeTurn(i int) int {
	turn := s.in.Items[i].Turn
	for i >= 0 && s.in.Items[i].Turn == turn {
		i--
	}
	return i
}

const artifactsHead = "[ARTIFACTS — large results kept outside the conversation: read_artifact(id=…)]"

// addArtifacts adds the handles of what is stored outside the conversation, the newest first.
func (s *source) addArtifacts(d *document) {
	b := d.block(&block{head: artifactsHead, more: countOf("  … and %s more artifact(s)")})
	seen := make(map[string]bool)
	for _, a := range slices.Backward(s.in.Artifacts) {
		if a.Seq > s.last || seen[a.ID] {
			continue
		}
		seen[a.ID] = true
		text := "  " + oneLine(a.ID, 64) + "  " + oneLine(a.Label, 140)
		if a.Tokens > 0 {
			text += " (" + chars.Commas(a.Tokens) + " tokens)"
		}
		d.add(b, &line{text: text, class: classArtifact, anchor: "handle:" + a.ID, pos: int64(len(seen))})
	}
}
