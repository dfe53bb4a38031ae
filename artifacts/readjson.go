package artifacts

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/jsonspan"
)

// readJSONPath shows the values at a path, each as compact JSON on its own line.
func readJSONPath(c Content, s Selection) (Page, error) {
	path, err := parseJSONPath(s.JSONPath)
	if err != nil {
		return Page{}, err
	}
	data, err := readJSON(c)
	if err != nil {
		return Page{}, err
	}
	f := finder{data: data}
	found, step, err := f.find(path)
	if err != nil {
		return Page{}, err
	}
	if len(found) == 0 {
		return Page{Range: path.missing(step)}, nil
	}
	skip := int(min(s.After, int64(len(found))))
	text, shown := f.rows(found[skip:], max(s.Limit, minRows))
	p := Page{Text: text, Range: nOf("value", "values", skip, shown, len(found))}
	if skip+shown < len(found) {
		s.After = int64(skip + shown)
		p.Next = &s
	}
	return p, nil
}

// readJSON returns the content, which is one JSON value.
func readJSON(c Content) ([]byte, error) {
	if c.Size() > maxJSON {
		return nil, fault.New(fault.TooLarge, opRead, "`json_path` reads at most %s bytes and this artifact has %s",
			chars.Commas(maxJSON), chars.Commas(c.Size())).
			WithHint(`use grep="\"name\":" or lines="1-200"`)
	}
	data, err := readAt(c, 0, c.Size())
	if err != nil {
		return nil, err
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if _, err := jsonspan.Whole(data, jsonspan.MaxDepth); err != nil {
		return nil, bad(`grep="name"`,
			"`json_path` needs content that is one JSON value (%v); use `grep` or `lines` instead", err)
	}
	return data, nil
}

// rows prints values until limit characters are full, at least one, and returns how many. A value
// that is longer than a page alone is cut in the middle.
func (f *finder) rows(found []jsonspan.Span, limit int) (text string, shown int) {
	var out strings.Builder
	chars := 0
	for _, v := range found {
		var b bytes.Buffer
		if json.Compact(&b, v.In(f.data)) != nil {
			break // unreachable: the data is valid
		}
		row := shorten(visible(b.Bytes()), limit-minRows/4) + "\n"
		if chars += utf8.RuneCountInString(row); chars > limit {
			break
		}
		out.WriteString(row)
		shown++
	}
	return out.String(), shown
}
