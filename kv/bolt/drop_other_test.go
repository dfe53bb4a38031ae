//go:build unix && !linux

package bolt

import "testing"

// dropOverride cannot make root obey permissions here.
func dropOverride(t *testing.T, _ func()) {
	t.Skip("root ignores permissions")
}
