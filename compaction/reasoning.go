package compaction

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/transcript"
)

const (
	reasoningHead = "[REASONING EXCERPTS — model thinking for compacted turns]"
	// reasoningChars bounds one excerpt.
	reasoningChars = 2_000
	// reasoningTurns is how many of the newest turns are looked through.
	reasoningTurns = 20
)

// addReasoning adds what the model thought at the end of the newest turns, where that was asked for.
func addReasoning(s *source, d *layout.Document) error {
	if !s.o.Reasoning {
		return nil
	}
	b := d.Block(&layout.Block{Head: reasoningHead})
	turns := 0
	for i := s.cut - 1; i >= 0 && turns < reasoningTurns; i-- {
		it := &s.in.Items[i]
		if it.Role != transcript.RoleAssistant {
			continue
		}
		text, err := s.in.excerptOf(it)
		if err != nil {
			return err
		}
		if text == "" {
			continue
		}
		d.Add(b, &layout.Line{Text: "Turn " + strconv.Itoa(max(1, it.Turn)) + " (" + agentOf("") + "): " + text,
			Class: layout.ClassSaid, Pos: it.first()})
		turns++
		i = beforeTurn(s.in.Items, i) + 1
	}
	return nil
}

// excerptOf returns the excerpt of one message, in one line.
func (in *Input) excerptOf(it *Item) (string, error) {
	text, err := in.reasoningOf(it)
	if err != nil {
		return "", err
	}
	text = strings.Join(strings.Fields(chars.Strip(text)), " ")
	if n := utf8.RuneCountInString(text); n > reasoningChars {
		text = chars.Head(text, reasoningChars) + " [TRUNCATED — " + chars.Commas(n) + " chars total]"
	}
	return text, nil
}

// beforeTurn returns the index of the last item before the turn of item i.
func beforeTurn(items []Item, i int) int {
	turn := items[i].Turn
	for i >= 0 && items[i].Turn == turn {
		i--
	}
	return i
}
