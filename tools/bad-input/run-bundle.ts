import { spawn } from 'node:child_process'
import { join } from 'node:path'

/** The bundles of the programs by name, relative to the root of the repository. */
export const programs = {
  advertiser: ['apps/advertiser/dist/main.js'],
  authority: ['apps/authority/dist/main.js'],
  'device-plugin': ['apps/device-plugin/dist/main.cjs'],
  extender: ['apps/extender/dist/main.js'],
  scheduler: ['apps/scheduler/dist/main.js'],
  'kubectl-berth': ['apps/kubectl-berth/dist/main.js'],
  simulate: ['-C', '@berth/source', 'apps/kubectl-berth/src/main.ts', 'simulate'],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** One of {@link programs}. */
export type ProgramName = keyof typeof programs

/** How a program ended. */
export interface Ended {
  /** Exit status. Null if a signal ended the program. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A running program. */
export interface Running {
  readonly ended: Promise<Ended>
  /** Resolves when standard output contains the text. Rejects with the output if the program ends first. */
  readonly says: (text: string) => Promise<void>
  /** Standard output so far. */
  readonly output: () => string
  readonly kill: (signal: 'SIGTERM' | 'SIGKILL') => void
}

const root = join(import.meta.dirname, '../..')

/**
 * Starts a program with an environment that names no cluster. It is killed after `limitMs`.
 *
 * @param options.home - Its HOME and working directory.
 */
export function startProgram(
  name: ProgramName,
  args: readonly string[],
  options: { readonly home: string; readonly limitMs?: number },
): Running {
  const { home, limitMs = 150_000 } = options
  const [first = '', ...rest] = programs[name]
  const script = [first, ...rest].map((word) => (word.includes('/main.') ? join(root, word) : word))
  const child = spawn(process.execPath, [...script, ...args], {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, stdout, stderr }))
  })
  return {
    ended,
    says: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (stdout.includes(text)) resolve()
        }
        child.stdout.on('data', look)
        child.once('close', () => reject(new Error(`${name} ended without saying ${text}: ${stdout}${stderr}`)))
        look()
      }),
    output: () => stdout,
    kill: (signal) => void child.kill(signal),
  }
}
