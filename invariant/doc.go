// Package invariant asserts properties that must always hold, for runs under Antithesis: its fault
// injector searches for runs that violate an assertion.
//
// Without the build tag antithesis, On is false and the compiler removes every call, so that an
// ordinary build has neither the SDK nor the checks. Each function asserts one property under one
// name. A failed assertion is reported and changes nothing else.
package invariant
