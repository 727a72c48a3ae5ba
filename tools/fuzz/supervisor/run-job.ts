import { fork } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readCurrentInput } from '../loop/current-input.ts'
import type { FuzzResult } from '../loop/fuzz-loop.ts'
import type { FuzzJob, FuzzMessage, FuzzOrder } from './fuzz-process.ts'

/** Limits of a run. */
export interface FuzzLimits {
  /** Time without a next input after which an input counts as one that does not return. */
  readonly hangMs: number
  /** Heap of the process. An input that needs more ends it. */
  readonly heapMiB: number
}

const CHECK_MS = 250
const program = fileURLToPath(new URL('fuzz-process.ts', import.meta.url))
const compileCache = fileURLToPath(new URL('../../../.berth/fuzz/compiled', import.meta.url))

/**
 * Runs one job in a process of its own. A process that does not return or runs out of memory is ended, and its current input
 * is the finding.
 *
 * @throws Error if the target cannot be loaded
 */
export async function runJob(job: FuzzJob, limits: FuzzLimits): Promise<FuzzResult> {
  const result = await runOnce(job, limits)
  const [finding] = result.findings
  if (finding?.reason !== hangReason(limits)) return result
  // On a busy machine, a process may get no time for this long. An input alone gets more.
  const patient = { ...limits, hangMs: limits.hangMs * PATIENCE }
  const { findings } = await runOnce({ ...job, runMs: 0, only: finding.input }, patient)
  return { ...result, findings: findings.length === 0 ? [] : [finding] }
}

const PATIENCE = 4

function hangReason({ hangMs }: FuzzLimits): string {
  return `the input did not return within ${hangMs} ms`
}

async function runOnce(job: FuzzJob, { hangMs, heapMiB }: FuzzLimits): Promise<FuzzResult> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-fuzz-'))
  const currentInputPath = join(folder, 'current-input')
  writeFileSync(currentInputPath, '')
  const child = fork(program, {
    execArgv: ['-C', '@berth/source', '--disable-warning=ExperimentalWarning', `--max-old-space-size=${heapMiB}`],
    // Files of the target are in the folder too, so that they are removed with it.
    // Compiled modules are kept, because loading takes longer than most runs in `npm test`.
    env: { NODE_COMPILE_CACHE: compileCache, ...process.env, TMPDIR: folder },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let output = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (output = `${output}${text}`.slice(-MAX_OUTPUT)))
  let timer: NodeJS.Timeout | undefined
  let isEnded = false
  try {
    return await new Promise<FuzzResult>((resolve, reject) => {
      const fail = (reason: string): void => {
        if (isEnded) return
        const { count, input } = readCurrentInput(currentInputPath)
        if (count === 0) reject(new Error(`run fuzz target ${job.file}: ${reason}\n${output}`))
        else resolve(failure(count, { input, reason, stack: output.trim() }))
      }
      const hangs = watchProgress(() => readCurrentInput(currentInputPath).count, hangMs)
      timer = setInterval(() => {
        if (hangs()) fail(hangReason({ hangMs, heapMiB }))
      }, CHECK_MS)
      child.on('message', (message: FuzzMessage) => {
        if (message.kind === 'ended') resolve(message.result)
        else reject(new Error(`run fuzz target ${job.file}: ${message.message}`))
      })
      child.on('close', (code, signal) => {
        const isOutOfMemory = /heap out of memory|invalid array length Allocation failed/i.test(output)
        fail(isOutOfMemory ? `the input needs more than ${heapMiB} MiB` : `the process ended with ${signal ?? code}`)
      })
      child.send({ ...job, currentInputPath } satisfies FuzzOrder)
    })
  } finally {
    isEnded = true
    clearInterval(timer)
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

const MAX_OUTPUT = 4_000

/**
 * Returns a check for a process without progress. It counts checks instead of time: a machine that was suspended has missed
 * its checks as well.
 */
function watchProgress(count: () => number, hangMs: number): () => boolean {
  const limit = Math.ceil(hangMs / CHECK_MS)
  let last = 0
  let checks = 0
  return () => {
    const now = count()
    // Loading the target may take longer than any input.
    checks = now === last && now > 0 ? checks + 1 : 0
    last = now
    return checks >= limit
  }
}

function failure(executions: number, finding: FuzzResult['findings'][number]): FuzzResult {
  const counts = { executions, valid: 0, refused: 0, covered: 0, total: 0 }
  return { ...counts, findings: [finding], poolSize: 0, discoveries: [] }
}
