import { createTestClock } from '@berth/clock/testing'
import { silentLogger } from '@berth/types'
import { watch } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createDirectoryWatcher } from './watch-directories.ts'

/** Creates a watcher whose waits end only by a change: its clock stands still until `settle`. */
async function setUp() {
  const root = await mkdtemp(join(tmpdir(), 'watched-'))
  const clock = createTestClock()
  const watcher = createDirectoryWatcher({ clock, log: silentLogger })
  const stop = new AbortController()
  onTestFinished(async () => {
    stop.abort()
    watcher[Symbol.dispose]()
    await rm(root, { recursive: true, force: true })
  })
  /** Returns whether a wait ends after `act`. */
  async function sees(act: () => Promise<unknown>): Promise<boolean> {
    const state = { isOver: false }
    void watcher.wait(3_600_000, stop.signal).then(() => (state.isOver = true))
    await act()
    for (let turn = 0; turn < 1_000 && !state.isOver; turn++) {
      await setTimeout(20)
      // The pause after a burst of changes.
      await clock.run(50)
    }
    return state.isOver
  }
  return { root, clock, watcher, stop, sees }
}

test('sees a directory that is created later, and then its changes', async () => {
  const { root, watcher, sees } = await setUp()
  const directory = join(root, 'serial/by-id')
  watcher.watch([directory])
  expect(await sees(() => mkdir(directory, { recursive: true }))).toBe(true)
  watcher.watch([directory])
  expect(await sees(() => writeFile(join(directory, 'usb-A'), ''))).toBe(true)
})

test('follows a directory that is deleted with its last entry and created again with the next', async () => {
  const { root, watcher, sees } = await setUp()
  const directory = join(root, 'by-id')
  await mkdir(directory)
  watcher.watch([directory])
  expect(await sees(() => rm(directory, { recursive: true }))).toBe(true)
  watcher.watch([directory])
  expect(await sees(() => mkdir(directory))).toBe(true)
  watcher.watch([directory])
  expect(await sees(() => writeFile(join(directory, 'usb-A'), ''))).toBe(true)
})

test('changes beside a missing directory do not count', async () => {
  const { root, clock, watcher, stop } = await setUp()
  watcher.watch([join(root, 'serial/by-id')])
  const state = { isOver: false }
  void watcher.wait(3_600_000, stop.signal).then(() => (state.isOver = true))
  const seen = Promise.withResolvers<void>()
  const other = watch(root, () => seen.resolve())
  onTestFinished(() => other.close())
  await writeFile(join(root, 'other'), '')
  await seen.promise
  await clock.run(1_000)
  expect(state.isOver).toBe(false)
})
