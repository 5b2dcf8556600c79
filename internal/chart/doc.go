// Package chart draws what the benchmark and the simulation have measured, as SVG that explains itself: each line
// carries its name at its end, axes have plain numbers, and the title says what one sees.
//
// What is sqlcas's own is blue and thick. The other colours can be told apart by people who see few of them, and
// each has marks of its own. The same input gives the same bytes.
package chart
