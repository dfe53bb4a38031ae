// Package stores is the registry of the kinds of stores that the product has: a new one is a package below kv and a line here.
package stores

import (
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/bolt"
)

// All returns every kind of store, by the scheme of its URLs.
func All() kv.Backends {
	return kv.Backends{
		"bolt": bolt.Backend{}, // a state directory
	}
}
