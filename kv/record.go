package kv

import "ctxledger.dev/internal/fault"

// MaxBucket is the longest name of a bucket, in bytes.
const MaxBucket = 64

// CheckRecord says whether a record may be stored, for backends to call in Put. A bucket name
// that starts with a zero byte is a backend's own. Errors: invalid, too_large.
func CheckRecord(b Bucket, key, value []byte) error {
	switch {
	case b == "" || b[0] == 0:
		return fault.New(fault.Invalid, "kv.put", "bucket name %.1000q is empty or starts with a zero byte", b)
	case len(b) > MaxBucket:
		return fault.New(fault.TooLarge, "kv.put", "bucket name %.1000q… has %d bytes, the limit is %d", b, len(b), MaxBucket)
	case len(key) == 0:
		return fault.New(fault.Invalid, "kv.put", "a record in %q has an empty key", b)
	case len(key) > MaxKey:
		return fault.New(fault.TooLarge, "kv.put", "key %.1000q… in %q has %d bytes, the limit is %d", key, b, len(key), MaxKey)
	case len(value) > MaxValue:
		return fault.New(fault.TooLarge, "kv.put", "value of %.1000q in %q has %d bytes, the limit is %d", key, b, len(value), MaxValue).
			WithHint("store the content as a blob")
	}
	return nil
}
