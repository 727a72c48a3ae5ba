import { createTestClock } from '@berth/clock/testing'
import { silentLogger, type Device } from '@berth/types'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createScanLoop, SCAN_TIMEOUT_MS } from './scan-loop.ts'

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await setImmediate()
}

function setUp(watched: () => readonly string[] = () => []) {
  const clock = createTestClock()
  const stop = new AbortController()
  let found: readonly Device[] = []
  const scans = { count: 0 }
  const yielded: string[] = []
  const scan = async () => {
    scans.count++
    return { devices: found }
  }
  const discover = createScanLoop({ scan, watchedDirectories: watched, rescanMs: 5000, clock, log: silentLogger })
  const loop = discover(stop.signal)
  const running = (async () => {
    for await (const devices of loop) yielded.push(devices.map(({ id }) => id).join(' '))
  })()
  onTestFinished(async () => {
    stop.abort()
    await running
  })
  return {
    clock,
    scans,
    yielded,
    running,
    stop: () => stop.abort(),
    find: (...ids: string[]) => {
      found = ids.map((id) => ({ id, health: 'Healthy' }))
    },
  }
}

test('yields the first inventory, even if empty, and later ones only when they differ', async () => {
  const { clock, find, scans, yielded } = setUp()
  await settle()
  expect(yielded).toEqual([''])
  clock.advance(5000)
  await settle()
  expect(scans.count).toBe(2)
  find('a')
  clock.advance(5000)
  await settle()
  expect(yielded).toEqual(['', 'a'])
})

test('ends during a wait when the signal aborts', async () => {
  const { running, stop } = setUp()
  await settle()
  stop()
  await expect(running).resolves.toBeUndefined()
})

test('scans early after a change in a watched directory, and ignores a missing directory', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'scan-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const { clock, scans } = setUp(() => [dir, '/nonexistent/berth'])
  await settle()
  expect(scans.count).toBe(1)
  await writeFile(join(dir, 'new'), '')
  for (let turn = 0; turn < 200 && scans.count === 1; turn++) {
    await setTimeout(20)
    clock.advance(20)
    await settle()
  }
  expect(clock.monotonic()).toBeLessThan(5000)
  expect(scans.count).toBeGreaterThan(1)
})

test('scans again at once when a scan found a further directory to watch', async () => {
  let directories: readonly string[] = []
  const { clock, scans } = setUp(() => directories)
  directories = ['/none/a']
  await settle()
  expect(scans.count).toBe(2)
  directories = []
  clock.advance(5000)
  await settle()
  expect(scans.count).toBe(3)
})

test('starts no other scan while one does not end, because each would block one more thread', async () => {
  const clock = createTestClock()
  const scans: ((result: { readonly devices: readonly Device[] }) => void)[] = []
  const discover = createScanLoop({
    scan: () => new Promise((resolve) => void scans.push(resolve)),
    watchedDirectories: () => [],
    rescanMs: 5_000,
    clock,
    log: silentLogger,
  })
  const first = async (): Promise<unknown> => {
    for await (const devices of discover(new AbortController().signal)) return devices
    return 'nothing'
  }
  for (let attempt = 0; attempt < 3; attempt++) {
    const failed = first().catch(String)
    await clock.run(SCAN_TIMEOUT_MS)
    expect(await failed).toContain('no answer within 10 s')
  }
  expect(scans).toHaveLength(1)
  const found = first()
  await settle()
  scans[0]?.({ devices: [{ id: 'a', health: 'Healthy' }] })
  expect(await found).toEqual([{ id: 'a', health: 'Healthy' }])
  void first()
  await settle()
  expect(scans).toHaveLength(2)
})
