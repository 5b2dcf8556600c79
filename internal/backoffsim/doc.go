// Package backoffsim replays the study "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015) in fake time.
//
// Many clients start at once and update one row with a version: each reads it, writes it if the version is
// still the one that it has read, and otherwise pauses and begins again. What is measured is the work, as the number
// of writes that were sent, and the time until the last client is done. It says how to pause, and why.
package backoffsim
