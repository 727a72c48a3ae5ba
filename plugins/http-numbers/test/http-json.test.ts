import type { ServerResponse } from 'node:http'
import { runResourceSource } from '@berth/plugin-api/testing'
import { describe, expect, test } from 'vitest'
import { jsonServer, type Answer } from './json-server.ts'
import { samples } from './sample.ts'
import { testSource } from '@berth/source-kit/testing'
import { httpJson } from '../src/http-json.ts'

test('http-json keeps the contract', async () => {
  expect(await runResourceSource(httpJson, samples['http-json'])).toMatchObject([{ units: 12 }])
})

const serve = async (answer: Answer) => await jsonServer(() => answer)
const sourceOf = ({ origin }: { readonly origin: string }, args: object) =>
  testSource(httpJson, { url: `${origin}/seats`, ...args }, { origins: [{ origin }] })

describe('the number', () => {
  test.for([
    { answer: { a: { 'b/c': [1, 2.5] } }, pointer: '/a/b~1c/1', units: 2.5 },
    { answer: { '~': '32Gi' }, pointer: '/~0', units: 34_359_738_368n },
    { answer: 7, pointer: '', units: 7 },
    { answer: { nodes: { 'node-a': 3, 'node-b': 4 } }, pointer: '/nodes/{node}', units: 3 },
  ])('is at $pointer', async ({ answer, pointer, units }) => {
    await using server = await serve(answer)
    expect((await sourceOf(server, { pointer }).compute()).units).toBe(units)
  })

  test.for([
    { it: 'missing', answer: { used: 1 }, says: 'the answer has no /free' },
    { it: 'inherited', answer: {}, pointer: '/constructor', says: 'the answer has no /constructor' },
    { it: 'a word', answer: { free: 'many' }, says: 'the value at /free is "many", not a number' },
    { it: 'null', answer: { free: null }, says: 'the value at /free is null, not a number' },
    { it: 'an object', answer: { free: {} }, says: 'the value at /free is an object' },
    { it: 'true', answer: { free: true }, says: 'the value at /free is a boolean' },
  ])('is refused when it is $it', async ({ answer, pointer = '/free', says }) => {
    await using server = await serve(answer)
    await expect(sourceOf(server, { pointer }).compute()).rejects.toThrow(says)
  })

  test.for([
    { at: 1_767_225_600.5, ms: 1_767_225_600_500 },
    { at: '2026-01-01T00:00:00Z', ms: 1_767_225_600_000 },
  ])('has the time $at of the answer', async ({ at, ms }) => {
    await using server = await serve({ free: 1, at })
    expect(await sourceOf(server, { pointer: '/free', timePointer: '/at' }).compute()).toEqual({
      units: 1,
      observedAtMs: ms,
    })
  })

  test('is refused when its time is not one', async () => {
    await using server = await serve({ free: 1, at: 'yesterday' })
    const source = sourceOf(server, { pointer: '/free', timePointer: '/at' })
    await expect(source.compute()).rejects.toThrow('the value at /at is not a time')
  })
})

