package hook

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"

	"ctxledger.dev/intents"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/ledger"
	"ctxledger.dev/window"
)

const (
	// maxPresent is how much of a file is read to see whether it has a marker already, in bytes.
	maxPresent = 4 << 20
	// maxNamed is how many handles of a text are looked up.
	maxNamed = 8
)

// guard returns why a call must not run: it would write a marker instead of the content that the marker replaces. "": it may.
func (r *run) guard(ctx context.Context) (string, error) {
	for _, text := range intents.Written(r.event.Tool, r.event.Input) {
		write := window.Write{Path: intents.Classify(r.event.Tool, r.event.Input).Target, Content: text}
		var err error
		if write.Shown, err = r.shown(ctx, text); err != nil {
			return "", err
		}
		if write.Check() == nil {
			continue
		}
		write.Present = r.present(write.Path)
		if err := write.Check(); err != nil {
			reason := err.Error()
			if hint := fault.HintOf(err); hint != "" {
				reason += "; " + hint
			}
			return reason, nil
		}
	}
	return "", nil
}

// shown reports whether a text names something that was cut out of a context: then the markers in it were shown.
func (r *run) shown(ctx context.Context, text string) (bool, error) {
	var asked []string
	for _, m := range artifactLine().FindAllStringSubmatch(text, maxNamed) {
		id := m[1]
		if slices.Contains(asked, id) {
			continue
		}
		asked = append(asked, id)
		_, err := r.api.Artifact(ctx, ledger.ArtifactRequest{ID: id})
		if err == nil || !fault.Is(err, fault.NotFound) {
			return err == nil, err
		}
	}
	return false, nil
}

// artifactLine matches a line with a handle. It is compiled when a text has to be searched.
func artifactLine() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\s*Artifact: ([0-9a-f]{12,64})\s*$`)
}

// present returns what a file of the workspace contains now; "" for what cannot be read.
func (r *run) present(path string) string {
	if path == "" {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.event.Dir, path)
	}
	name, err := filepath.Rel(r.Root, path)
	if err != nil || !filepath.IsLocal(name) {
		return ""
	}
	tree, err := safefs.Open(r.Root)
	if err != nil {
		return ""
	}
	defer tree.Close() // only read
	return string(tree.Read(filepath.ToSlash(name), maxPresent))
}
