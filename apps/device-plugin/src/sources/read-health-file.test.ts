import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readHealthFile } from './read-health-file.ts'

async function tempDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'health-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

test.for([
  { text: 'Healthy', reading: { health: 'Healthy' } },
  { text: ' Healthy \nsince noon', reading: { health: 'Healthy' } },
  { text: 'Unhealthy: too hot\n', reading: { health: 'Unhealthy', reason: 'too hot' } },
  { text: 'healthy', reading: { health: 'Unhealthy', reason: 'healthy' } },
  { text: 'Unhealthy', reading: { health: 'Unhealthy', reason: 'health file FILE reports it as unhealthy' } },
  { text: '', reading: { health: 'Unhealthy', reason: 'health file FILE reports it as unhealthy' } },
])('reads a health file with "$text"', async ({ text, reading }) => {
  const file = join(await tempDir(), 'health')
  await writeFile(file, text)
  const { reason, ...rest } = (await readHealthFile(file, { nowMs: Date.now() })).status
  expect({ ...rest, ...(reason !== undefined && { reason: reason.replace(file, 'FILE') }) }).toEqual(reading)
})

test('reports a health file that is a directory as unhealthy', async () => {
  const dir = await tempDir()
  expect((await readHealthFile(dir, { nowMs: Date.now() })).status).toMatchObject({
    health: 'Unhealthy',
    reason: expect.stringContaining('EISDIR'),
  })
})

test('does not wait for a writer of a pipe', async () => {
  const file = join(await tempDir(), 'health')
  execFileSync('mkfifo', [file])
  const { status } = await readHealthFile(file, { nowMs: Date.now() })
  expect(status).toEqual({ health: 'Unhealthy', reason: `health file ${file} cannot be read (ESPIPE)` })
})

test('reads a file again only after it changed', async () => {
  const file = join(await tempDir(), 'health')
  await writeFile(file, 'Healthy')
  const later = Date.now() + 60_000
  const first = await readHealthFile(file, { nowMs: later })
  expect(await readHealthFile(file, { last: first, nowMs: later })).toBe(first)
  await writeFile(file, 'Unhealthy: too hot')
  expect((await readHealthFile(file, { last: first, nowMs: later })).status.reason).toBe('too hot')
})

test('reads a file that has just been written, and a file of the kernel, every time', async () => {
  const file = join(await tempDir(), 'health')
  await writeFile(file, 'Healthy')
  expect((await readHealthFile(file, { nowMs: Date.now() })).identity).toBeUndefined()
  expect((await readHealthFile('/proc/uptime', { nowMs: Date.now() + 60_000 })).identity).toBeUndefined()
})
