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
  const { reason, ...rest } = await readHealthFile(file)
  expect({ ...rest, ...(reason !== undefined && { reason: reason.replace(file, 'FILE') }) }).toEqual(reading)
})

test('reports a health file that is a directory as unhealthy', async () => {
  const dir = await tempDir()
  expect(await readHealthFile(dir)).toMatchObject({ health: 'Unhealthy', reason: expect.stringContaining('EISDIR') })
})
