import { existsSync, renameSync } from 'node:fs'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fakeClock } from '@berth/clock/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedChange } from '../cluster/observed-change.ts'
import { openRecording } from './open-recording.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-recording-'))
})
afterAll(() => rm(folder, { recursive: true }))

const unlimited = { clock: fakeClock(), maxBytes: Infinity }
const added = (name: string): ObservedChange => ({ verb: 'create', kind: 'Node', object: { metadata: { name } } })

describe('openRecording', () => {
  test('writes into the file that it created, also when another one takes its place', async () => {
    const [file, moved] = [join(folder, 'a.log'), join(folder, 'b.log')]
    const recording = await openRecording(file, { ...unlimited, report: expect.unreachable })
    renameSync(file, moved)
    recording.write(added('n1'))
    await recording[Symbol.asyncDispose]()
    expect(await readFile(moved, 'utf8')).toContain('"name":"n1"')
    expect(existsSync(file)).toBe(false)
  })

  test('ends before the file is larger than its limit, says so once, and keeps whole lines', async () => {
    const file = join(folder, 'limited.log')
    const reports: string[] = []
    const maxBytes = 2 ** 20
    const recording = await openRecording(file, { ...unlimited, maxBytes, report: (reason) => reports.push(reason) })
    const name = 'ä'.repeat(100_000)
    for (let i = 0; i < 10; i++) recording.write(added(name))
    // Smaller ones do not fill the rest: the recording would have a gap.
    recording.write(added('small'))
    await recording[Symbol.asyncDispose]()
    expect(reports).toEqual([`${file} has reached its limit of 1 MiB`])
    const written = await readFile(file)
    expect(written.length).toBeLessThanOrEqual(maxBytes)
    const lines = written.toString().trimEnd().split('\n')
    expect(lines).toHaveLength(2)
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ objectRef: { name } })
  })

  test('refuses a link to a file that does not exist', async () => {
    const link = join(folder, 'link.log')
    await symlink(join(folder, 'target.log'), link)
    await expect(openRecording(link, { ...unlimited, report: expect.unreachable })).rejects.toThrow('EEXIST')
    expect(existsSync(join(folder, 'target.log'))).toBe(false)
  })
})
