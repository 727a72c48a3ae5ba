import { createTestClock } from '@berth/clock/testing'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { isUninstallAnnounced, watchAnnouncement } from './watch-announcement.ts'

async function announcementFile(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'announcement-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return join(dir, 'uninstall-until')
}
const at = (ms: number): string => new Date(ms).toISOString()

test.for([
  { it: 'an empty file', text: '', isAnnounced: false },
  { it: 'a time in the future', text: `${at(60_000)}\n`, isAnnounced: true },
  { it: 'a time in the past', text: at(9_000), isAnnounced: false },
  { it: 'another text', text: 'soon', isAnnounced: false },
])('$it announces an uninstall: $isAnnounced', async ({ text, isAnnounced }) => {
  const file = await announcementFile()
  expect(await isUninstallAnnounced(file, 10_000)).toBe(false)
  await writeFile(file, text)
  expect(await isUninstallAnnounced(file, 10_000)).toBe(isAnnounced)
})

test('reports an announcement once, and its end when an interrupted uninstall does not end the process', async () => {
  const file = await announcementFile()
  const clock = createTestClock()
  const stop = new AbortController()
  const changes: boolean[] = []
  const watching = watchAnnouncement({
    file,
    clock,
    random: () => 0.5,
    onChange: (isAnnounced) => changes.push(isAnnounced),
    signal: stop.signal,
  })
  const passUntilChanges = (count: number): Promise<void> =>
    vi.waitFor(
      () => {
        clock.advance(1_000)
        expect(changes).toHaveLength(count)
      },
      { timeout: 30_000, interval: 2 },
    )
  await writeFile(file, at(clock.now() + 300_000))
  await passUntilChanges(1)
  await passUntilChanges(2)
  expect(changes).toEqual([true, false])
  stop.abort()
  await watching
})
