import type { ApiHandler, ApiRequest, ApiResponse, Clock, Random } from '@berth/types'
import { refusalResponse } from '@berth/embedded-api-server'
import { BrokenConnectionError } from './broken-connection-error.ts'
import { isWatchRequest, type Fault, type FaultRule } from './fault.ts'
import { faultRefusal } from './fault-refusal.ts'
import { cutBody, reorderedBody, slowBody, twiceBody } from './faulty-body.ts'

/** Makes things go wrong on the way to an API server, and counts how often it did. */
export interface FaultInjector {
  /** The handler behind the faults: in process, or to be served over HTTPS. */
  wrap(handler: ApiHandler): ApiHandler
  /** Adds a rule; of several that meet a request, the first one counts. @returns takes it back */
  add(rule: FaultRule): () => void
  /** Takes every rule back; what holds connections open goes on doing so. */
  clear(): void
  /** How many faults of each name were injected; rules that never struck are there with 0. */
  counts(): ReadonlyMap<string, number>
  /** `name: count`, in the order of the rules. */
  report(): string
}

/** An injector without rules. Two with the same seed and the same requests do the same. */
export function createFaultInjector({
  clock,
  random,
}: {
  readonly clock: Clock
  /** Seeded, for faults that can be repeated. */
  readonly random: Random
}): FaultInjector {
  const rules: { readonly rule: FaultRule; left: number }[] = []
  const counts = new Map<string, number>()
  const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1)
  let heldBack: (() => void) | undefined

  function struckBy(request: ApiRequest): FaultRule | undefined {
    for (const entry of rules) {
      const { matches = () => true, chance = 1, fault } = entry.rule
      if (entry.left <= 0 || !canMeet(fault, request) || !matches(request)) continue
      if (chance < 1 && random() >= chance) continue
      entry.left--
      return entry.rule
    }
    return undefined
  }

  async function carryOut(handler: ApiHandler, request: ApiRequest): Promise<void> {
    const { body } = await handler(request)
    for await (const _ of body) continue
  }

  async function meet(handler: ApiHandler, request: ApiRequest, { name, fault }: FaultRule): Promise<ApiResponse> {
    if (fault.kind !== 'reorder') count(name)
    switch (fault.kind) {
      case 'drop':
        if (fault.afterEffect === true) await carryOut(handler, request)
        throw new BrokenConnectionError()
      case 'half-open':
        if (fault.afterEffect === true) await carryOut(handler, request)
        return await untilAborted(request)
      case 'refuse':
        if (fault.afterEffect === true) await carryOut(handler, request)
        return refusalResponse(faultRefusal(fault.status, fault.retryAfterSeconds))
      case 'delay':
        await later(fault.ms, request)
        return await handler(request)
      case 'slow-body':
        return changed(await handler(request), (body) => slowBody(body, fault.bytes, fault.everyMs, clock))
      case 'cut-body':
        return changed(await handler(request), (body) => cutBody(body, fault.afterBytes))
      case 'duplicate':
        if (isWatchRequest(request)) return changed(await handler(request), twiceBody)
        await carryOut(handler, request)
        return await handler(request)
      case 'silence':
        return silent(await handler(request), request)
      case 'reorder': {
        if (!isWatchRequest(request)) return await overtaken(handler, request, name)
        const swaps = (): boolean => random() < 0.5
        return changed(await handler(request), (body) => reorderedBody(body, swaps, () => count(name)))
      }
    }
  }

  function later(ms: number, { signal }: ApiRequest): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = clock.setTimer(ms, resolve)
      const abort = (): void => {
        timer.cancel()
        reject(new BrokenConnectionError('the client gave up'))
      }
      if (signal?.aborted === true) abort()
      else signal?.addEventListener('abort', abort, { once: true })
    })
  }

  /** Waits until another request has been answered, a second at most. */
  async function overtaken(handler: ApiHandler, request: ApiRequest, name: string): Promise<ApiResponse> {
    await new Promise<void>((resolve) => {
      const timer = clock.setTimer(1_000, resolve)
      heldBack = () => {
        timer.cancel()
        count(name)
        resolve()
      }
    })
    return await handler(request)
  }

  return {
    wrap: (handler) => async (request) => {
      const waiting = heldBack
      const rule = waiting === undefined ? struckBy(request) : undefined
      heldBack = undefined
      try {
        return rule === undefined ? await handler(request) : await meet(handler, request, rule)
      } finally {
        waiting?.()
      }
    },
    add(rule) {
      const entry = { rule, left: rule.times ?? Number.POSITIVE_INFINITY }
      rules.push(entry)
      if (!counts.has(rule.name)) counts.set(rule.name, 0)
      return () => {
        const at = rules.indexOf(entry)
        if (at >= 0) rules.splice(at, 1)
      }
    },
    clear: () => void rules.splice(0),
    counts: () => new Map(counts),
    report: () => [...counts].map(([name, times]) => `${name}: ${times}`).join(', '),
  }
}

/** Only a watch can fall silent, and reading twice or in another order changes nothing. */
function canMeet(fault: Fault, request: ApiRequest): boolean {
  if (fault.kind === 'silence') return isWatchRequest(request)
  if (fault.kind === 'duplicate' || fault.kind === 'reorder') return isWatchRequest(request) || request.method !== 'GET'
  return true
}

function changed(
  response: ApiResponse,
  change: (body: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>,
): ApiResponse {
  const { 'content-length': _, ...headers } = response.headers
  return { ...response, headers, body: change(response.body) }
}

function untilAborted({ signal }: ApiRequest): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(new BrokenConnectionError('the client gave up'))
    if (signal?.aborted === true) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}

function silent(response: ApiResponse, request: ApiRequest): ApiResponse {
  const nothing: AsyncIterator<Uint8Array> = {
    next: () => untilAborted(request),
    async return() {
      await response.body[Symbol.asyncIterator]().return?.()
      return { done: true, value: undefined }
    },
  }
  return { ...response, body: { [Symbol.asyncIterator]: () => nothing } }
}
