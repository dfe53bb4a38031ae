package main

import (
	"context"
	"regexp"
	"strings"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/engine/replay"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

// questions are asked about results that were cut. Each is about a line of one: the question has an identifier of it, and
// the answer is another one, which is nowhere in the request any more. A reader knows no more than the request: it takes
// the handle that stands in the place of the result and searches for the identifier, once.
type questions struct {
	api    ledger.ArtifactStore
	asked  map[string]bool // results that were asked about
	out    asking
	failed []string // why answers were not found
}

// asking is how many of the questions were answered.
type asking struct {
	Stubs      int `json:"stubs"`     // about results that have a stub
	Summaries  int `json:"summaries"` // about results that a summary replaces
	FoundStub  int `json:"found_stub"`
	FoundSum   int `json:"found_summary"`
	MostTokens int `json:"most_tokens"` // of an answer
}

const (
	mostAsked  = 4 // questions about a session of each kind
	fewLines   = 3
	mostTokens = 1_500 // of one answer
	askedChars = 4_000 // of one answer, so that it stays below that
)

// handle is what reads back what was cut.
var handle = regexp.MustCompile(`\b[0-9a-f]{12}\b`)

// readable is how a summary says what reads back all that it stands for.
var readable = regexp.MustCompile(`read_artifact\(id="([0-9a-f]{12})"`)

// about asks about results that a request as written has and as sent has not.
func (q *questions) about(ctx context.Context, r *reading, written, sent []block) {
	now := map[string]block{}
	summary := ""
	for _, b := range sent {
		if b.result {
			now[b.call] = b
		} else if readable.MatchString(b.text) {
			summary = readable.FindStringSubmatch(b.text)[1]
		}
	}
	for _, b := range written {
		if !b.result || q.asked[b.call] {
			continue
		}
		with, there := now[b.call]
		switch {
		case there && with.id != b.id && q.out.Stubs < mostAsked:
			if word, answer := questionOf(r, b, sent); word != "" {
				q.asked[b.call] = true
				q.out.Stubs++
				q.out.FoundStub += q.read(ctx, handle.FindString(with.text), artifacts.Selection{Grep: regexp.QuoteMeta(word)}, answer)
			}
		case !there && summary != "" && q.out.Summaries < mostAsked:
			if word, answer := questionOf(r, b, sent); word != "" {
				q.asked[b.call] = true
				q.out.Summaries++
				q.out.FoundSum += q.read(ctx, summary, artifacts.Selection{Search: word}, answer)
			}
		}
	}
}

// questionOf returns an identifier of a line, which few lines of the result have, and another one of the same line that a
// request lacks; "" if there is none.
func questionOf(r *reading, b block, sent []block) (word, answer string) {
	for line := range strings.Lines(b.text) {
		named, _ := replay.Identifiers(line)
		if len(named) == 0 || strings.Count(b.text, named[0]) > fewLines {
			continue
		}
		for i := 1; i < len(named); i++ {
			if named[i] != named[0] && strings.Contains(line, named[0]) && strings.Contains(line, named[i]) && !has(r, sent, named[i]) {
				return named[0], named[i]
			}
		}
	}
	return "", ""
}

// read reads back what a handle names, and returns 1 if the answer is there.
func (q *questions) read(ctx context.Context, handle string, of artifacts.Selection, answer string) int {
	of.Limit = askedChars
	page, err := q.api.ReadArtifact(ctx, ledger.ReadArtifactRequest{ID: handle, Selection: of})
	n := tokens.O200kBase.CountString(page.Text)
	q.out.MostTokens = max(q.out.MostTokens, n)
	switch {
	case err != nil:
		q.failed = append(q.failed, err.Error())
	case !strings.Contains(page.Text, answer):
		q.failed = append(q.failed, "not in "+page.Range)
	case n > mostTokens:
		q.failed = append(q.failed, "too long")
	default:
		return 1
	}
	return 0
}
