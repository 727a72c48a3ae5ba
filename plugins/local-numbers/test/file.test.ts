import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runResourceSource } from '@berth/plugin-api/testing'
import { testSource } from '@berth/source-kit/testing'
import { expect, onTestFinished, test } from 'vitest'
import { file } from '../src/file.ts'
import { samples } from './sample.ts'

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'berth-file-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

test('file keeps the contract', async () => {
  expect(await runResourceSource(file, samples.file)).toMatchObject([{ units: 12n }])
})

test('file reads the file of each node again at each query', async () => {
  const path = directory()
  writeFileSync(join(path, 'node-a'), '32Gi\n')
  writeFileSync(join(path, 'node-b'), '2')
  const source = testSource(file, { path: `${path}/{node}` })
  expect([(await source.compute('node-a')).units, (await source.compute('node-b')).units]).toEqual([
    34_359_738_368n,
    2n,
  ])
  writeFileSync(join(path, 'node-b'), '3')
  expect(await source.compute('node-b')).toEqual({ units: 3n, observedAtMs: source.clock.now() })
  await expect(source.compute('../node-b')).rejects.toThrow('cannot be the name of a node')
})

test('file gives the time of the last change', async () => {
  const path = join(directory(), 'seats')
  writeFileSync(path, '1')
  utimesSync(path, 1_000, 1_767_225_600)
  const source = testSource(file, { path, useModificationTime: true })
  expect((await source.compute()).observedAtMs).toBe(1_767_225_600_000)
})

test.for([
  { it: 'is missing', make: () => {}, says: 'ENOENT' },
  { it: 'is a directory', make: (path: string) => mkdirSync(path), says: 'is not a file' },
  {
    it: 'is a pipe that nothing is written to',
    make: (path: string) => void execFileSync('mkfifo', [path]),
    says: 'is not a file',
  },
  { it: 'is empty', make: (path: string) => writeFileSync(path, ''), says: 'seats is "", not a number' },
  {
    it: 'is long',
    make: (path: string) => writeFileSync(path, ' '.repeat(4_097)),
    says: 'seats has more than 4096 bytes',
  },
])('file rejects when the file $it', async ({ make, says }) => {
  const path = join(directory(), 'seats')
  make(path)
  await expect(testSource(file, { path }).compute()).rejects.toThrow(says)
})

test('file refuses a relative path', () => {
  expect(() => testSource(file, { path: 'seats' })).toThrow('expected an absolute path')
})
