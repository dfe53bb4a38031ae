package kv

import (
	"encoding/binary"
	"hash/crc32"

	"ctxledger.dev/internal/defect"
	"ctxledger.dev/internal/fault"
)

// The envelope of a stored record:
//
//	byte 0      envelope version
//	bytes 1–4   length of the payload, big endian
//	bytes 5–8   CRC-32C, big endian
//	bytes 9–    payload
//
// The checksum covers version, bucket, key and payload, each preceded by its length, so that it detects a
// record that moved to another key and bytes that moved from key to payload. Every future version must
// keep version and checksum in these places and compute the checksum in this way, to distinguish a newer
// record from a damaged one.
const (
	envelopeVersion = 1
	envelopeHeader  = 9
)

// EnvelopeSize is the number of bytes that Seal adds to a value.
const EnvelopeSize = envelopeHeader

// Seal returns the envelope of value, which a backend stores under key in bucket.
func Seal(bucket Bucket, key, value []byte) []byte {
	raw := make([]byte, envelopeHeader+len(value))
	raw[0] = envelopeVersion
	binary.BigEndian.PutUint32(raw[1:], uint32(len(value))) // backends cap values at MaxValue
	binary.BigEndian.PutUint32(raw[5:], envelopeSum(envelopeVersion, bucket, key, value))
	copy(raw[envelopeHeader:], value)
	return raw
}

// Unseal returns the value in the envelope raw. The value is never nil and shares raw's memory. Errors:
// corrupt when raw was not sealed for exactly this bucket and key or has changed since; unavailable when a
// newer version of ctxledger sealed it.
func Unseal(bucket Bucket, key, raw []byte) ([]byte, error) {
	if len(raw) < envelopeHeader {
		return nil, corruptRecord(bucket, key, "is shorter than its envelope")
	}
	value := raw[envelopeHeader:]
	if int64(binary.BigEndian.Uint32(raw[1:])) != int64(len(value)) {
		return nil, corruptRecord(bucket, key, "has the wrong length")
	}
	if binary.BigEndian.Uint32(raw[5:]) != envelopeSum(raw[0], bucket, key, value) && !defect.DropChecksum.Seeded() {
		return nil, corruptRecord(bucket, key, "has an incorrect checksum")
	}
	if raw[0] == 0 {
		return nil, corruptRecord(bucket, key, "has envelope version 0")
	}
	if raw[0] > envelopeVersion {
		return nil, fault.New(fault.Unavailable, "kv.unseal",
			"record %.1000q in %.1000q was written by a newer version (envelope %d, this program reads up to %d)",
			key, bucket, raw[0], envelopeVersion).WithHint("upgrade ctxledger")
	}
	return value, nil
}

func corruptRecord(bucket Bucket, key []byte, what string) error {
	return fault.New(fault.Corrupt, "kv.unseal", "record %.1000q in %.1000q %s", key, bucket, what)
}

// envelopeSum returns the checksum of a record.
func envelopeSum(version byte, bucket Bucket, key, value []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli) // the standard library keeps one instance
	sum := crc32.Update(0, table, []byte{version})
	for _, part := range [][]byte{[]byte(bucket), key, value} {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(part)))
		sum = crc32.Update(sum, table, size[:])
		sum = crc32.Update(sum, table, part)
	}
	return sum
}
