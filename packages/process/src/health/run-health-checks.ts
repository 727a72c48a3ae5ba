import { errorText } from '@berth/text/error-text'

/** One named check of /livez or /readyz. */
export interface HealthCheck {
  /** `cluster-view-synced`; part of /readyz/NAME. */
  readonly name: string
  /** Default: readyz only. Use livez only for failures that a restart fixes. */
  readonly endpoints?: readonly ('livez' | 'readyz')[]
  /** Returns why the check fails, or undefined when it passes. An error that it throws fails it too. */
  readonly check: (signal: AbortSignal) => string | undefined | Promise<string | undefined>
}

/** Result of the checks of one endpoint. */
export interface HealthReport {
  readonly isOk: boolean
  /** In the shape of the API server's healthz: `[+]ping ok`, `[-]synced failed: no list yet`, `readyz check passed`. */
  readonly text: string
}

/**
 * Runs all checks concurrently, each with a deadline.
 *
 * @param endpoint - `livez` or `readyz`, for the last line.
 */
export async function runHealthChecks(
  endpoint: string,
  checks: readonly HealthCheck[],
  deadlineMs: number,
): Promise<HealthReport> {
  const outcomes = await Promise.all(checks.map((check) => runCheck(check, deadlineMs)))
  const lines = outcomes.map(({ name, failure }) =>
    failure === undefined ? `[+]${name} ok` : `[-]${name} failed: ${failure}`,
  )
  const isOk = outcomes.every(({ failure }) => failure === undefined)
  return { isOk, text: [...lines, `${endpoint} check ${isOk ? 'passed' : 'failed'}`, ''].join('\n') }
}

async function runCheck(
  { name, check }: HealthCheck,
  deadlineMs: number,
): Promise<{ readonly name: string; readonly failure: string | undefined }> {
  const signal = AbortSignal.timeout(deadlineMs)
  const timeout = new Promise<string>((resolve) => {
    signal.addEventListener('abort', () => resolve(`no answer within ${deadlineMs} ms`), { once: true })
  })
  try {
    return { name, failure: await Promise.race([check(signal), timeout]) }
  } catch (error) {
    return { name, failure: errorText(error) }
  }
}
