package scriptedmodel

import (
	"net/http"
	"strings"
)

// dialect is how one kind of model API writes requests and answers.
type dialect interface {
	// read reads a request.
	read(req *http.Request, body []byte) (*request, error)
	// plain returns the answer as one value.
	plain(r *reply) any
	// stream returns the answer as the events of a stream.
	stream(r *reply) []event
}

// dialectOf returns the dialect that is spoken at a path, or nil.
func dialectOf(path string) dialect {
	switch {
	case strings.HasSuffix(path, "/messages"):
		return anthropic{}
	case strings.HasSuffix(path, "/chat/completions"):
		return chat{}
	case strings.HasSuffix(path, "/responses"):
		return responses{}
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, ":streamGenerateContent"):
		return gemini{}
	default:
		return nil
	}
}
