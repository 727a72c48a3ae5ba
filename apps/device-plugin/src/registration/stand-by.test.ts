import { systemClock } from '@berth/clock'
import { silentLogger } from '@berth/types'
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { standBy } from './stand-by.ts'

async function tempDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'sb-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

test('of several processes that begin at the same time, one serves after the other', async () => {
  const path = await tempDir()
  const stop = new AbortController()
  const serving: number[] = []
  const served: number[] = []
  const all = Array.from({ length: 5 }, async (_, i) => {
    await using standby = standBy(
      { path, flag: '--plugins-registry' },
      { onStandby: () => {}, clock: systemClock(), random: Math.random, log: silentLogger, signal: stop.signal },
    )
    await standby.turn
    serving.push(i)
    expect(serving).toEqual([i])
    expect((await readdir(path)).filter((name) => !name.startsWith('.berth-'))).toEqual([])
    served.push(i)
    serving.pop()
  })
  await Promise.all(all)
  expect(served.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4])
  expect(await readdir(path)).toEqual([])
})

test('does not wait for a file that no process can serve', async () => {
  const path = await tempDir()
  await writeFile(join(path, 'berth-file.sock'), '')
  await symlink('berth-loop.sock', join(path, 'berth-loop.sock'))
  await using standby = standBy(
    { path, flag: '--plugins-registry' },
    {
      onStandby: (isWaiting) => expect(isWaiting).toBe(false),
      clock: systemClock(),
      random: Math.random,
      log: silentLogger,
      signal: new AbortController().signal,
    },
  )
  await standby.turn
  expect((await readdir(path)).filter((name) => name.startsWith('.berth-'))).toHaveLength(1)
})
