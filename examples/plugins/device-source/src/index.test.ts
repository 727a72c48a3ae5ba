import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Clock, createPluginRegistry, type DeviceSource } from '@berth/plugin-api'
import { runDeviceSource } from '@berth/plugin-api/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { samples } from '../test/sample.ts'
import { plugin } from './index.ts'

let dir = ''
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-seats-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

test('it passes the contract checks', async () => {
  expect(await runDeviceSource(plugin, samples['example-seat-file'])).toEqual([
    { id: 'alice', health: 'Healthy' },
    { id: 'bob', health: 'Healthy' },
  ])
})

test('it has an empty inventory when the file is missing', async () => {
  expect(await runDeviceSource(plugin, { args: { file: join(dir, 'none') } })).toEqual([])
})

/** Creates the source as the device plugin does, with checked arguments. */
function createSource(file: string, clock: Clock): DeviceSource {
  const env = { clock, log: { debug() {}, info() {}, warn() {}, error() {} }, random: () => 0 }
  const registry = createPluginRegistry([{ plugin, origin: 'here' }])
  const args = { file, periodSeconds: 1 }
  return registry.createDeviceSource('example-seat-file', args, { ...env, resourceName: 'example.com/seat' })
}

describe('discover', () => {
  test('yields a new inventory only when the file changed', async () => {
    const file = join(dir, 'seats')
    await writeFile(file, 'alice\n')
    const tasks: (() => void)[] = []
    const setTimer = (_delayMs: number, task: () => void) => {
      tasks.push(task)
      return { cancel: () => {} }
    }
    const clock = { now: () => 0, monotonic: () => 0, setTimer }
    const stop = new AbortController()
    const source = createSource(file, clock)
    const inventories = source.discover(stop.signal)[Symbol.asyncIterator]()
    const ids = async () => ((await inventories.next()).value as readonly { id: string }[]).map(({ id }) => id)
    expect(await ids()).toEqual(['alice'])

    const next = ids()
    // The first read finds no change; the second finds bob.
    await expect.poll(() => tasks.length).toBe(1)
    tasks.shift()?.()
    await expect.poll(() => tasks.length).toBe(1)
    await writeFile(file, 'alice\nbob\n')
    tasks.shift()?.()
    expect(await next).toEqual(['alice', 'bob'])

    const end = inventories.next()
    stop.abort()
    expect(await end).toMatchObject({ done: true })
  })

  test('allocates the sorted ids of the seats', async () => {
    const source = createSource('/none', { now: () => 0, monotonic: () => 0, setTimer: () => ({ cancel: () => {} }) })
    expect(await source.allocate(['bob', 'alice'], [])).toEqual({ env: { SEATS: 'alice,bob' } })
  })
})
