// Package words has SQL for another package.
package words

// Wipe is used elsewhere.
const Wipe = `DELETE FROM account` // want CAS001
