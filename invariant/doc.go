// Package invariant asserts properties that must always hold, for runs under Antithesis: its fault
// injector searches for runs that violate an assertion.
//
// Without the build tag antithesis, On is false and the compiler removes every call, so that an
// ordinary build has neither the SDK nor the checks. Every assertion has its own name. A failed
// assertion is reported and changes nothing else.
package invariant
