import { text as readText } from 'node:stream/consumers'
import type { ApiClient } from '@berth/k8s-client'
import type { Clock } from '@berth/types'
import type { CommandContext } from '../cli/command.ts'
import type { Session } from '../cli/session.ts'
import { TIMEOUT_HINT } from '../cli/timeout-hint.ts'
import { CommandError } from '../errors.ts'

/** How long a request may take. */
export interface Deadline {
  readonly clock: Clock
  readonly ms: number
}

/** Options of every request. */
export interface ReadOptions {
  readonly signal: AbortSignal
  readonly deadline: Deadline
}

/** Returns the options of the requests that a command sends. */
export function readOptionsOf(
  { deadlineMs }: Pick<Session, 'deadlineMs'>,
  { terminal, stop }: Pick<CommandContext, 'terminal' | 'stop'>,
): ReadOptions {
  return { signal: stop, deadline: { clock: terminal.clock, ms: deadlineMs } }
}

/**
 * Reads a JSON object at a path of the API server. `value` is undefined when the response is not a JSON object.
 *
 * @throws CommandError BERTH_KUBECTL_TIMEOUT after the deadline, and the errors of the transport.
 */
export async function readJson(
  client: Pick<ApiClient, 'raw'>,
  path: string,
  { accept = 'application/json', ...options }: ReadOptions & { readonly accept?: string },
): Promise<{ readonly status: number; readonly value: object | undefined }> {
  const { status, text } = await readPage(client, path, { ...options, accept })
  return { status, value: parsed(text) }
}

/**
 * Reads a path of the API server as text.
 *
 * @throws CommandError BERTH_KUBECTL_TIMEOUT after the deadline, and the errors of the transport.
 */
export async function readPage(
  client: Pick<ApiClient, 'raw'>,
  path: string,
  { signal, deadline, accept }: ReadOptions & { readonly accept: string },
): Promise<{ readonly status: number; readonly text: string }> {
  const late = new AbortController()
  const timer = deadline.clock.setTimer(deadline.ms, () => late.abort())
  try {
    const request = {
      method: 'GET',
      path,
      headers: { accept },
      signal: AbortSignal.any([signal, late.signal]),
    } as const
    const { status, body } = await client.raw(request)
    return { status, text: await readText(body) }
  } catch (cause) {
    if (!late.signal.aborted || signal.aborted) throw cause
    throw new CommandError(`GET ${path}: no answer within ${deadline.ms / 1000} s`, {
      code: 'BERTH_KUBECTL_TIMEOUT',
      cause,
      hint: TIMEOUT_HINT,
    })
  } finally {
    timer.cancel()
  }
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