describe('requests', () => {
  test('are made once for all nodes, and again after five seconds and after a failure', async () => {
    let answer: Answer = { 'node-a': 1, 'node-b': 2 }
    await using server = await jsonServer(() => answer)
    const source = sourceOf(server, { pointer: '/{node}' })
    expect((await Promise.all([source.compute('node-a'), source.compute('node-b')])).map(({ units }) => units)).toEqual(
      [1, 2],
    )
    expect(server.requests).toHaveLength(1)
    await source.clock.advance(5_000)
    answer = (response) => void response.writeHead(500).end()
    await expect(source.compute()).rejects.toThrow('the server answered 500 Internal Server Error')
    answer = { 'node-a': 9 }
    expect((await source.compute()).units).toBe(9)
    expect(server.requests).toHaveLength(3)
  })

  test('name the node in the URL, one for each node', async () => {
    await using server = await jsonServer((path) => ({ free: path.length }))
    const source = testSource(
      httpJson,
      { url: `${server.origin}/v1/{node}?of={node}`, pointer: '/free' },
      { origins: [server] },
    )
    await source.compute('node-a')
    await source.compute('node-b')
    expect(server.requests.map(({ path }) => path)).toEqual(['/v1/node-a?of=node-a', '/v1/node-b?of=node-b'])
    await expect(source.compute('../secret')).rejects.toThrow('cannot be the name of a node')
  })

  test.for([
    {
      it: 'a redirect',
      answer: (response: ServerResponse) => void response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
      says: 'the server answered 302 Found, a redirect that is not followed',
    },
    {
      it: 'an error, with the reason that the server gives',
      answer: (response: ServerResponse) => void response.writeHead(422).end('{"error":"unknown\u001b[31m function"}'),
      says: 'the server answered 422 Unprocessable Entity: {"error":"unknown function"}',
    },
    {
      it: 'text that is not JSON',
      answer: (response: ServerResponse) => void response.end('<html>'),
      says: 'the answer is not JSON',
    },
    {
      it: 'more than the limit',
      answer: { free: 1, more: 'x'.repeat(2_000) },
      says: 'the answer has more than 1000 bytes',
    },
    {
      it: 'a status with an escape sequence',
      answer: (response: ServerResponse) =>
        void response.socket?.end(`HTTP/1.1 500 \u001b[31m${'x'.repeat(1_000)}\r\ncontent-length: 0\r\n\r\n`),
      says: `the server answered 500 ${'x'.repeat(100)}`,
    },
  ])('fail for $it', async ({ answer, says }) => {
    await using server = await serve(answer)
    const source = sourceOf(server, { pointer: '/free', maxBodyBytes: 1_000 })
    const query = source.compute()
    await expect(query).rejects.toThrow(`GET ${server.origin}/seats: ${says}`)
    await expect(query).rejects.not.toThrow('\u001b')
    await expect(query).rejects.not.toThrow('x'.repeat(101))
  })

  test('close the connection of a redirect, whose answer they do not read', async () => {
    const closed = Promise.withResolvers<void>()
    await using server = await serve((response) => {
      response.socket?.once('close', () => closed.resolve())
      response.writeHead(302, { location: '/other' }).write('the rest never comes')
    })
    await expect(sourceOf(server, { pointer: '/free' }).compute()).rejects.toThrow('302')
    await closed.promise
  })

  test('end at once when their signal aborts, also between two parts of the answer', async () => {
    const started = Promise.withResolvers<void>()
    await using server = await serve((response) => {
      response.write('{"free":')
      started.resolve()
    })
    const stop = new AbortController()
    void started.promise.then(() => stop.abort(new Error('deadline')))
    const query = sourceOf(server, { pointer: '/free' }).compute('node-a', stop.signal)
    await expect(query).rejects.toThrow('deadline')
  })

  test('fail for a server that is not there', async () => {
    const server = await serve({ free: 1 })
    await server[Symbol.asyncDispose]()
    await expect(sourceOf(server, { pointer: '/free' }).compute()).rejects.toThrow(
      /^GET http:.*\/seats: .*ECONNREFUSED/,
    )
  })
})

describe('the configuration is refused', () => {
  const origin = 'https://licences.example:8443'
  test.for([
    {
      it: 'a server that the operator does not allow',
      url: 'https://other.example/',
      says: 'https://other.example is not in sourceOrigins',
    },
    { it: 'another port', url: 'https://licences.example/', says: 'https://licences.example is not in sourceOrigins' },
    { it: 'another protocol', url: 'http://licences.example:8443/', says: 'is not in sourceOrigins' },
    {
      it: 'a name that only begins alike',
      url: 'https://licences.example.evil:8443/',
      says: 'is not in sourceOrigins',
    },
    {
      it: 'credentials in the URL',
      url: 'https://user:secret@licences.example:8443/',
      says: 'credentials belong into',
    },
    { it: 'a host that depends on the node', url: 'https://{node}:8443/', says: 'args.url' },
    { it: 'a host that cannot be decoded', url: 'ldap://%zz/', says: 'expected a URL with http or https' },
    { it: 'a file', url: 'file:///etc/passwd', says: 'expected a URL with http or https' },
    { it: 'no URL', url: 'licences', says: 'licences is not a URL' },
  ])('for $it', ({ url, says }) => {
    const create = () => testSource(httpJson, { url, pointer: '/free' }, { origins: [{ origin }] })
    expect(create).toThrow(says)
    expect(create).not.toThrow('secret')
  })

  test('for a pointer without a slash', () => {
    expect(() => testSource(httpJson, { url: origin, pointer: 'free' }, { origins: [{ origin }] })).toThrow(
      'expected a JSON pointer',
    )
  })

  test('for credentials that would be sent over http', () => {
    const allowed = [{ origin: 'http://licences.example', credentialsDir: '/run/berth/credentials/a' }]
    expect(() => testSource(httpJson, { url: 'http://licences.example', pointer: '' }, { origins: allowed })).toThrow(
      'has credentials, which cannot be sent over http',
    )
  })
})
