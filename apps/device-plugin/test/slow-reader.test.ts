import { systemClock } from '@berth/clock'
import { silentLogger, type Device } from '@berth/types'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:http2'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createDeviceTable } from '../src/devices/device-table.ts'
import { startPluginServer } from '../src/plugin-server/plugin-server.ts'
import { waitUntil } from './test-node.ts'

/** About 70 kB: more than the flow control window of one stream. */
const listOf = (version: string): Device[] =>
  Array.from({ length: 1000 }, (_, i) => ({ id: `${version}-${i}`.padEnd(55, '.'), health: 'Healthy' }))

test('sends a kubelet that did not read for a while the newest list next', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'slow-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const clock = systemClock()
  const table = createDeviceTable({ resourceName: 'e.x/d', keepMissingMs: 0, clock, log: silentLogger })
  table.update(listOf('first'))
  let lists = 0
  const events = {
    onStreamsChanged() {},
    onRegistrationStatus() {},
    onAllocated() {},
    onListSent: () => void lists++,
  }
  const socketPath = join(dir, 'p.sock')
  const source = { allocate: () => ({}) }
  const options = {
    socketPath,
    resourceName: 'e.x/d',
    table,
    source,
    allocationPolicy: () => 'pack' as const,
    clock,
    log: silentLogger,
    events,
  } as const
  await using _server = await startPluginServer(options)

  const session = connect('http://localhost', { createConnection: () => createConnection(socketPath) })
  onTestFinished(() => session.destroy())
  const stream = session.request({
    ':method': 'POST',
    ':path': '/v1beta1.DevicePlugin/ListAndWatch',
    'content-type': 'application/grpc',
    te: 'trailers',
  })
  stream.end(Buffer.from([0, 0, 0, 0, 0]))
  await once(stream, 'response')
  for (let change = 0; change < 30; change++) {
    table.update(listOf(`change${change}`))
    await setTimeout(60)
  }
  expect(lists).toBeLessThan(4)

  let text = ''
  stream.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
  await waitUntil('the newest list', async () => (text.includes('change29-999') ? true : undefined))
  const received = new Set(text.match(/(first|change\d+)-/gu))
  expect([...received].at(-1)).toBe('change29-')
  expect(received.size).toBeLessThan(5)
})
