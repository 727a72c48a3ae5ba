import type { SourceEnv } from '@berth/plugin-api'
import { namesNode } from '@berth/source-kit/node-placeholder'
import { z } from 'zod'
import { getJson } from './get-json.ts'
import { allowedOrigin, urlForNode } from './query-url.ts'
import { readCredentials } from './read-credentials.ts'

/** How long one answer serves the nodes that are queried after the first, milliseconds. */
const SHARED_MS = 5_000

/** Schema of the argument that limits the size of an answer. */
export const maxBodyBytes: z.ZodDefault<z.ZodInt> = z
  .int()
  .min(1)
  .max(16_777_216)
  .default(1_048_576)
  .describe('Maximum size of an answer, in bytes. A longer one is refused.')

/** An answer of a server, and when it arrived. */
export interface Answer {
  readonly body: unknown
  /** Milliseconds since the epoch. */
  readonly receivedAtMs: number
}

/** Reads the answer for one node. */
export type ServerReader = (nodeName: string, signal: AbortSignal) => Promise<Answer>

/**
 * Creates a reader of a URL. The answer of a URL without `{node}` serves all nodes that are queried within five seconds.
 *
 * @throws PluginError BERTH_PLUGIN_ARGS if the operator does not allow the server.
 */
export function createServerReader(
  url: string,
  { maxBodyBytes, env }: { readonly maxBodyBytes: number; readonly env: Pick<SourceEnv, 'clock' | 'origins'> },
): ServerReader {
  const { clock } = env
  const { credentialsDir } = allowedOrigin(url, env.origins)
  const read = async (nodeName: string, signal: AbortSignal): Promise<Answer> => {
    const credentials = await readCredentials(credentialsDir)
    const body = await getJson(urlForNode(url, nodeName), { credentials, maxBodyBytes, signal })
    return { body, receivedAtMs: clock.now() }
  }
  if (namesNode(url)) return read

  let shared: { readonly answer: Promise<Answer>; readonly untilMs: number } | undefined
  return async (nodeName, signal) => {
    signal.throwIfAborted()
    if (shared === undefined || clock.monotonic() >= shared.untilMs) {
      const answer = read(nodeName, signal)
      const own = { answer, untilMs: clock.monotonic() + SHARED_MS }
      shared = own
      // A failure is not shared with later queries.
      answer.catch(() => {
        if (shared === own) shared = undefined
      })
    }
    return await shared.answer
  }
}
