package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// Bounds of what can be measured. Above them a run would take days, or more than a machine has.
const (
	maxCallers   = 100_000 // of each process
	maxProcesses = 256
	maxKeys      = 1_000_000
	maxRounds    = 1000
	maxDuration  = time.Hour
	maxRTT       = time.Second
)

// minPool is what a Store needs: the second connection asks what became of a statement that was lost.
const minPool = 2

// shortest is how long a strategy has to run at a time for its rate to mean something.
const shortest = 100 * time.Millisecond

// checkNumbers refuses numbers that cannot be measured.
func (o *benchOptions) checkNumbers() error {
	for _, n := range []struct {
		flag            string
		value, from, to int
	}{
		{"processes", o.processes, 1, maxProcesses},
		{"keys", o.keys, 1, maxKeys},
		{"rounds", o.rounds, 1, maxRounds},
	} {
		if n.value < n.from || n.value > n.to {
			return fmt.Errorf("--%s %d: give at least %d, and at most %d", n.flag, n.value, n.from, n.to)
		}
	}
	if o.pool < minPool {
		return fmt.Errorf("--pool %d: give at least %d, since a Store asks on a second connection "+
			"what became of a lost statement", o.pool, minPool)
	}
	if err := o.checkCallers(); err != nil {
		return err
	}
	return o.checkTimes()
}

// checkCallers reads the numbers of callers.
func (o *benchOptions) checkCallers() error {
	o.callers = nil
	for _, text := range o.callerList {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxCallers {
			return fmt.Errorf("--callers %s: give numbers from 1 to %d, such as 1,4,16,64", text, maxCallers)
		}
		if slices.Contains(o.callers, n) {
			return fmt.Errorf("--callers has %d twice: give each number once", n)
		}
		o.callers = append(o.callers, n)
	}
	if len(o.callers) == 0 {
		return errors.New("--callers is empty: give a number, or several such as 1,4,16,64")
	}
	return nil
}

// checkTimes refuses times that would not be what they say.
func (o *benchOptions) checkTimes() error {
	switch {
	case o.rtt < 0 || o.rtt > maxRTT:
		return fmt.Errorf("--rtt %v: give 0, or a time to add such as 1ms, at most %v", o.rtt, maxRTT)
	case o.rtt%time.Millisecond != 0:
		return fmt.Errorf("--rtt %v: give whole milliseconds, such as 1ms: Go programs on Linux sleep no more "+
			"exactly than that, and the time would not be what the report says", o.rtt)
	case o.duration > maxDuration:
		return fmt.Errorf("--duration %v: give at most %v", o.duration, maxDuration)
	case o.slice() < shortest:
		return fmt.Errorf("--duration %v in --rounds %d is %v a round, too little to measure: "+
			"give at least --duration %v, or fewer rounds",
			o.duration, o.rounds, o.slice(), shortest*time.Duration(o.rounds))
	}
	return nil
}

// slice is how long a strategy runs at a time.
func (o *benchOptions) slice() time.Duration { return o.duration / time.Duration(o.rounds) }
