package tokens

import "math/bits"

// pairTable gives the token that two tokens make together. It is a cuckoo hash table: a pair
// is in one of two buckets of two slots, so that it is found, or not found, without a branch
// that depends on it. A slot is the key of the pair, shifted by 18, and the id; 0 is an empty
// one.
type pairTable struct {
	buckets [][2]uint64
	shift   int // of a hash, to give a bucket
}

// The multipliers of the two hashes.
const (
	firstHash  = 0x9E3779B97F4A7C15
	secondHash = 0xD6E8FEB86659FD93
)

// maxMoves is how many pairs an insertion may move.
const maxMoves = 256

// newPairTable returns a table with space for n pairs. They fill a quarter to a half of it: with
// fewer slots, building it would take longer than reading it gains.
func newPairTable(n int) pairTable {
	size := bits.Len(uint(n))
	return pairTable{make([][2]uint64, 1<<size), 64 - size}
}

// pairKey is a pair as a number that is not 0.
func pairKey(left, right uint32) uint64 { return uint64(left)<<idBits | uint64(right) + 1 }

// find returns the token that left and right make together, or noID.
func (t *pairTable) find(left, right uint32) uint32 {
	key := pairKey(left, right)
	a, b := &t.buckets[key*firstHash>>t.shift], &t.buckets[key*secondHash>>t.shift]
	key <<= idBits
	return uint32(min(noID, a[0]^key, a[1]^key, b[0]^key, b[1]^key)) // the id where the key is the same
}

// add says that left and right make id together. The pair must not be there yet. It reports whether there is a place for
// it: that is so for every vocabulary that comes with the program, as they fill half of the table at most.
func (t *pairTable) add(left, right, id uint32) bool {
	return t.place(pairKey(left, right)<<idBits|uint64(id)) == 0
}

// place puts slot into one of its buckets. Where both are full it takes the place of another,
// which moves to its other bucket, and so on. It returns the slot that found no place, or 0.
func (t *pairTable) place(slot uint64) uint64 {
	at, other := t.homes(slot)
	for move := range maxMoves {
		for _, b := range [2]uint64{at, other} {
			for i, held := range t.buckets[b] {
				if held == 0 {
					t.buckets[b][i] = slot
					return 0
				}
			}
		}
		victim := &t.buckets[other][(slot>>idBits^uint64(move)>>1)&1]
		slot, *victim = *victim, slot
		first, second := t.homes(slot)
		at, other = other, first^second^other
	}
	return slot
}

// homes returns the two buckets where slot may be.
func (t *pairTable) homes(slot uint64) (first, second uint64) {
	key := slot >> idBits
	return key * firstHash >> t.shift, key * secondHash >> t.shift
}
