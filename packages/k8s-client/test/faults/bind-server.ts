import type { ApiHandler, ApiRequest, ApiResponse, Clock } from '@berth/types'
import { scriptedHandler } from '../../src/testing.ts'
import type { ClientWitness } from './client-witness.ts'
import type { FaultCounts } from './fault-counts.ts'

/** The classes of faults around a bind. */
export const bindFaults = [
  'lost before',
  'lost after',
  'half-open before',
  'half-open after',
  'late effect',
  '409',
  '429',
  '500 before',
  '500 after',
  '503',
  'slow body',
] as const

/** One of {@link bindFaults}. */
export type BindFault = (typeof bindFaults)[number]

/** The error that the client must see for each fault. */
const expectedErrors: Readonly<Record<BindFault, RegExp>> = {
  'lost before': /^BERTH_API_BROKEN /,
  'lost after': /^BERTH_API_BROKEN /,
  'half-open before': /^BERTH_API_TIMEOUT /,
  'half-open after': /^BERTH_API_TIMEOUT /,
  'late effect': /^BERTH_API_(?:BROKEN|TIMEOUT) /,
  '409': /^BERTH_API_CONFLICT .*modified/,
  '429': /^BERTH_API_THROTTLED /,
  '500 before': /^BERTH_API_UNAVAILABLE .*before/,
  '500 after': /^BERTH_API_UNAVAILABLE .*after/,
  '503': /^BERTH_API_UNAVAILABLE .*later/,
  'slow body': /^BERTH_API_TIMEOUT /,
}

/** The part of an API server that binds pods by name, with the uid as precondition. */
export interface BindServer {
  readonly handle: ApiHandler
  /** Uids of the pods that exist, by name, with their nodes. */
  readonly pods: Map<string, { readonly uid: string; nodeName?: string }>
  /** Every bind that took effect, node by uid, including those of deleted pods. */
  readonly binds: ReadonlyMap<string, string>
  /** Milliseconds by which requests came before their Retry-After had passed. */
  readonly early: readonly number[]
}

/** Creates a server; `random` chooses the faults. */
export function bindServer(options: {
  readonly clock: Clock
  readonly random: () => number
  readonly counts: FaultCounts
  readonly witness: ClientWitness
  /** Called before each request is served, so that a rival can act. */
  readonly rival: (server: BindServer) => void
  /** Returns the current fault of every request: `none` for no fault, undefined for a random one. */
  readonly forced?: () => BindFault | 'none' | undefined
}): BindServer {
  const { clock, random, counts, witness, rival, forced } = options
  const pods: BindServer['pods'] = new Map()
  const binds = new Map<string, string>()
  const early: number[] = []
  let staysAwayUntil = 0

  const serve = (request: ApiRequest): ApiResponse => {
    const name = /\/pods\/([^/]+)/.exec(request.path)?.[1] ?? ''
    const pod = pods.get(name)
    if (pod === undefined) return refusal(404, 'NotFound', `pods "${name}" not found`)
    if (request.method === 'GET')
      return json(200, { metadata: { name, namespace: 'default', uid: pod.uid }, spec: { nodeName: pod.nodeName } })
    const { metadata, target } = JSON.parse(new TextDecoder().decode(request.body)) as {
      readonly metadata: { readonly uid?: string }
      readonly target: { readonly name: string }
    }
    if (metadata.uid !== undefined && metadata.uid !== pod.uid)
      return refusal(409, 'Conflict', 'Precondition failed: UID in precondition')
    if (pod.nodeName !== undefined)
      return refusal(409, 'Conflict', `pod ${name} is already assigned to node "${pod.nodeName}"`)
    pod.nodeName = target.name
    binds.set(pod.uid, target.name)
    return json(201, { kind: 'Status', status: 'Success' })
  }

  const faulty = async (name: BindFault, request: ApiRequest): Promise<ApiResponse> => {
    switch (name) {
      case 'lost after':
        serve(request)
        throw new Error('socket hang up')
      case 'half-open before':
        return untilAborted(request)
      case 'half-open after':
        serve(request)
        return untilAborted(request)
      case 'late effect':
        // The connection breaks or stays silent; the server continues and acts within its own time limit.
        clock.setTimer(1_000 + random() * 58_000, () => void serve(request))
        if (random() < 0.5) throw new Error('socket hang up')
        return untilAborted(request)
      case '409':
        return refusal(409, 'Conflict', 'the object has been modified')
      case '429':
      case '503':
        staysAwayUntil = clock.monotonic() + 4_000
        return refusal(Number(name), 'Busy', 'later', { 'retry-after': '4' })
      case '500 before':
        return refusal(500, 'InternalError', 'before')
      case '500 after':
        serve(request)
        return refusal(500, 'InternalError', 'after')
      case 'slow body': {
        const { body, ...head } = serve(request)
        return { ...head, body: slowly(body, clock) }
      }
      case 'lost before':
        throw new Error('socket hang up')
    }
  }

  const server: BindServer = {
    pods,
    binds,
    early,
    async handle(request) {
      rival(server)
      const earlyMs = staysAwayUntil - clock.monotonic()
      // Retry-After applies to the call that it answers, but a forced fault hits many calls at once.
      if (earlyMs > 0 && forced?.() === undefined) early.push(earlyMs)
      const chosen = forced?.()
      if (chosen === 'none' || (chosen === undefined && random() < 0.5)) return serve(request)
      const name = chosen ?? bindFaults[Math.floor(random() * bindFaults.length)] ?? 'lost before'
      counts.injected(name)
      witness.injected(request.path, name, expectedErrors[name])
      return faulty(name, request)
    },
  }
  return server
}

function untilAborted(request: ApiRequest): Promise<never> {
  return scriptedHandler([{ answer: { kind: 'hang' } }]).handle(request) as Promise<never>
}

// One byte per second: no response ends within the deadline of a call.
async function* slowly(body: AsyncIterable<Uint8Array>, clock: Clock): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; at += 1) {
      await new Promise<void>((resolve) => clock.setTimer(1_000, resolve))
      yield chunk.subarray(at, at + 1)
    }
  }
}

function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): ApiResponse {
  const body = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from(JSON.stringify(value))
  }
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: body() }
}

function refusal(
  code: number,
  reason: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse {
  return json(code, { kind: 'Status', status: 'Failure', code, reason, message }, headers)
}
