// Package openapi describes the HTTP API of the office as an OpenAPI 3.1 document.
//
// Routes returns the only table of routes: tests compare it with the routes that the server registers,
// with docs/reference/http.md and with /v1/openapi.json. Schemas of messages and entities come from
// contracts/schemas; schemas that only the HTTP API uses are in http.schema.json. The document is
// built on first use. It describes the program and never contains an office's data.
package openapi
