package scriptedmodel

import (
	"encoding/json"
	"net/http"
	"path"
	"strings"
)

// gemini is the generateContent API of Google.
type gemini struct{}

// geminiRequest is a request of this dialect.
type geminiRequest struct {
	Contents []struct {
		Parts []struct {
			Response *struct {
				Response json.RawMessage `json:"response"`
			} `json:"functionResponse"`
		} `json:"parts"`
	} `json:"contents"`
	Tools []struct {
		Functions []struct {
			Name string `json:"name"`
		} `json:"functionDeclarations"`
	} `json:"tools"`
}

func (gemini) read(req *http.Request, body []byte) (*request, error) {
	var in geminiRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	model, verb, _ := strings.Cut(path.Base(req.URL.Path), ":")
	r := &request{Model: model, Stream: verb == "streamGenerateContent"}
	for _, t := range in.Tools {
		for _, f := range t.Functions {
			r.Tools = append(r.Tools, tool{Name: f.Name})
		}
	}
	if n := len(in.Contents); n > 0 {
		for _, p := range in.Contents[n-1].Parts {
			if p.Response != nil {
				r.Results = append(r.Results, outputOf(p.Response.Response))
			}
		}
	}
	if len(r.Tools) == 0 {
		r.Aside = title
	}
	return r, nil
}

// outputOf returns the text of a function's response: its output or its error, or else all of it.
func outputOf(response json.RawMessage) string {
	var known struct {
		Output *string `json:"output"`
		Error  *string `json:"error"`
	}
	switch err := json.Unmarshal(response, &known); {
	case err == nil && known.Output != nil:
		return *known.Output
	case err == nil && known.Error != nil:
		return *known.Error
	default:
		return string(response)
	}
}

func (gemini) plain(r *reply) any {
	var parts []event
	if text := r.text(); text != "" {
		parts = append(parts, event{"text": text})
	}
	for _, c := range r.calls() {
		parts = append(parts, event{"functionCall": event{"name": c.Name, "args": c.Input}})
	}
	return event{"modelVersion": r.Model, "responseId": r.ID,
		"candidates": []event{{"index": 0, "finishReason": "STOP", "content": event{"role": "model", "parts": parts}}},
		"usageMetadata": event{"promptTokenCount": r.Usage.input(), "candidatesTokenCount": r.Usage.Output,
			"totalTokenCount": r.Usage.input() + r.Usage.Output}}
}

func (g gemini) stream(r *reply) []event { return []event{g.plain(r).(event)} }
