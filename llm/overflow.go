package llm

import (
	"net/http"
	"regexp"
	"sync"
)

// tooLong recognises what servers say of a prompt beyond a model's window.
var tooLong = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)prompt is too long|context[ _](length|window|size)|context_length_exceeded|maximum context|too many (input )?tokens|input (token count|length).{0,40}exceeds|prompt too long|exceed_context_size`)
})

// overflows reports whether a refusal says that the prompt does not fit.
func overflows(status int, said string) bool {
	if status == http.StatusRequestEntityTooLarge {
		return true
	}
	return (status == http.StatusBadRequest || status == http.StatusUnprocessableEntity || status >= 500) && tooLong().MatchString(said)
}
