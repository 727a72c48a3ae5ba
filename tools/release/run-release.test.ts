import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { artefactOf } from './artefact.ts'
import { runRelease } from './run-release.ts'
import type { ReleaseStep } from './step.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-release-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** A step that writes another text each time. */
function stepWith(texts: readonly string[], isReproducible = true): ReleaseStep {
  let builds = 0
  return {
    name: 'file',
    summary: 'a file',
    async build({ out, workDir }) {
      if (!existsSync(workDir)) throw new Error('there is no folder for work')
      await writeFile(join(out, 'file'), texts[builds++] ?? '')
      return [await artefactOf(join(out, 'file'), { isReproducible })]
    },
    check: async () => ['it is a file'],
  }
}

async function release(step: ReleaseStep, isBuiltTwice: boolean) {
  const out = join(folder, 'out')
  const forced: boolean[] = []
  const context = { root: '', out, cacheDir: '', version: '1.0.0', epochSeconds: 0, downloadUrl: '', log: () => {} }
  const buildWorkspace = async (isForced: boolean) => void forced.push(isForced)
  return { forced, result: await runRelease({ steps: [step], context, isBuiltTwice, buildWorkspace }) }
}

describe('runRelease', () => {
  test('empties the folder of an earlier release, and no other', async () => {
    const out = join(folder, 'out')
    await release(stepWith(['a']), false)
    await writeFile(join(out, 'old'), '')
    await release(stepWith(['a']), false)
    expect(existsSync(join(out, 'old'))).toBe(false)
    const other = await mkdtemp(join(folder, 'other-'))
    await writeFile(join(other, 'precious'), '')
    const context = { root: '', cacheDir: '', version: '1.0.0', epochSeconds: 0, downloadUrl: '', log: () => {} }
    const options = { steps: [stepWith(['a'])], isBuiltTwice: false, buildWorkspace: async () => {} }
    await expect(runRelease({ ...options, context: { ...context, out: other } })).rejects.toThrow('holds other files')
    expect(existsSync(join(other, 'precious'))).toBe(true)
  })

  test('builds the workspace anew for the second build, and keeps the files of the first', async () => {
    const { forced, result } = await release(stepWith(['a', 'a']), true)
    expect(forced).toEqual([false, true])
    expect(result.checked).toEqual(['file: it is a file', 'built twice: 1 files have the same digests'])
    expect([existsSync(join(folder, 'out/file')), existsSync(join(folder, 'out/.again'))]).toEqual([true, false])
  })

  test('names a file that differs in the second build', async () => {
    await expect(release(stepWith(['a', 'b']), true)).rejects.toThrow('the second build differs: file')
  })

  test('does not compare a signature', async () => {
    const { result } = await release(stepWith(['a', 'b'], false), true)
    expect(result.checked).toContain('built twice: 0 files have the same digests')
  })

  test('builds once on request', async () => {
    expect((await release(stepWith(['a']), false)).forced).toEqual([false])
  })
})
