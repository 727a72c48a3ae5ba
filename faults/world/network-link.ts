import { sleep } from '@berth/clock'
import type { VirtualProcess } from '@berth/clock/testing'
import { BrokenConnectionError, isWatchRequest } from '@berth/simulator/testing'
import type { ApiHandler, ApiRequest, Clock } from '@berth/types'

/** The network between one process and the API server. */
export interface NetworkLink {
  readonly handle: ApiHandler
  /** Delays everything in both directions until {@link NetworkLink.heal}, as a network that drops packets. */
  cut(): void
  heal(): void
}

/** Properties of a network. */
export interface NetworkOptions {
  readonly clock: Clock
  /** Returns how long a write, or what a watch delivers, is on its way. Reads take no time. */
  readonly latencyMs: () => number
  /** Called for everything that arrives. */
  readonly onTraffic: () => void
}

/**
 * Connects a process with a server. Once the process is killed it receives nothing more, but what it sent takes effect.
 */
export function createNetworkLink(
  process: VirtualProcess,
  inner: ApiHandler,
  { clock, latencyMs, onTraffic }: NetworkOptions,
): NetworkLink {
  let blocked: PromiseWithResolvers<void> | undefined
  const killed = new AbortController()
  process.onKill(() => killed.abort())

  async function pass(signal: AbortSignal | undefined): Promise<void> {
    for (let wait = blocked; wait !== undefined; wait = blocked) await Promise.race([wait.promise, gaveUp(signal)])
    onTraffic()
    if (!process.isAlive()) await never()
  }

  async function travel(): Promise<void> {
    const ms = latencyMs()
    if (ms > 0) await sleep(clock, ms)
  }

  async function* deliver(request: ApiRequest, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const { signal } = request
    for await (const chunk of body) {
      if (isWatchRequest(request)) await travel()
      await pass(signal)
      yield chunk
    }
    await pass(signal)
  }

  return {
    async handle(request) {
      const { signal } = request
      const linked = signal === undefined ? killed.signal : AbortSignal.any([signal, killed.signal])
      await pass(signal)
      if (request.method !== 'GET') await travel()
      try {
        const response = await inner({ ...request, signal: linked })
        await pass(signal)
        return { ...response, body: deliver(request, response.body) }
      } catch (error) {
        await pass(signal)
        throw error
      }
    },
    cut: () => void (blocked ??= Promise.withResolvers<void>()),
    heal() {
      blocked?.resolve()
      blocked = undefined
    },
  }
}

function gaveUp(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(new BrokenConnectionError('the client gave up'))
    if (signal?.aborted === true) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}

function never(): Promise<never> {
  return new Promise(() => {})
}
