package yamldoc

import (
	"strings"
	"testing"

	"ctxledger.dev/internal/fault"
)

func TestItemsKeepTheirPlaces(t *testing.T) {
	fields, err := Fields([]byte("all: &a\n  - x: 1\n  - 7\nsame: *a\nnone:\nmap: {a: 1}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fields[:2] {
		items, err := f.Items()
		if err != nil || len(items) != 2 || items[0].Line != 2 || items[1].Line != 3 || items[1].Key != f.Key {
			t.Errorf("%s: %+v, %v", f.Key, items, err)
		}
		var n int
		if err := items[1].Decode(&n); err != nil || n != 7 {
			t.Errorf("%s: %d, %v", f.Key, n, err)
		}
	}
	if items, err := fields[2].Items(); err != nil || len(items) != 0 {
		t.Errorf("nothing: %+v, %v", items, err)
	}
	_, err = fields[3].Items()
	if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "line 6: a list is expected") {
		t.Errorf("a mapping: %v", err)
	}
}
