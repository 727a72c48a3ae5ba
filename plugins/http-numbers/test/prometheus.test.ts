import { runResourceSource } from '@berth/plugin-api/testing'
import { expect, test } from 'vitest'
import { jsonServer } from './json-server.ts'
import { samples, vector } from './sample.ts'
import { testSource } from '@berth/source-kit/testing'
import { prometheus } from '../src/prometheus.ts'
import { createSampleReader } from '../src/read-samples.ts'

test('prometheus keeps the contract', async () => {
  expect(await runResourceSource(prometheus, samples.prometheus)).toMatchObject([{ units: 7.5 }])
})

test.for([
  { it: 'the only sample', body: vector([{ pod: 'x' }, '12']), units: 12n },
  {
    it: 'a scalar',
    body: { status: 'success', data: { resultType: 'scalar', result: [1_767_225_600.5, '3.25'] } },
    units: 3.25,
  },
  { it: 'an exponent', body: vector([{}, '1.5e+09']), units: 1_500_000_000n },
])('prometheus gives $it with its time', async ({ body, units }) => {
  await using server = await jsonServer(() => body)
  const source = testSource(prometheus, { url: server.origin, query: 'up' }, { origins: [server] })
  expect(await source.compute()).toEqual({ units, observedAtMs: 1_767_225_600_500 })
})

test('prometheus asks for each node, and encodes the query', async () => {
  await using server = await jsonServer(() => vector([{}, '1']))
  const args = { url: `${server.origin}/prefix/`, query: 'sum(free{node="{node}",a=~"x|y&z"})' }
  await testSource(prometheus, args, { origins: [server] }).compute('node-a')
  expect(server.requests.map(({ path }) => path)).toEqual([
    `/prefix/api/v1/query?query=${encodeURIComponent('sum(free{node="node-a",a=~"x|y&z"})')}`,
  ])
})

test('prometheus answers all nodes with one query that has a label for the node', async () => {
  await using server = await jsonServer(() => vector([{ host: 'node-a' }, '4'], [{ host: 'node-b' }, '5']))
  const source = testSource(prometheus, { url: server.origin, query: 'free', nodeLabel: 'host' }, { origins: [server] })
  expect([(await source.compute('node-b')).units, (await source.compute('node-a')).units]).toEqual([5n, 4n])
  expect(server.requests).toHaveLength(1)
  await expect(source.compute('node-c')).rejects.toThrow('the query has 0 samples with host="node-c", expected one')
})

test('prometheus reads the samples of an answer once for all nodes', () => {
  let reads = 0
  const { data } = vector([{ host: 'node-a' }, '4'], [{ host: 'node-b' }, '5'], [{}, '6']) as { readonly data: object }
  const body = {
    status: 'success',
    get data() {
      reads += 1
      return data
    },
  }
  const samplesOf = createSampleReader('host')
  const valuesOf = (name: string) => samplesOf(body, name).map(({ value }) => value)
  valuesOf('node-a')
  const readsOfOne = reads
  expect([valuesOf('node-b'), valuesOf('node-c'), reads]).toEqual([['5'], [], readsOfOne])
  expect(samplesOf(vector([{ host: 'node-b' }, '9']), 'node-b')).toMatchObject([{ value: '9' }])
})

test.for([
  { it: 'several samples', body: vector([{}, '1'], [{ a: 'b' }, '2']), says: 'the query has 2 samples, expected one' },
  { it: 'no sample', body: vector(), says: 'the query has 0 samples, expected one' },
  { it: 'NaN', body: vector([{}, 'NaN']), says: 'the sample is "NaN", not a number' },
  { it: 'infinity', body: vector([{}, '+Inf']), says: 'the sample is "+Inf", not a number' },
  {
    it: 'a range',
    body: { status: 'success', data: { resultType: 'matrix', result: [] } },
    says: 'neither an instant vector',
  },
  { it: 'another API', body: { free: 1 }, says: 'neither an instant vector nor a scalar' },
])('prometheus rejects $it', async ({ body, says }) => {
  await using server = await jsonServer(() => body)
  await expect(
    testSource(prometheus, { url: server.origin, query: 'up' }, { origins: [server] }).compute(),
  ).rejects.toThrow(says)
})

test('prometheus passes on why the server refuses a query', async () => {
  const refused = { status: 'error', errorType: 'bad_data', error: 'parse error: unexpected end' }
  await using server = await jsonServer(() => (response) => void response.writeHead(400).end(JSON.stringify(refused)))
  const source = testSource(prometheus, { url: server.origin, query: 'sum(' }, { origins: [server] })
  await expect(source.compute()).rejects.toThrow(
    '400 Bad Request: {"status":"error","errorType":"bad_data","error":"parse',
  )
})

test.for([
  { it: 'a label that cannot exist', args: { nodeLabel: 'a-b' }, says: 'expected the name of a label' },
  { it: 'a URL with a query', args: { url: 'https://a.example/?x=1' }, says: 'expected a URL without' },
])('prometheus refuses $it', ({ args, says }) => {
  const create = () =>
    testSource(
      prometheus,
      { url: 'https://a.example', query: 'up', ...args },
      { origins: [{ origin: 'https://a.example' }] },
    )
  expect(create).toThrow(says)
})
