package feedback

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ctxledger.dev/internal/jsonspan"
)

// question is one question of a call.
type question struct{ id, header, text string }

// questionKeys are the names under which hosts pass a question.
var questionKeys = []string{"question", "prompt", "message", "text", "title", "response"}

// questions returns what a call asks.
func questions(args json.RawMessage) []question {
	if len(args) > jsonBytes {
		return nil
	}
	given := jsonspan.As[jsonspan.Object](args)
	list := elements(given["questions"])
	if list == nil {
		list = []json.RawMessage{args}
	}
	var out []question
	for _, one := range list[:min(len(list), maxPairs)] {
		q := jsonspan.As[jsonspan.Object](one)
		text := jsonspan.As[string](one)
		if q != nil {
			text = firstString(q, questionKeys)
		}
		if text != "" {
			id, header := jsonspan.As[string](q["id"]), jsonspan.As[string](q["header"])
			out = append(out, question{id: id, header: header, text: text})
		}
	}
	return out
}

// elements decodes an array, which some hosts pass as a string that holds one.
func elements(raw json.RawMessage) []json.RawMessage {
	if s := jsonspan.As[string](raw); strings.HasPrefix(s, "[") {
		raw = json.RawMessage(s)
	}
	return jsonspan.As[[]json.RawMessage](raw)
}

func firstString(m map[string]json.RawMessage, keys []string) string {
	for _, key := range keys {
		if s := strings.TrimSpace(jsonspan.As[string](m[key])); s != "" {
			return s
		}
	}
	return ""
}

// answers returns the answers in the result of a question tool.
func answers(args json.RawMessage, s string) []Pair {
	asked := questions(args)
	if len(s) > jsonBytes {
		return nil
	}
	if strings.HasPrefix(s, "{") || strings.HasPrefix(s, "[") {
		if pairs, ok := jsonAnswers(asked, json.RawMessage(s)); ok {
			return pairs
		}
	}
	for _, tag := range []string{"answer", "user_message"} {
		if _, inside, ok := strings.Cut(s, "<"+tag+">"); ok && strings.HasPrefix(s, "<"+tag+">") {
			return single(asked, before(inside, []string{"</" + tag + ">"}))
		}
	}
	led := false
	for _, lead := range answerLeads {
		if rest, ok := strings.CutPrefix(s, lead); ok {
			s, led = strings.TrimSpace(rest), true
			break
		}
	}
	s = before(s, answerTails)
	if led && strings.HasPrefix(s, `"`) && strings.Contains(s, `"=`) {
		return quoted(asked, s)
	}
	if len(asked) > 1 && !led {
		return nil
	}
	return single(asked, s)
}

// single returns the answer to the only question.
func single(asked []question, answer string) []Pair {
	var q question
	if len(asked) == 1 {
		q = asked[0]
	}
	return pair(nil, q, unquoted(Words(answer)))
}

// pair appends a question with its answer, if it has one.
func pair(pairs []Pair, q question, answer string) []Pair {
	answer = strings.TrimSpace(answer)
	if noAnswers[answer] || len(pairs) >= maxPairs {
		return pairs
	}
	return append(pairs, Pair{Question: q.text, Answer: answer})
}

// unquoted returns a text without the quotes around it.
func unquoted(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return s[1 : len(s)-1]
	}
	return s
}

// quoted reads "question"="answer", "question"="answer". Both may hold quotes: the questions of the call tell where
// an answer ends.
func quoted(asked []question, s string) []Pair {
	type place struct {
		at int
		q  question
	}
	var found []place
	from := 0
	for _, q := range asked {
		mark := `"` + q.text + `"=`
		if i := strings.Index(s[from:], mark); i >= 0 {
			found = append(found, place{from + i, q})
			from += i + len(mark)
		}
	}
	if len(found) == 0 {
		return guessed(s)
	}
	var pairs []Pair
	for i, p := range found {
		end := len(s)
		if i+1 < len(found) {
			end = found[i+1].at
		}
		start := p.at + len(p.q.text) + len(`""=`)
		pairs = pair(pairs, p.q, withNotes(s[start:end]))
	}
	return pairs
}

// withNotes returns an answer with the user's notes, and without the preview that hosts repeat.
func withNotes(s string) string {
	s = strings.TrimRight(strings.TrimSpace(s), ",; \n")
	notes := ""
	if i := strings.LastIndex(s, "user notes: "); i > 0 {
		s, notes = s[:i], s[i+len("user notes: "):]
	} else if i := strings.LastIndex(s, " notes: "); i > 0 && (s[i-1] == '"' || s[i-1] == ')') {
		s, notes = s[:i], s[i+len(" notes: "):]
	}
	s, notes = strings.TrimRight(s, ". \n"), strings.TrimSpace(notes)
	for _, mark := range []string{"\" selected preview:", "\"\nselected preview:"} {
		if i := strings.Index(s, mark); i >= 0 {
			s = s[:i+1]
		}
	}
	answer := unquoted(s)
	switch {
	case notes == "":
		return answer
	case noAnswers[answer]:
		return notes
	}
	return answer + " (" + notes + ")"
}

