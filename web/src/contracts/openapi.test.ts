// @vitest-environment node
import { readFileSync } from 'node:fs';
import Ajv from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';

const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as Record<string, unknown>;

// The description of the HTTP API, which a Go test compares with the server, and the official
// OpenAPI 3.1 schema, from an npm package.
const description = read('../../../docs/reference/openapi.json');
const official = read('../../node_modules/@seriousme/openapi-schema-validator/schemas/v3.1/schema.json');

const validate = new Ajv({ strict: false, validateFormats: false }).compile(official);

test('the description of the HTTP API is OpenAPI 3.1', () => {
  expect(official['$id']).toMatch('spec.openapis.org/oas/3.1/schema/');
  expect(validate(description), JSON.stringify(validate.errors)).toBe(true);
});

test('the official schema rejects a document that is not OpenAPI 3.1', () => {
  expect(validate({ ...description, paths: { '/v1/state': { fetch: {} } } })).toBe(false);
  expect(validate({ ...description, openapi: '3.0.0' })).toBe(false);
});
