import type { ApiHandler, ApiRequest, ApiResponse, Clock, Random } from '@berth/types'
import { errorResponse } from '@berth/embedded-api-server'
import { BrokenConnectionError } from './broken-connection-error.ts'
import { isWatchRequest, type Fault, type FaultRule } from './fault.ts'
import { faultRefusal } from './fault-refusal.ts'
import { cutBody, reorderedEvents, slowBody, repeatedEvents } from './faulty-body.ts'

/** Injects faults between clients and an API server, and counts them. */
export interface FaultInjector {
  /** Returns a handler that injects faults in front of another one. */
  wrap(handler: ApiHandler): ApiHandler
  /** Adds a rule. The first matching rule applies to a request. @returns A function that removes the rule. */
  add(rule: FaultRule): () => void
  /** Removes all rules. Faults that hold connections open continue. */
  clear(): void
  /** Returns the number of injected faults by rule name, including rules with 0. */
  counts(): ReadonlyMap<string, number>
  /** Returns the counts as `name: count, …`, in the order of the rules. */
  report(): string
}

/** Creates an injector without rules. The same seed and the same requests give the same faults. */
export function createFaultInjector({
  clock,
  random,
}: {
  readonly clock: Clock
  /** Seeded random numbers make the faults repeatable. */
  readonly random: Random
}): FaultInjector {
  const rules: { readonly rule: FaultRule; left: number }[] = []
  const counts = new Map<string, number>()
  const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1)
  let releaseHeldRequest: (() => void) | undefined

  function takeRule(request: ApiRequest): FaultRule | undefined {
    for (const entry of rules) {
      const { matches = () => true, chance = 1, fault } = entry.rule
      if (entry.left <= 0 || !canApply(fault, request) || !matches(request)) continue
      if (chance < 1 && random() >= chance) continue
      entry.left--
      return entry.rule
    }
    return undefined
  }

  async function processRequest(handler: ApiHandler, request: ApiRequest): Promise<void> {
    const { body } = await handler(request)
    for await (const _ of body) continue
  }

  async function inject(handler: ApiHandler, request: ApiRequest, { name, fault }: FaultRule): Promise<ApiResponse> {
    if (fault.kind !== 'reorder') count(name)
    switch (fault.kind) {
      case 'drop':
        if (fault.afterEffect === true) await processRequest(handler, request)
        throw new BrokenConnectionError()
      case 'half-open':
        if (fault.afterEffect === true) await processRequest(handler, request)
        return await untilAborted(request)
      case 'refuse':
        if (fault.afterEffect === true) await processRequest(handler, request)
        return errorResponse(faultRefusal(fault.status, fault.retryAfterSeconds))
      case 'delay':
        await delay(fault.ms, request)
        return await handler(request)
      case 'slow-body':
        return withBody(await handler(request), (body) => slowBody(body, fault.bytes, fault.everyMs, clock))
      case 'cut-body':
        return withBody(await handler(request), (body) => cutBody(body, fault.afterBytes))
      case 'duplicate':
        if (isWatchRequest(request)) return withBody(await handler(request), repeatedEvents)
        await processRequest(handler, request)
        return await handler(request)
      case 'silence':
        return silenced(await handler(request), request)
      case 'reorder': {
        if (!isWatchRequest(request)) return await holdBack(handler, request, name)
        const swaps = (): boolean => random() < 0.5
        return withBody(await handler(request), (body) => reorderedEvents(body, swaps, () => count(name)))
      }
    }
  }

  function delay(ms: number, { signal }: ApiRequest): Promise<void> {
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

  /** Waits until another request was answered, at most one second. */
  async function holdBack(handler: ApiHandler, request: ApiRequest, name: string): Promise<ApiResponse> {
    await new Promise<void>((resolve) => {
      const timer = clock.setTimer(1_000, resolve)
      releaseHeldRequest = () => {
        timer.cancel()
        count(name)
        resolve()
      }
    })
    return await handler(request)
  }

  return {
    wrap: (handler) => async (request) => {
      const waiting = releaseHeldRequest
      const rule = waiting === undefined ? takeRule(request) : undefined
      releaseHeldRequest = undefined
      try {
        return rule === undefined ? await handler(request) : await inject(handler, request, rule)
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

/** Returns whether a fault can apply: only watches can fall silent, and to repeat or reorder reads has no effect. */
function canApply(fault: Fault, request: ApiRequest): boolean {
  if (fault.kind === 'silence') return isWatchRequest(request)
  if (fault.kind === 'duplicate' || fault.kind === 'reorder') return isWatchRequest(request) || request.method !== 'GET'
  return true
}

function withBody(
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

function silenced(response: ApiResponse, request: ApiRequest): ApiResponse {
  const nothing: AsyncIterator<Uint8Array> = {
    next: () => untilAborted(request),
    async return() {
      await response.body[Symbol.asyncIterator]().return?.()
      return { done: true, value: undefined }
    },
  }
  return { ...response, body: { [Symbol.asyncIterator]: () => nothing } }
}