// guessed reads questions and answers of a call that is not known.
func guessed(s string) []Pair {
	parts := strings.Split(s, `"="`)
	ask := strings.TrimPrefix(parts[0], `"`)
	var pairs []Pair
	for i, part := range parts[1:] {
		answer, next := part, ""
		if i+2 < len(parts) {
			for _, between := range []string{`", "`, `"; "`, "\"\n\""} {
				if at := strings.LastIndex(part, between); at >= 0 {
					answer, next = part[:at+1], part[at+len(between):]
					break
				}
			}
		}
		pairs = pair(pairs, question{text: ask}, withNotes(`"`+answer))
		ask = next
	}
	return pairs
}

// clarified reads what Claude Code hands on when the user wants to talk about the questions first.
func clarified(args json.RawMessage, s string) []Pair {
	byText := make(map[string]question)
	for _, q := range questions(args) {
		byText[q.text] = q
	}
	var pairs []Pair
	var q question
	var answer []string
	end := func() {
		pairs = pair(pairs, q, strings.Join(answer, "\n"))
		q, answer = question{}, nil
	}
	_, s, _ = strings.Cut(s, "Questions asked")
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\r\n")
		if ask, ok := strings.CutPrefix(line, `- "`); ok {
			end()
			text := strings.TrimSuffix(ask, `"`)
			if q = byText[text]; q.text == "" {
				q.text = text
			}
			continue
		}
		said := strings.TrimSpace(line)
		for _, mark := range []string{"Answer: ", "User notes: "} {
			said = strings.TrimPrefix(said, mark)
		}
		if q.text != "" && !noAnswers[said] {
			answer = append(answer, said)
		}
	}
	end()
	return pairs
}

// jsonAnswers reads answers by the text, id, header or number of their question: {"answers":{"db":{"answers":["x"]}}}.
func jsonAnswers(asked []question, raw json.RawMessage) ([]Pair, bool) {
	if inner := jsonspan.As[jsonspan.Object](raw)["answers"]; inner != nil {
		raw = inner
	}
	if list := elements(raw); list != nil {
		return listed(asked, list), true
	}
	given := jsonspan.As[jsonspan.Object](raw)
	if given == nil {
		return nil, false
	}
	var pairs []Pair
	for i, q := range asked {
		for _, key := range []string{q.text, q.id, q.header, strconv.Itoa(i)} {
			if value, ok := given[key]; ok && key != "" {
				pairs = pair(pairs, q, answerOf(value))
				delete(given, key)
				break
			}
		}
	}
	if len(pairs) == 0 && len(asked) <= 1 {
		if answer := answerOf(raw); answer != "" {
			return single(asked, answer), true
		}
		for _, key := range slices.Sorted(maps.Keys(given)) {
			pairs = pair(pairs, question{text: key}, answerOf(given[key]))
		}
	}
	return pairs, true
}

// listed reads answers in the order of the questions.
func listed(asked []question, list []json.RawMessage) []Pair {
	var pairs []Pair
	for i, one := range list {
		var q question
		if i < len(asked) {
			q = asked[i]
		} else if q.text = jsonspan.As[string](jsonspan.As[jsonspan.Object](one)["question"]); q.text == "" {
			break
		}
		pairs = pair(pairs, q, answerOf(one))
	}
	return pairs
}

// answerKeys are the names under which hosts hand on an answer and what the user wrote besides.
var answerKeys = []string{"answers", "selected", "answer", "value", "label", "choice", "response", "freeText", "other",
	"custom", "notes"}

// answerOf returns an answer: a string, a list of them, or an object that holds some.
func answerOf(raw json.RawMessage) string {
	if s := jsonspan.As[string](raw); s != "" {
		return strings.TrimPrefix(s, "user_note: ")
	}
	var out []string
	for _, one := range elements(raw) {
		if s := jsonspan.As[string](one); s != "" {
			out = append(out, strings.TrimPrefix(s, "user_note: "))
		}
	}
	o := jsonspan.As[jsonspan.Object](raw)
	for _, key := range answerKeys {
		if s := jsonspan.As[string](o[key]); s != "" {
			out = append(out, s)
		}
		for _, one := range elements(o[key]) {
			if s := jsonspan.As[string](one); s != "" {
				out = append(out, strings.TrimPrefix(s, "user_note: "))
			}
		}
	}
	return strings.Join(out, ", ")
}
