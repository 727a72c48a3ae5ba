import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { UnmetExpectationError } from '@berth/testing'

/** Options for building the apps. */
export interface BuildOptions {
  readonly root: string
  readonly signal: AbortSignal
  /** Shows progress by rewriting a line. Undefined when output is not a terminal. */
  readonly write: ((text: string) => void) | undefined
}

/**
 * Builds every package and app that changed since the last build.
 *
 * @throws UnmetExpectationError when the build fails. The compiler's messages have gone to stderr.
 */
export async function buildApps({ root, signal, write }: BuildOptions): Promise<void> {
  const startMs = performance.now()
  const child = spawn('turbo', ['run', 'build', '--output-logs=hash-only', '--log-order=stream', '--ui=stream'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    signal,
  })
  let started = 0
  createInterface({ input: child.stdout }).on('line', (line) => {
    const name = /^@berth\/([\w-]+):build: cache (?:hit|miss)/.exec(line)?.[1]
    if (name === undefined) return
    started++
    const seconds = Math.round((performance.now() - startMs) / 1000)
    write?.(`\r   … ${name} (${started}), ${seconds} s`.padEnd(78))
  })
  const status = await new Promise<number>((resolve) => {
    child.once('error', () => resolve(1))
    child.once('close', (code) => resolve(code ?? 1))
  })
  write?.('\r'.padEnd(79) + '\r')
  signal.throwIfAborted()
  if (status !== 0) throw new UnmetExpectationError('the build failed', { hint: 'See: npm test -- build' })
}
