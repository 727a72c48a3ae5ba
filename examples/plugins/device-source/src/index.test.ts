import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runDeviceSource } from '@berth/plugin-api/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { plugin } from './index.ts'

let dir = ''
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-seats-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

test('it passes the contract checks', async () => {
  const file = join(dir, 'seats')
  await writeFile(file, '# seats\nalice\n\nbob\nalice\n')
  expect(await runDeviceSource(plugin, { args: { file } })).toEqual([
    { id: 'alice', health: 'Healthy' },
    { id: 'bob', health: 'Healthy' },
  ])
})

test('it has an empty inventory when the file is missing', async () => {
  expect(await runDeviceSource(plugin, { args: { file: join(dir, 'none') } })).toEqual([])
})

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
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    const stop = new AbortController()
    const source = plugin.create({ file, periodSeconds: 1 }, { clock, log, random: () => 0 })
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
    const env = {
      clock: { now: () => 0, monotonic: () => 0, setTimer: () => ({ cancel: () => {} }) },
      log: { debug() {}, info() {}, warn() {}, error() {} },
      random: () => 0,
    }
    const source = plugin.create({ file: '/none', periodSeconds: 1 }, env)
    expect(source.allocate(['bob', 'alice'], [])).toEqual({ env: { SEATS: 'alice,bob' } })
  })
})
