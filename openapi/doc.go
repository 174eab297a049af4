// Package openapi describes the HTTP API of the office as an OpenAPI 3.1 document.
//
// Routes is the one table of routes: what the server registers, what
// docs/reference/http.md lists and what /v1/openapi.json serves are held to it by tests.
// Shapes of messages and entities come from contracts/schemas; those that only the HTTP
// API has are in http.schema.json. The document is built when it is first asked for. It
// describes the program and never contains anything of an office.
package openapi
