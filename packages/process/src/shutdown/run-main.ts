import { writeSync } from 'node:fs'
import { BerthError } from '@berth/types'
import type { ExitRequest } from '../exit-request.ts'
import { failureText } from './failure-text.ts'
import { isShutdownReason } from './shutdown-signal.ts'

/** What `runMain` may be told. */
export interface RunMainOptions {
  /** For how long the process may linger after `main` has ended, milliseconds. Default: 3000. */
  readonly lingerMs?: number
}

/**
 * Runs a program: its exit code is 0 when `main` ends, the requested one when it returns what `loadConfig` gave,
 * 2 when it fails over its configuration and 1 when it fails otherwise. A BerthError becomes one clear line with hint
 * and code, and shows its stack only with `--log-level debug`; anything else is a defect and shows its stack. A wait
 * that rejects with the reason of `shutdownSignal` is an ordinary end.
 * A process that something still holds open after `main` has ended is ended, naming what held it.
 */
export function runMain(main: () => Promise<ExitRequest | void>, { lingerMs = 3_000 }: RunMainOptions = {}): void {
  const isVerbose = isDebug(process.argv, process.env)
  const fail = (error: unknown): void => {
    writeSync(2, failureText(error, isVerbose))
    process.exit(isConfigFailure(error) ? 2 : 1)
  }
  process.on('uncaughtException', fail)
  void finish(main, lingerMs).catch(fail)
}

async function finish(main: () => Promise<ExitRequest | void>, lingerMs: number): Promise<void> {
  const request = await main().catch((error: unknown) => {
    if (!isShutdownReason(error)) throw error
  })
  if (request !== undefined) {
    const stream = request.code === 0 ? process.stdout : process.stderr
    stream.write(request.text)
    process.exitCode = request.code
  }
  setTimeout(() => {
    writeSync(2, `ended with open handles: ${openHandles().join(', ')}\n`)
    process.exit()
  }, lingerMs).unref()
}

// Standard streams are open in every process.
function openHandles(): readonly string[] {
  return process.getActiveResourcesInfo().filter((name) => name !== 'PipeWrap' && name !== 'TTYWrap')
}

// Plugins and their arguments are named by the configuration, too; one that is there and does not load is not its fault.
function isConfigFailure(error: unknown): boolean {
  return (
    error instanceof BerthError &&
    /^BERTH_(?:(?:[A-Z0-9]+_)*CONFIG(?:_|$)|PLUGIN_(?:DIR|UNKNOWN|ARGS)$)/.test(error.code)
  )
}

function isDebug(argv: readonly string[], env: NodeJS.ProcessEnv): boolean {
  const flag = argv.findLast((word, index) => word.startsWith('--log-level=') || argv[index - 1] === '--log-level')
  if (flag !== undefined) return flag.replace('--log-level=', '') === 'debug'
  return Object.entries(env).some(([name, value]) => /^BERTH_[A-Z_]+_LOG_LEVEL$/.test(name) && value === 'debug')
}
