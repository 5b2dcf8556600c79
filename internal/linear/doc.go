// Package linear proves that calls of the Stores are linearizable: however many callers meet on a row, from
// two Stores of different pools and from raw SQL, and whatever faults hit them, there is one order of all calls
// that explains every answer, and each call has its place in it between its start and its end.
//
// It holds tests alone. They play short histories of random calls on a few rows while connections are lost,
// stalled and cut by a proxy, sessions are killed and callers give up, and hand what everybody was told to
// porcupine. Another test breaks Stores on purpose, in the ways in which such code does break, and wants each
// found. What a history has found that is not about the order has a test of its own.
//
// What an answer allows is in the model: a row that is returned was the row at one moment; a refusal is one
// of the row as the closure saw it; a call that failed has no place in the order, so that a write which
// lands all the same is one that nobody made; only one with ErrOutcomeUnknown may have one or not.
//
// SQLCAS_TEST_LINEAR=60s has each Store on each server tried for so long instead of 3 s. SQLCAS_TEST_SEED is
// the first history's seed instead of 1. A seed is of what the callers want and which faults they
// cause; who comes first is the machine's to say, so that a failure may take some tries to come again.
// With -artifacts a history that fails is drawn in the test's folder of artifacts, else in a temporary one.
package linear
