import { spawn } from 'node:child_process'

/** Maximum number of characters of `stdout` and of `output`; the rest is dropped. */
const MAX_OUTPUT = 1024

/** How a program ended. */
export interface EndedProgram {
  /** Exit code, or the name of the signal. */
  readonly status: number | string
  /** The first 1,024 characters of standard output. */
  readonly stdout: string
  /** The first 1,024 characters of standard output and standard error together. */
  readonly output: string
}

/**
 * Runs a program without a shell and waits for its end. When the signal aborts, kills the program and its children. The
 * program's environment is PATH of this process and `env`, nothing else.
 *
 * @throws The error of `spawn` if the program cannot be started. A program that fails or is killed is not an error: see
 *   `status`.
 */
export function runProgram(
  [file = '', ...args]: readonly string[],
  { env, signal }: { readonly env: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): Promise<EndedProgram> {
  return new Promise((resolve, reject) => {
    const PATH = process.env['PATH'] ?? '/usr/bin:/bin'
    // `detached` starts a process group, so that `kill` reaches the children too.
    const child = spawn(file, args, { env: { PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    let stdout = ''
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      // Decodes characters whose bytes arrive in different chunks.
      stream.setEncoding('utf8').on('data', (text: string) => {
        if (stream === child.stdout && stdout.length < MAX_OUTPUT) stdout += text.slice(0, MAX_OUTPUT)
        if (output.length < MAX_OUTPUT) output += text.slice(0, MAX_OUTPUT)
      })
    }
    const kill = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // It has ended.
      }
    }
    signal.addEventListener('abort', kill, { once: true })
    child.once('error', (error) => {
      signal.removeEventListener('abort', kill)
      reject(error)
    })
    child.once('close', (code, killedBy) => {
      signal.removeEventListener('abort', kill)
      resolve({
        status: code ?? killedBy ?? 'no status',
        stdout: stdout.slice(0, MAX_OUTPUT).toWellFormed(),
        output: output.slice(0, MAX_OUTPUT).toWellFormed(),
      })
    })
    if (signal.aborted) kill()
  })
}
