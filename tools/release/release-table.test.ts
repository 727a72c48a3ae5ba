import { expect, test } from 'vitest'
import { releaseTable } from './release-table.ts'

test('aligns names and sizes, and shows whole digests', () => {
  const artefacts = [
    { file: 'a.tgz', bytes: 1_500, sha256: 'a'.repeat(64), note: 'npm', isReproducible: true },
    { file: 'image.tar', bytes: 150_000_000, sha256: 'b'.repeat(64), note: '', isReproducible: true },
  ]
  expect(releaseTable(artefacts).split('\n')).toEqual([
    `FILE           SIZE  SHA-256${' '.repeat(59)}NOTE`,
    `a.tgz        1.5 kB  ${'a'.repeat(64)}  npm`,
    `image.tar  150.0 MB  ${'b'.repeat(64)}`,
  ])
})
