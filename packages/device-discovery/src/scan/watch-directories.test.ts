import { createTestClock } from '@berth/clock/testing'
import { silentLogger } from '@berth/types'
import { watch } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
  /** Waits for a change that `act` makes. */
  async function expectChange(act: () => Promise<unknown>): Promise<void> {
    const state = { isOver: false }
    void watcher.wait(3_600_000, stop.signal).then(() => (state.isOver = true))
    await act()
    await expect
      .poll(
        async () => {
          // The pause after a burst of changes.
          await clock.run(50)
          return state.isOver
        },
        { timeout: 20_000, interval: 20 },
      )
      .toBe(true)
  }
  return { root, clock, watcher, stop, expectChange }
}

test('sees a directory that is created later, and then its changes', async () => {
  const { root, watcher, expectChange } = await setUp()
  const directory = join(root, 'serial/by-id')
  watcher.watch([directory])
  await expectChange(() => mkdir(directory, { recursive: true }))
  watcher.watch([directory])
  await expectChange(() => writeFile(join(directory, 'usb-A'), ''))
})

test('follows a directory that is deleted with its last entry and created again with the next', async () => {
  const { root, watcher, expectChange } = await setUp()
  const directory = join(root, 'by-id')
  await mkdir(directory)
  watcher.watch([directory])
  await expectChange(() => rm(directory, { recursive: true }))
  watcher.watch([directory])
  await expectChange(() => mkdir(directory))
  watcher.watch([directory])
  await expectChange(() => writeFile(join(directory, 'usb-A'), ''))
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
