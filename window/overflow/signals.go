package overflow

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"ctxledger.dev/internal/chars"
)

// Bounds of what is read of an answer, which anybody may have written.
const (
	maxDepth = 8         // levels of values and of JSON inside strings
	maxTexts = 200       // strings
	maxChars = 64 << 10  // bytes of text in all
	maxBody  = 256 << 10 // bytes of JSON that are parsed
)

// signals are what an answer says, in the order in which it was found.
type signals struct {
	texts  []text
	room   int  // bytes of text that may still be kept
	status int  // of the transport, else the first one that the answer names
	known  bool // the transport's status
	failed bool // the answer is an error, or has one inside
}

// text is a string of an answer.
type text struct {
	kind  kind
	path  string
	lower string // trimmed
}

// kind is what a string is.
type kind int

const (
	message kind = iota
	code
	finish
)

// The members of JSON objects that are read, in this order.
var (
	followed = []string{
		"message", "detail", "error_message", "error", "errors", "lastError", "cause", "responseBody", "data",
		"value", "metadata", "raw", "param", "choices",
	}
	codes    = []string{"code", "type", "name"}
	finishes = []string{"finish_reason", "stop_reason", "stopReason"}
	statuses = []string{"status", "statusCode", "code"}
)

// collect finds what an answer says.
func collect(r Response) *signals {
	s := &signals{room: maxChars, status: r.Status, failed: r.Err != nil || r.Status >= 300}
	ok := r.Status >= 200 && r.Status < 300
	if ok {
		s.status = 0 // the transport's success says nothing of an error inside
	}
	s.known = s.status != 0
	s.add(finish, "finish", r.Finish)
	if r.Err != nil {
		s.str(lastAttempt(r.Err).Error(), "", 0)
	}
	s.str(string(r.Body[:min(len(r.Body), maxBody)]), "", 0)
	if len(s.texts) == 0 && (r.Status == 400 || r.Status == 413) {
		s.add(message, "", strconv.Itoa(r.Status)+" (no body)") // as clients put it
	}
	if ok && !s.failed {
		s.status = r.Status
		s.texts = slices.DeleteFunc(s.texts, func(t text) bool { return t.kind != finish }) // words of an answer
	}
	return s
}

// lastAttempt returns, of an error that holds those of several attempts, the last one: the others were
// tried again.
func lastAttempt(err error) error {
	last := err
	for range maxDepth {
		switch e := err.(type) {
		case interface{ Unwrap() []error }:
			all := e.Unwrap()
			if len(all) == 0 {
				return last
			}
			err = all[len(all)-1]
			last = err
		case interface{ Unwrap() error }:
			err = e.Unwrap()
		default:
			return last
		}
		if err == nil {
			return last
		}
	}
	return last
}

// add keeps a string.
func (s *signals) add(k kind, path, str string) {
	str = strings.TrimSpace(str)
	if str == "" || s.room <= 0 || len(s.texts) >= maxTexts {
		return
	}
	str = strings.ToLower(clip(str, s.room))
	s.room -= len(str)
	s.texts = append(s.texts, text{k, path, str})
}

// clip cuts a string to at most n bytes.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

// str reads a string: JSON or a stream of events inside of it, or words.
func (s *signals) str(str, path string, depth int) {
	str = strings.TrimSpace(str)
	if str == "" || len(s.texts) >= maxTexts {
		return
	}
	if value, ok := parse(str); ok {
		s.value(value, path, depth)
		return
	}
	if isStream(str) {
		s.stream(str, path, depth)
		return
	}
	s.add(message, path, str)
	if m := compiled().status.FindStringSubmatch(clip(str, maxChars)); m != nil {
		s.see(json.Number(m[1]))
	}
}

// parse reads a string that is a JSON object or array.
func parse(str string) (any, bool) {
	if str[0] != '{' && str[0] != '[' {
		return nil, false
	}
	dec := json.NewDecoder(strings.NewReader(str))
	dec.UseNumber()
	var value any
	err := dec.Decode(&value)
	return value, err == nil && !dec.More()
}

// isStream reports whether a string holds server-sent events.
func isStream(str string) bool {
	return strings.HasPrefix(str, "data:") || strings.HasPrefix(str, "event:") || strings.Contains(str, "\ndata:")
}

// stream reads the data of events.
func (s *signals) stream(str, path string, depth int) {
	for line := range strings.Lines(str) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data:")
		if data = strings.TrimSpace(data); !ok || data == "" || data == "[DONE]" {
			continue
		}
		if len(s.texts) >= maxTexts || depth >= maxDepth {
			return
		}
		if value, ok := parse(data); ok {
			s.value(value, join(path, "data"), depth+1)
		} else {
			s.add(message, join(path, "data"), data)
		}
	}
}

// value reads a value of JSON.
func (s *signals) value(v any, path string, depth int) {
	if depth > maxDepth {
		return
	}
	switch v := v.(type) {
	case string:
		s.str(v, path, depth)
	case []any:
		for i, e := range v {
			if len(s.texts) >= maxTexts {
				return
			}
			s.value(e, path+"["+strconv.Itoa(i)+"]", depth+1)
		}
	case map[string]any:
		s.object(v, path, depth)
	}
}

// object reads an object: first what it says itself, then what is inside of it.
func (s *signals) object(o map[string]any, path string, depth int) {
	s.failed = s.failed || o["error"] != nil || o["errors"] != nil || o["type"] == "error"
	for _, key := range codes {
		if str, ok := o[key].(string); ok {
			s.add(code, join(path, key), str)
		}
	}
	for _, key := range finishes {
		if str, ok := o[key].(string); ok {
			s.add(finish, join(path, key), str)
		}
	}
	for _, key := range statuses {
		s.see(o[key])
	}
	for _, key := range followed {
		inner, there := o[key]
		if !there || key == "errors" && attempts(o) && o["lastError"] != nil {
			continue
		}
		if all, ok := inner.([]any); ok && key == "errors" && attempts(o) && len(all) > 0 {
			inner = all[len(all)-1]
		}
		s.value(inner, join(path, key), depth+1)
	}
}

// attempts reports whether an object is what a client makes of several attempts, of which only the last
// one counts.
func attempts(o map[string]any) bool {
	name, _ := o["name"].(string)
	return o["lastError"] != nil || strings.Contains(strings.ToLower(name), "retry")
}

// see takes a number that may be the status, unless the transport's is known.
func (s *signals) see(v any) {
	var str string
	switch v := v.(type) {
	case string:
		str = v
	case json.Number:
		str = v.String()
	}
	n, err := strconv.Atoi(str)
	if err == nil && !s.known && s.status == 0 && len(str) == 3 && n >= 100 && n < 600 {
		s.status = n
	}
}

// veto returns the verdict on what is known to be another failure.
func (s *signals) veto() (Verdict, bool) {
	for _, t := range s.texts {
		for i, re := range compiled().vetoes {
			if re.MatchString(t.lower) {
				return Verdict{Class: None, Pattern: vetoes[i].id, Path: t.path, Status: s.status}, true
			}
		}
	}
	if s.status == 429 {
		return Verdict{Class: None, Pattern: "V8", Status: s.status}, true
	}
	return Verdict{}, false
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return chars.Head(path, 200) + "." + key
}
