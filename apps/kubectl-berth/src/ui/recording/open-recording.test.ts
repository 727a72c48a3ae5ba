import { existsSync, renameSync } from 'node:fs'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fakeClock } from '@berth/clock/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRecording } from './open-recording.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-recording-'))
})
afterAll(() => rm(folder, { recursive: true }))

describe('openRecording', () => {
  test('writes into the file that it created, also when another one takes its place', async () => {
    const [file, moved] = [join(folder, 'a.log'), join(folder, 'b.log')]
    const recording = await openRecording(file, fakeClock(), expect.unreachable)
    renameSync(file, moved)
    recording.write({ verb: 'create', kind: 'Node', object: { metadata: { name: 'n1' } } })
    await recording[Symbol.asyncDispose]()
    expect(await readFile(moved, 'utf8')).toContain('"name":"n1"')
    expect(existsSync(file)).toBe(false)
  })

  test('refuses a link to a file that does not exist', async () => {
    const link = join(folder, 'link.log')
    await symlink(join(folder, 'target.log'), link)
    await expect(openRecording(link, fakeClock(), expect.unreachable)).rejects.toThrow('EEXIST')
    expect(existsSync(join(folder, 'target.log'))).toBe(false)
  })
})
