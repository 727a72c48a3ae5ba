import { writeSync } from 'node:fs'
import { BerthError } from '@berth/types'
import type { ExitRequest } from '../exit-request.ts'
import { printExitRequest } from '../print-exit-request.ts'
import { failureText } from './failure-text.ts'
import { isShutdownReason } from './shutdown-signal.ts'

/** Options of {@link runMain}. */
export interface RunMainOptions {
  /** Milliseconds that the process may keep running after `main` has ended. Default: 3000. */
  readonly lingerMs?: number
  /** Returns the exit code of a failure that is not one of the configuration. Default: 1. */
  readonly failureCode?: () => number
  /** Lays out the line about a failure, for example in the width of a terminal. Default: as it is. A stack stays as it is. */
  readonly layOut?: (line: string) => string
}

/**
 * Runs a program. The exit code is 0 when `main` ends, the requested one when it returns an ExitRequest, 2 when the
 * configuration is wrong, and 1 or `failureCode` for every other failure. A BerthError prints one line with hint and code, and its stack
 * only with `--log-level debug`. Every other error is a defect and prints its stack. When `main` rejects with
 * the reason of `shutdownSignal`, that is a normal end. When open handles keep the process running after `main` has
 * ended, it names them and exits.
 */
export function runMain(
  main: () => Promise<ExitRequest | void>,
  { lingerMs = 3_000, failureCode = () => 1, layOut }: RunMainOptions = {},
): void {
  const isVerbose = isDebug(process.argv, process.env)
  const fail = (error: unknown): void => {
    writeSync(2, failureText(error, isVerbose, layOut))
    process.exit(isConfigFailure(error) ? 2 : failureCode())
  }
  process.on('uncaughtException', fail)
  void finish(main, lingerMs).catch(fail)
}

async function finish(main: () => Promise<ExitRequest | void>, lingerMs: number): Promise<void> {
  const request = await main().catch((error: unknown) => {
    if (!isShutdownReason(error)) throw error
  })
  if (request !== undefined) {
    printExitRequest(request)
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

// The configuration also names plugins and their arguments. A plugin that exists but does not load is not a configuration error.
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
