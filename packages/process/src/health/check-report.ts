import { errorText } from '@berth/text/error-text'

/** One named question that /livez or /readyz asks. */
export interface HealthCheck {
  /** `cluster-view-synced`; part of /readyz/NAME. */
  readonly name: string
  /** Default: readyz only. Liveness is for what a restart mends. */
  readonly endpoints?: readonly ('livez' | 'readyz')[]
  /** Why it fails, one sentence; undefined means that all is well. Throwing fails it with the error's message. */
  readonly check: (signal: AbortSignal) => string | undefined | Promise<string | undefined>
}

/** What the checks of one endpoint say. */
export interface CheckReport {
  readonly isOk: boolean
  /** In the shape of the API server's healthz: `[+]ping ok`, `[-]synced failed: no list yet`, `readyz check passed`. */
  readonly text: string
}

/**
 * Asks every check at once and bounds the time of each.
 *
 * @param endpoint - `livez` or `readyz`, for the last line.
 */
export async function checkReport(
  endpoint: string,
  checks: readonly HealthCheck[],
  deadlineMs: number,
): Promise<CheckReport> {
  const answers = await Promise.all(checks.map((check) => answerOf(check, deadlineMs)))
  const lines = answers.map(({ name, failure }) =>
    failure === undefined ? `[+]${name} ok` : `[-]${name} failed: ${failure}`,
  )
  const isOk = answers.every(({ failure }) => failure === undefined)
  return { isOk, text: [...lines, `${endpoint} check ${isOk ? 'passed' : 'failed'}`, ''].join('\n') }
}

async function answerOf(
  { name, check }: HealthCheck,
  deadlineMs: number,
): Promise<{ readonly name: string; readonly failure: string | undefined }> {
  const signal = AbortSignal.timeout(deadlineMs)
  const late = new Promise<string>((resolve) => {
    signal.addEventListener('abort', () => resolve(`no answer within ${deadlineMs} ms`), { once: true })
  })
  try {
    return { name, failure: await Promise.race([check(signal), late]) }
  } catch (error) {
    return { name, failure: errorText(error) }
  }
}
