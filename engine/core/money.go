package core

import (
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

// Dollars returns what usage costs at list prices; nil where a price of something used is not known.
func Dollars(p tokens.Price, u sessions.Usage) *float64 {
	dollars, known := p.Dollars(tokens.Used{
		Input: u.Input, CachedRead: u.CacheRead, CachedWrite: u.CacheWrite - u.CacheLong, LongWrite: u.CacheLong,
		Output: u.Output,
	})
	if !known {
		return nil
	}
	return &dollars
}
