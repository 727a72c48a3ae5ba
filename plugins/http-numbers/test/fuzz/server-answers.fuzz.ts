import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { PluginError, type ResourceReading } from '@berth/plugin-api'
import { testSource, type TestSource } from '@berth/source-kit/testing'
import { httpJson } from '../../src/http-json.ts'
import { prometheus } from '../../src/prometheus.ts'

/** No source reads a number from the answer. */
class AnswerRefusal extends PluginError {
  constructor(reason: string) {
    super(reason, { code: 'BERTH_FUZZ_ANSWER' })
  }
}

export const contract: string =
  'Each source that accepts the answer of a server gives the same reading again: a number, and a time that is finite.'
export const refusals: readonly unknown[] = [AnswerRefusal]
export const dictionary: readonly string[] = [
  'HTTP/1.1 200 OK\r\n',
  'HTTP/1.1 302 Found\r\nlocation: /\r\n',
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 500 \r\n',
  'content-length: 3\r\n',
  'transfer-encoding: chunked\r\n',
  'content-encoding: gzip\r\n',
  '\r\n\r\n',
  '0\r\n\r\n',
  'free',
  'nodes',
  'node-a',
  'at',
  'status',
  'success',
  'data',
  'resultType',
  'vector',
  'scalar',
  'matrix',
  'result',
  'metric',
  'node',
  'value',
  '2026-01-31T12:00:00Z',
  '1e999',
  '1e306',
  'NaN',
  '+Inf',
  '32Gi',
]

// The server closes each connection, which a later request could still try to use.
http.globalAgent = new http.Agent({ keepAlive: false })

/** What the server sends next. */
let response: Uint8Array = new Uint8Array()
let sources: Promise<readonly TestSource[]> | undefined

/** Starts a server that sends {@link response} to every request, and sources that do not share an answer. */
async function startSources(): Promise<readonly TestSource[]> {
  const server = createServer((socket) => {
    // The client resets the connection of an answer that it refuses.
    socket.on('error', () => undefined).once('data', () => void socket.end(response))
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const env = { origins: [{ origin }] }
  const url = `${origin}/{node}`
  return [
    testSource(httpJson, { url, pointer: '/free', timePointer: '/at', maxBodyBytes: 65_536 }, env),
    testSource(httpJson, { url, pointer: '/nodes/{node}/free' }, env),
    testSource(httpJson, { url, pointer: '' }, env),
    testSource(prometheus, { url: origin, query: 'seats{node="{node}"}' }, env),
    testSource(prometheus, { url: origin, query: 'seats{a="{node}"}', nodeLabel: 'node' }, env),
  ]
}

/** The readings of one answer. */
interface Answered {
  readonly readings: readonly (ResourceReading | undefined)[]
  readonly readAgain: () => Promise<Answered['readings']>
}

/** An input is a whole response, or a body of a response with status 200. */
export async function parse(input: Uint8Array): Promise<Answered> {
  const all = await (sources ??= startSources())
  const isWhole = Buffer.from(input).toString('latin1').startsWith('HTTP/')
  const head = `HTTP/1.1 200 OK\r\ncontent-length: ${input.length}\r\n\r\n`
  response = isWhole ? Uint8Array.from(input) : Buffer.concat([Buffer.from(head), input])
  const reasons: string[] = []
  const readAll = async (): Promise<Answered['readings']> => {
    const readings: (ResourceReading | undefined)[] = []
    for (const source of all) {
      try {
        readings.push(await source.compute())
      } catch (error) {
        if (!isRefusal(error)) throw error
        reasons.push(error.message)
        readings.push(undefined)
      }
    }
    return readings
  }
  const readings = await readAll()
  if (readings.every((reading) => reading === undefined)) throw new AnswerRefusal(reasons.join('; '))
  return { readings, readAgain: readAll }
}

export async function verify({ readings, readAgain }: Answered): Promise<void> {
  assert.deepEqual(await readAgain(), readings)
  for (const reading of readings) {
    if (reading === undefined) continue
    assert.ok(typeof reading.units === 'number' || typeof reading.units === 'bigint')
    assert.ok(Number.isFinite(reading.observedAtMs))
  }
}

/** Sources refuse with plain errors, of which the cause may be an error of HTTP or of JSON. A TypeError is a defect. */
function isRefusal(error: unknown): error is Error {
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) return false
  return !(error.cause instanceof TypeError || error.cause instanceof RangeError)
}
