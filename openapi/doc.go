// Package openapi describes the HTTP API of the office as an OpenAPI 3.1 document.
//
// Routes is the one table of routes: tests compare it with what the server registers, what
// docs/reference/http.md lists and what /v1/openapi.json serves. Schemas of messages and
// entities come from contracts/schemas; those of the HTTP API alone are in
// http.schema.json. The document is built on first use. It describes the program and never
// contains data of an office.
package openapi
