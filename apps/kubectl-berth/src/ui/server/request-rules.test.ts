import { describe, expect, test } from 'vitest'
import { refusalOf, type RequestClaims } from './request-rules.ts'

const PORT = 8001
const rules = { methods: ['GET'], token: 'secret' }
const accepted: RequestClaims = {
  method: 'GET',
  host: `127.0.0.1:${PORT}`,
  origin: undefined,
  fetchSite: undefined,
  authorization: 'Bearer secret',
}

describe('refusalOf', () => {
  test.for<Partial<RequestClaims>>([
    {},
    { host: `localhost:${PORT}` },
    { origin: `http://127.0.0.1:${PORT}`, fetchSite: 'same-origin' },
    { fetchSite: 'none' },
  ])('accepts %o', (claims) => {
    expect(refusalOf({ ...accepted, ...claims }, PORT, rules)).toBeUndefined()
  })

  test.for<readonly [status: number, claims: Partial<RequestClaims>]>([
    [403, { host: undefined }],
    [403, { host: `attacker.example:${PORT}` }],
    [403, { host: '127.0.0.1' }],
    [403, { host: '127.0.0.1:8002' }],
    [403, { host: `127.0.0.1:${PORT}.attacker.example` }],
    [403, { origin: 'null' }],
    [403, { origin: 'http://attacker.example' }],
    [403, { origin: `https://127.0.0.1:${PORT}` }],
    // The same machine, but another site.
    [403, { origin: `http://localhost:${PORT}` }],
    [403, { fetchSite: 'cross-site' }],
    [403, { fetchSite: 'same-site' }],
    [405, { method: 'POST' }],
    [405, { method: 'OPTIONS' }],
    [401, { authorization: undefined }],
    [401, { authorization: 'Bearer ' }],
    [401, { authorization: 'Bearer secrets' }],
    [401, { authorization: 'Bearer secre\u0161' }],
    [401, { authorization: 'Basic secret' }],
  ])('answers %i to %o', ([status, claims]) => {
    expect(refusalOf({ ...accepted, ...claims }, PORT, rules)).toMatchObject({ status })
  })

  test('requires no token for files', () => {
    const file = { methods: ['GET'], token: undefined }
    expect(refusalOf({ ...accepted, authorization: undefined }, PORT, file)).toBeUndefined()
  })
})
