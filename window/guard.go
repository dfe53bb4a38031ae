package window

import (
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
)

// A Write is content that a call is about to write to a file. A model that was shown a marker instead of a value
// may pass the marker on as the value: it must never reach the disk.
//
// The hook before a call (package agents/hook) checks it.
type Write struct {
	Path string
	// Content is what would be written: of a patch its new text alone, of a command the body of a
	// here-document. See intents.Written.
	Content string
	Present string // the file as it is; "": there is none
	// Shown is set if the content names something that was cut out of the agent's context: then its markers were shown.
	Shown bool
}

// Check refuses a write that would put a marker on the disk. The error is denied: it names the marker and the call
// that returns the replaced content.
func (w Write) Check() error {
	marker, handle := w.Marker()
	if marker == "" {
		return nil
	}
	again := "write the value itself, or rerun what returned it"
	switch {
	case handle != "":
		again = `read_artifact(id="` + handle + `") returns the real value`
	case w.Present != "":
		again = "read the file again for the real value: read_file(" + w.Path + ")"
	}
	const most = 200
	return fault.New(fault.Denied, "window.guard", "%s: the text to be written contains the marker %q, which stands "+
		"for a real value that was left out of the context; nothing was written",
		w.Path, chars.Head(marker, most)).WithHint("%s", again)
}

// longestMarker is how long a marker is at most, in bytes: that of an eviction, with its preview.
const longestMarker = 4 << 10

// Marker returns the marker that a write would put on the disk, and the handle in it or after it, if there is one;
// "" if there is none. It is a marker at the very end of the content, or one on a line of its own, if markers
// were shown to the agent. Markers that the file has already do not count.
func (w Write) Marker() (marker, handle string) {
	lines := strings.Split(strings.TrimSpace(w.Content), "\n")
	last := len(lines) - 1
	below := handleLine().FindStringSubmatch(strings.TrimSpace(lines[last]))
	if below != nil && last > 0 {
		last--
	}
	for i, line := range lines[:last+1] {
		line = strings.TrimSpace(line)
		found := ""
		switch {
		case !strings.HasSuffix(line, "]") && !strings.HasSuffix(line, ")"): // fast, and true of most lines
		case i == last:
			found = endMarker().FindString(line[max(0, len(line)-longestMarker):])
		case w.Shown && len(line) <= longestMarker && onlyMarker().MatchString(line):
			found = line
		}
		if found == "" || w.had(found) {
			continue
		}
		if m := handleCall().FindStringSubmatch(found); m != nil {
			return found, m[1]
		}
		if i+1 < len(lines) {
			if m := handleLine().FindStringSubmatch(strings.TrimSpace(lines[i+1])); m != nil {
				return found, m[1]
			}
		}
		return found, ""
	}
	return "", ""
}

// had reports whether the file has a line that ends in a marker already.
func (w Write) had(marker string) bool {
	for line := range strings.SplitSeq(w.Present, "\n") {
		if strings.HasSuffix(strings.TrimSpace(line), marker) {
			return true
		}
	}
	return false
}
