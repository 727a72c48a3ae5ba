import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram } from '../run-program.ts'

/** The parts of an executable. */
export interface ExecutableParts {
  /** The bundle, one ES module. */
  readonly bundle: string
  /** Node for the platform of the executable, in the version of this process. */
  readonly node: string
  /** Path of the executable. */
  readonly output: string
}

/** Writes an executable that contains Node and a bundle (Node's single executable application). It is not signed. */
export async function buildExecutable({ bundle, node, output }: ExecutableParts): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-executable-'))
  try {
    const file = join(folder, 'executable.json')
    const config = {
      main: bundle,
      mainFormat: 'module',
      executable: node,
      output,
      disableExperimentalSEAWarning: true,
      // The loader that imports plugins from disk is marked experimental.
      execArgv: ['--disable-warning=ExperimentalWarning'],
      // Compiled code works only on the platform on which it was compiled.
      useCodeCache: false,
    }
    await writeFile(file, JSON.stringify(config))
    await runProgram(process.execPath, ['--build-sea', file])
  } finally {
    await rm(folder, { recursive: true })
  }
}
