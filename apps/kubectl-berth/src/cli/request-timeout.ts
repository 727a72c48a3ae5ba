import type { FlagDefinition } from '@berth/process/command'
import { UsageError } from '../errors.ts'

/** Deadline of a request without --request-timeout. */
export const DEFAULT_REQUEST_TIMEOUT_MS = 30_000

/** Longest delay of a timer. It stands for no limit. */
const NO_LIMIT_MS = 2 ** 31 - 1

export const requestTimeoutFlag: FlagDefinition = {
  name: 'request-timeout',
  placeholder: 'DURATION',
  description: 'Give up on a request to the API server after this time, for example 5s or 2m. 0: never. Default: 30s.',
}

/**
 * Parses the value of --request-timeout as kubectl does: a duration with units, or whole seconds.
 *
 * @throws UsageError BERTH_KUBECTL_USAGE
 */
export async function parseRequestTimeout(text: string | undefined): Promise<number> {
  if (text === undefined) return DEFAULT_REQUEST_TIMEOUT_MS
  // Loaded only here: most command lines have no such flag, and help must start fast.
  const { parseDurationMs } = await import('@berth/scheduler-config')
  const timeoutMs = parseDurationMs(/^\d+$/.test(text) ? `${text}s` : text)
  if (timeoutMs === undefined || timeoutMs > NO_LIMIT_MS)
    throw new UsageError(
      `--request-timeout "${text}": expected a duration such as 5s or 2m`,
      'Give a number and a unit.',
    )
  return timeoutMs === 0 ? NO_LIMIT_MS : timeoutMs
}
