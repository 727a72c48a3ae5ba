import { execFile } from 'node:child_process'
import { ReleaseError } from './step.ts'

/** Options of {@link runProgram}. */
export interface RunOptions {
  readonly cwd?: string
  /** Variables to add to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>
  /** Default: 10 minutes. */
  readonly timeoutMs?: number
}

/** Output of a program. */
export interface ProgramOutput {
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs a program that must succeed.
 *
 * @throws ReleaseError with the command and the end of its output.
 */
export function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env, timeoutMs = 600_000 }: RunOptions = {},
): Promise<ProgramOutput> {
  return new Promise((resolve, reject) => {
    const options = { cwd, env: { ...process.env, ...env }, timeout: timeoutMs, maxBuffer: 256 * 1024 * 1024 }
    const child = execFile(program, [...args], options, (error, stdout, stderr) => {
      if (error === null) resolve({ stdout, stderr })
      else {
        const end = (stderr.trim() || stdout.trim() || error.message).slice(-2_000)
        reject(new ReleaseError(`${program} ${args.join(' ')}: ${end}`, { cause: error }))
      }
    })
    child.stdin?.end()
  })
}
