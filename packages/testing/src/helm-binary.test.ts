import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { helmBinary } from './helm-binary.ts'

const dir = mkdtempSync(join(tmpdir(), 'berth-helm-binary-'))
afterAll(() => rmSync(dir, { recursive: true }))

function fakeHelm(name: string, version: string): string {
  const path = join(dir, name)
  writeFileSync(path, `#!/bin/sh\necho '${version}'\n`, { mode: 0o755 })
  return path
}

describe('helmBinary', () => {
  test('takes the Helm 4 of the machine', async () => {
    const helm = fakeHelm('helm4', 'v4.9.1')
    expect(await helmBinary({ candidates: [helm], cacheDir: dir })).toBe(helm)
  })

  test.runIf(process.platform === 'linux' && process.arch === 'x64')(
    'passes over an older Helm, unpacks its own for several callers at once, and only once',
    async () => {
      const cacheDir = join(dir, 'cache')
      const options = { candidates: [fakeHelm('helm3', 'v3.19.0'), join(dir, 'missing')], cacheDir }
      const [first, second] = await Promise.all([helmBinary(options), helmBinary(options)])
      expect(second).toBe(first)
      expect(readdirSync(cacheDir)).toHaveLength(1)
      expect(execFileSync(first, ['version', '--template', '{{.Version}}'], { encoding: 'utf8' })).toMatch(/^v4\.\d/)
      const { mtimeMs } = statSync(first)
      await helmBinary(options)
      expect(statSync(first).mtimeMs).toBe(mtimeMs)
    },
  )
})
