package scriptedmodel

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// event is the data of one server-sent event: its type, if the dialect has types, and whatever belongs to it.
type event map[string]any

// sendStream answers with server-sent events.
func sendStream(w http.ResponseWriter, events []event) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	for _, e := range events {
		data, _ := json.Marshal(e) // built by us from plain fields: cannot fail
		if kind, ok := e["type"]; ok {
			fmt.Fprintf(w, "event: %s\n", kind)
		}
		fmt.Fprintf(w, "data: %s\n\n", data)
	}
}
