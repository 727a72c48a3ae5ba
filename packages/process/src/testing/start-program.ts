import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** A program under test, in its own process. */
export interface RunningProgram {
  readonly child: ChildProcess
  /** Returns the fields of the first log line with this message. Rejects with the output when the program ends without it. */
  readonly line: (message: string) => Promise<Readonly<Record<string, unknown>>>
  /** Exit code and output. `stdout` has no final line feed. */
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string; readonly stdout: string }>
}

/** How Node runs a program. */
export interface NodeOptions {
  /** Further flags of Node. */
  readonly nodeFlags?: readonly string[]
  /** Further variables of the environment. */
  readonly env?: Readonly<Record<string, string>>
}

/**
 * Starts a program of this repository from its source.
 *
 * @param main - Path of its main.ts.
 */
export function startProgram(
  main: string,
  argv: readonly string[],
  { nodeFlags = [], env = {} }: NodeOptions = {},
): RunningProgram {
  const child = spawn(process.execPath, [...nodeFlags, '-C', '@berth/source', main, ...argv], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  const lines: string[] = []
  const waiting = new Map<string, (fields: Readonly<Record<string, unknown>>) => void>()
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    for (const [message, resolve] of waiting) if (hasMessage(line, message)) resolve(fieldsOf(line))
  })
  const ended = new Promise<Awaited<RunningProgram['ended']>>((resolve) => {
    child.once('close', (code) => resolve({ code, stderr, stdout: lines.join('\n') }))
  })
  return {
    child,
    ended,
    line: (message) =>
      new Promise((resolve, reject) => {
        const seen = lines.find((line) => hasMessage(line, message))
        if (seen !== undefined) resolve(fieldsOf(seen))
        else waiting.set(message, resolve)
        child.once('close', () => reject(new Error(`ended before "${message}": ${stderr}${lines.join('\n')}`)))
      }),
  }
}

function hasMessage(line: string, message: string): boolean {
  return line.includes(`"msg":"${message}"`)
}

function fieldsOf(line: string): Readonly<Record<string, unknown>> {
  return JSON.parse(line) as Record<string, unknown>
}
