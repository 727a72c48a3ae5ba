import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chartDir } from './render.ts'

/** Runs a script of files/ as the chart does: as text on Node's command line. */
export function run(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): Promise<{ readonly code: number; readonly text: string }> {
  const source = readFileSync(join(chartDir, 'files', `${script}.mjs`), 'utf8')
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...flags, '--input-type=module', '--eval', source, ...args],
      { env, timeout: 110_000 },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code ?? 1), text: stdout + stderr }),
    )
  })
}
