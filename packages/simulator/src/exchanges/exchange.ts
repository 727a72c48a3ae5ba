import type { ApiHandler, ApiRequest } from '@berth/types'

/** A JSON value out of an answer, read as what the exchange expects it to be. */
// oxlint-disable-next-line typescript/no-explicit-any -- exchanges read into JSON of every shape
export type Json = any

/** What is spoken to. */
export interface ExchangeTarget {
  readonly handle: ApiHandler
  /** Speaks to the same server as whoever has this token. */
  readonly handleAs: (token: string) => ApiHandler
  /** Lets this much time go by: real time at a real server, virtual time at a simulated one. */
  readonly pause: (ms: number) => Promise<void>
  /** Five lower-case letters or digits that tell this run's objects from those of other runs. */
  readonly runId: string
}

/** What a request sends besides method, path and body. */
export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** Bearer token to ask with, instead of the admin's. */
  readonly token?: string
  /** The part of the answer that is held against the recording; by default all of it. */
  readonly show?: (body: Json) => unknown
  /** Is not recorded: it only prepares. */
  readonly isQuiet?: boolean
}

/** An answer that was read whole. */
export interface Answer {
  readonly status: number
  readonly body: Json
  /** The Warning header; `''` when there is none. */
  readonly warning: string
}

/** How a watch is read. */
export interface WatchOptions extends SendOptions {
  /** Frames to wait for; where the server ends the watch before, those that came. */
  readonly frames: number
  /** What happens once the watch is open. */
  readonly act?: () => Promise<void>
  /** Part of a frame's object that is held against the recording. */
  readonly showObject?: (object: Json) => unknown
}

/** Media types of patches. */
export type PatchType = 'json' | 'merge' | 'strategic' | 'apply'

/** One side of a conversation with an API server; every answer is noted in the transcript. */
export interface Talk {
  /** A namespace of the exchange's group. */
  readonly namespace: string
  /** A name that no other exchange uses. */
  readonly name: string
  /** `/api/v1/namespaces/NAMESPACE/PLURAL[/NAME…]`; `PLURAL` may say its group: `apps/v1/deployments`. */
  readonly at: (plural: string, ...rest: readonly string[]) => string
  readonly send: (method: ApiRequest['method'], path: string, body?: unknown, options?: SendOptions) => Promise<Answer>
  readonly get: (path: string, options?: SendOptions) => Promise<Answer>
  /** POST; what it creates is deleted when the exchange is over. */
  readonly post: (path: string, body: unknown, options?: SendOptions) => Promise<Answer>
  readonly put: (path: string, body: unknown, options?: SendOptions) => Promise<Answer>
  readonly patch: (type: PatchType, path: string, body: unknown, options?: SendOptions) => Promise<Answer>
  readonly delete: (path: string, body?: unknown, options?: SendOptions) => Promise<Answer>
  /** Opens a watch, acts, and notes the frames that come. */
  readonly watch: (path: string, options: WatchOptions) => Promise<readonly Json[]>
  /** Asks again until the answer is as wanted, and notes that last one. */
  readonly until: (path: string, isDone: (answer: Answer) => boolean, options?: SendOptions) => Promise<Answer>
}

/** A conversation that means the same at every API server. */
export interface Exchange {
  /** Lower-case words joined by dashes; names its objects too. */
  readonly id: string
  readonly run: (talk: Talk) => Promise<void>
}

/** Exchanges about one subject; they share a namespace. */
export interface ExchangeGroup {
  readonly name: string
  readonly exchanges: readonly Exchange[]
  /** Each makes kinds or policies of its own and waits for them, so that several may be under way at once. */
  readonly areApart: boolean
}

/** What was said, by exchange: requests with their normalised answers, in order. */
export type Transcript = readonly Json[]

/** A group of exchanges, written as a table from id to conversation. */
export function exchangeGroup(name: string, runs: Readonly<Record<string, Exchange['run']>>): ExchangeGroup {
  const exchanges = Object.entries(runs).map(([id, run]) => ({ id: `${name}-${id}`, run }))
  return { name, exchanges, areApart: false }
}

/** A group whose exchanges are apart. */
export function apartGroup(name: string, runs: Readonly<Record<string, Exchange['run']>>): ExchangeGroup {
  return { ...exchangeGroup(name, runs), areApart: true }
}
