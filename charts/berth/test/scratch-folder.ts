import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** A folder for the tests of one file, deleted after the last of them. */
export function scratchFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'berth-chart-scripts-'))
  afterAll(() => rmSync(dir, { recursive: true }))
  return dir
}
