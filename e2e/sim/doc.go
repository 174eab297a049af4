// Package sim simulates complete histories of an office on a virtual clock: people send commands,
// agents work, callers prompt agents, viewers watch, and faults occur according to a seed. Afterwards
// it checks that nothing was lost, duplicated or left open.
//
// The office, the director, the engine, the crew, the view and the hub are the real ones; the
// ledger is in memory and passes the tests of package ledgertest. A seed decides everything that
// people, agents and faults do. Only the order of goroutines that are ready at the same virtual
// instant is up to the Go scheduler, so reproducing a rare failure may need -count.
package sim
