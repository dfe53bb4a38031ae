package damage

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// pointers returns the positions of page numbers in the ledger file: in branch pages, and in the
// buckets of the root bucket.
func (o *Original) pointers() []int {
	ledger, order := o.files[ledgerFile], binary.NativeEndian
	var found []int
	var walk func(page int)
	walk = func(page int) {
		base := page * o.page
		branch := order.Uint16(ledger[base+8:]) == 1
		for i := range int(order.Uint16(ledger[base+10:])) {
			at := base + 16 + 16*i
			element := ledger[at : at+16]
			switch {
			case branch:
				found = append(found, at+8)
				walk(int(order.Uint64(element[8:])))
			case order.Uint32(element) == 1: // a bucket: its value begins with its root page
				value := at + int(order.Uint32(element[4:])) + int(order.Uint32(element[8:]))
				if root := order.Uint64(ledger[value:]); root != 0 {
					found = append(found, value)
					walk(int(root))
				}
			}
		}
	}
	walk(int(o.root()))
	return found
}

// root is the page of the root bucket, as the newer meta page says.
func (o *Original) root() uint64 {
	const transaction, root = 16 + 48, 16 + 16
	first, second := o.files[ledgerFile], o.files[ledgerFile][o.page:]
	order := binary.NativeEndian
	if order.Uint64(second[transaction:]) > order.Uint64(first[transaction:]) {
		first = second
	}
	return order.Uint64(first[root:])
}

// Misdirect changes one byte of a page number into that of another page.
func (o *Original) Misdirect(rng *rand.Rand) Damage {
	all := o.pointers()
	at := all[rng.IntN(len(all))]
	return o.change(ledgerFile, fmt.Sprintf("page number at byte %d", at), func(b []byte) []byte {
		b[at] = byte(2 + rng.IntN(min(o.pages(), 256)-2))
		return b
	})
}
