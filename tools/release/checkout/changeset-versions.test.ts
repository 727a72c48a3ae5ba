import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { publicPackages } from '../npm/npm-step.ts'
import { releasedVersion } from '../released-version.ts'
import { changesetVersions, nextPatch, patchOf } from './changeset-versions.ts'

const root = join(import.meta.dirname, '../../..')

test('a changeset for one package raises all public packages together, none leaves them, and the checkout stays as it is', async () => {
  const workDir = mkdtempSync(join(tmpdir(), 'berth-changesets-'))
  try {
    const before = publicPackages(root)
    const versions = await changesetVersions(root, workDir, patchOf(before[0]?.name ?? ''))
    const next = nextPatch(releasedVersion(root))
    expect([...versions]).toEqual(before.map(({ name }) => [name, next]))
    expect(publicPackages(root)).toEqual(before)
    expect(new Set((await changesetVersions(root, workDir)).values())).toEqual(new Set([releasedVersion(root)]))
  } finally {
    rmSync(workDir, { recursive: true })
  }
}, 120_000)

test('the next patch version', () => {
  expect(nextPatch('0.1.9')).toBe('0.1.10')
})
