import type { ApiHandler, ApiRequest } from '@berth/types'

/** A JSON value of a response. */
// oxlint-disable-next-line typescript/no-explicit-any -- cases read into JSON of every shape
export type Json = any

/** The API server under test. */
export interface ConformanceTarget {
  readonly handle: ApiHandler
  /** Sends requests with this bearer token instead of the admin's. */
  readonly handleAs: (token: string) => ApiHandler
  /** Waits for some milliseconds: of real time for a real server, of virtual time for the embedded one. */
  readonly pause: (ms: number) => Promise<void>
  /** Waits for the start of a second of the server's clock. Absent where virtual time stands still. */
  readonly startOfSecond?: () => Promise<void>
  /** Five lower-case letters or digits in the names of this run's objects, so that runs do not collide. */
  readonly runId: string
}

/** Options of one request. */
export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** Bearer token; default: the admin's. */
  readonly token?: string
  /** Picks the part of the body that is recorded; default: all of it. */
  readonly show?: (body: Json) => unknown
  /** Leaves the request out of the transcript, because it only prepares the case. */
  readonly isQuiet?: boolean
}

/** A response whose body was read completely. */
export interface Answer {
  readonly status: number
  readonly body: Json
  /** The Warning header; `''` when there is none. */
  readonly warning: string
}

/** Options of one watch. */
export interface WatchOptions {
  readonly headers?: SendOptions['headers']
  /** Number of events to wait for. The server may end the watch earlier. The events are the frames of the stream. */
  readonly frames: number
  /** Runs once the watch is open. */
  readonly act?: () => Promise<void>
  /** Picks the part of an event's object that is recorded. */
  readonly showObject?: (object: Json) => unknown
}

/** The type of a patch. Each has its own media type. */
export type PatchType = 'json' | 'merge' | 'strategic' | 'apply'

/** Sends the requests of one case and records every response in its transcript. */
export interface CaseSession {
  /** The namespace of the case's group. */
  readonly namespace: string
  /** A name that no other case uses. */
  readonly name: string
  /** Returns `/api/v1/namespaces/NAMESPACE/PLURAL[/NAME…]`; `PLURAL` may include the group: `apps/v1/deployments`. */
  readonly at: (plural: string, ...rest: readonly string[]) => string
  /** Sends one request. An object that it creates is deleted when the case ends. */
  readonly send: (method: ApiRequest['method'], path: string, body?: unknown, options?: SendOptions) => Promise<Answer>
  readonly get: (path: string, options?: SendOptions) => Promise<Answer>
  readonly post: (path: string, body: unknown, options?: SendOptions) => Promise<Answer>
  readonly put: (path: string, body: unknown, options?: SendOptions) => Promise<Answer>
  readonly patch: (type: PatchType, path: string, body: unknown, options?: SendOptions) => Promise<Answer>
  readonly delete: (path: string, body?: unknown, options?: SendOptions) => Promise<Answer>
  /** Opens a watch, runs `act`, and records the events. */
  readonly watch: (path: string, options: WatchOptions) => Promise<readonly Json[]>
  /**
   * Polls until `isDone`, and records the last response. After a minute it records that the condition does
   * not hold, and resolves too.
   */
  readonly until: (
    path: string,
    isDone: (answer: Answer) => boolean,
    options?: Omit<SendOptions, 'token'>,
  ) => Promise<Answer>
  /** Waits for the start of a second, for requests whose responses depend on whether they share a second. */
  readonly startOfSecond: () => Promise<void>
}

/** A sequence of requests that every API server must answer alike. */
export interface ConformanceCase {
  /** Lower-case words joined by dashes; names its objects too. */
  readonly id: string
  /** Sends the requests. Its result is not used. */
  readonly run: (session: CaseSession) => Promise<unknown>
}

/** Cases about one subject. They share a namespace. */
export interface CaseGroup {
  readonly name: string
  readonly cases: readonly ConformanceCase[]
  /** Whether the cases may run concurrently: each creates its own kinds or policies and waits for them. */
  readonly areIndependent: boolean
}

/** The requests of one case with their normalised responses, in order. */
export type Transcript = readonly Json[]

/** Builds a group from a table of case ids and functions. */
export function caseGroup(name: string, runs: Readonly<Record<string, ConformanceCase['run']>>): CaseGroup {
  const cases = Object.entries(runs).map(([id, run]) => ({ id: `${name}-${id}`, run }))
  return { name, cases, areIndependent: false }
}

/** Builds a group whose cases may run concurrently. */
export function independentCaseGroup(name: string, runs: Readonly<Record<string, ConformanceCase['run']>>): CaseGroup {
  return { ...caseGroup(name, runs), areIndependent: true }
}
