package core

import "ctxledger.dev/kv"

// BucketEngine holds what the ledger knows of itself: the schema of its records, by which its programs
// know what buckets to expect. A ledger without the record has schema 1.
const BucketEngine kv.Bucket = "engine"

// KeySchema is the record of BucketEngine with the number of the schema.
var KeySchema = []byte("schema")
