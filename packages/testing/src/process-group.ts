import { spawn, type ChildProcess } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { UnmetExpectationError } from './unmet-expectation-error.ts'

/** A running program, which its {@link ProcessGroup} stops in the end. */
export interface OwnedProcess {
  readonly name: string
  readonly pid: number
  /** Returns everything the program has written to stdout and stderr. */
  output(): string
  /** Waits for the first match in the output. Rejects when the program exits before it or the timeout passes. */
  line(pattern: RegExp, options: { readonly timeoutMs: number }): Promise<RegExpExecArray>
  /** Sends SIGTERM, then SIGKILL after `graceMs` (default 5000). Resolves when the program has exited. */
  stop(options?: { readonly graceMs?: number }): Promise<void>
}

/** A Node.js program to start. */
export interface ProgramStart {
  readonly name: string
  /** Arguments of `node`: the path of the script, then its own. */
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** File that receives a copy of all output. */
  readonly logPath: string
}

/**
 * Runs several programs as one unit. When a program exits unexpectedly, `lost` aborts with an
 * {@link UnmetExpectationError} that names the program. Disposing the group stops the programs in reverse start order.
 */
export class ProcessGroup implements AsyncDisposable {
  readonly #programs: RunningProgram[] = []
  readonly #lost = new AbortController()

  /** Aborts when a program exits that was not asked to stop. */
  get lost(): AbortSignal {
    return this.#lost.signal
  }

  /** Starts `node` with the given arguments and adds it to the group. */
  start(program: ProgramStart): OwnedProcess {
    const running = new RunningProgram(program)
    this.#programs.push(running)
    running.onUnexpectedExit = (how) =>
      this.#lost.abort(
        new UnmetExpectationError(`${program.name} ended by itself (${how})`, { hint: lastWords(running.output()) }),
      )
    return running
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const running of this.#programs.reverse()) await running.stop()
  }
}

class RunningProgram implements OwnedProcess {
  readonly name: string
  readonly #child: ChildProcess
  readonly #chunks: string[] = []
  readonly #listeners = new Set<() => void>()
  #isStopping = false
  #exit: string | undefined
  onUnexpectedExit: (how: string) => void = () => {}

  constructor({ name, args, env, logPath }: ProgramStart) {
    this.name = name
    const log = createWriteStream(logPath)
    this.#child = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1', ...env },
      // Keeps Ctrl-C away from the program: the owner of the group stops its programs in order.
      detached: true,
    })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        log.write(text)
        this.#chunks.push(text)
        this.#notify()
      })
    }
    const ended = (how: string): void => {
      if (this.#exit !== undefined) return
      this.#exit = how
      log.end()
      this.#notify()
      if (!this.#isStopping) this.onUnexpectedExit(how)
    }
    this.#child.once('error', (error) => ended(error.message))
    this.#child.once('exit', (code, signal) => ended(signal ?? `exit code ${code}`))
  }

  get pid(): number {
    return this.#child.pid ?? -1
  }

  output(): string {
    return this.#chunks.join('')
  }

  async line(pattern: RegExp, { timeoutMs }: { readonly timeoutMs: number }): Promise<RegExpExecArray> {
    const deadline = AbortSignal.timeout(timeoutMs)
    for (;;) {
      const match = pattern.exec(this.output())
      if (match) return match
      if (this.#exit !== undefined) {
        throw new UnmetExpectationError(`${this.name} ended (${this.#exit}): ${lastLine(this.output())}`)
      }
      if (deadline.aborted)
        throw new UnmetExpectationError(`${this.name} did not say ${pattern} within ${timeoutMs / 1000} s`)
      await this.#outputOrExit(deadline)
    }
  }

  async stop({ graceMs = 5000 }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#isStopping = true
    if (this.#exit !== undefined) return
    const gone = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    const killer = setTimeout(() => this.#child.kill('SIGKILL'), graceMs)
    await gone
    clearTimeout(killer)
  }

  async #outputOrExit(deadline: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.#listeners.delete(done)
        deadline.removeEventListener('abort', done)
        resolve()
      }
      this.#listeners.add(done)
      deadline.addEventListener('abort', done)
    })
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** Returns the last three lines of a program's output, for an error message. */
export function lastWords(output: string): string {
  const lines = output.trimEnd().split('\n').slice(-3)
  return ['Last output:', ...lines].join('\n    ')
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? ''
}
