import type { ApiHandler, ApiRequest, ApiResponse, KubernetesObject } from '@berth/types'

type Raw = KubernetesObject & { readonly metadata: { readonly name: string; readonly namespace?: string } }

/** A fault that a test injects into one request. */
export interface Fault {
  /** Name in counts and messages. */
  readonly name: string
  /** Answers instead of the server. Omit it to let the server answer. */
  readonly answer?: (request: ApiRequest) => Promise<ApiResponse>
  /** Changes the chunks of the response's body. */
  readonly body?: (chunks: AsyncIterable<Uint8Array>, request: ApiRequest) => AsyncIterable<Uint8Array>
}

/** Serves one collection with the list and watch rules of an API server, for tests of reflectors. */
export interface ListWatchServer {
  readonly handle: ApiHandler
  /** Creates or replaces an object. Returns the stored object with its resourceVersion. */
  put(object: Raw): Raw
  remove(key: string): void
  /** The newest state of each object, by key. */
  objects(): ReadonlyMap<string, Raw>
  /** Discards the history: watches from an older version end with 410. */
  compact(): void
  /** Sends a bookmark to every watch. */
  bookmark(): void
  /** Ends every open watch in order. */
  endWatches(): void
  /** Breaks every open watch. */
  breakWatches(): void
  openWatches(): number
  readonly requests: readonly ApiRequest[]
}

/** Options of {@link listWatchServer}. */
export interface ListWatchServerOptions {
  /** False if it rejects `sendInitialEvents` with 422, like a server without WatchList. Default: true. */
  readonly hasWatchList?: boolean
  /** Chooses the fault of a request. Default: none. */
  readonly fault?: (request: ApiRequest) => Fault | undefined
}

interface Watcher {
  push(frame: string): void
  end(): void
  fail(error: Error): void
}

const encoder = new TextEncoder()

/** Creates an empty server whose resource versions start at 100. */
export function listWatchServer(options: ListWatchServerOptions = {}): ListWatchServer {
  const hasWatchList = options.hasWatchList ?? true
  const objects = new Map<string, Raw>()
  const history: { readonly version: number; readonly frame: string }[] = []
  const watchers = new Set<Watcher>()
  const requests: ApiRequest[] = []
  const continuations = new Map<string, { readonly items: readonly Raw[]; readonly version: number }>()
  let version = 100
  let compactedTo = 100

  const publish = (type: string, object: Raw): void => {
    const frame = frameOf(type, object)
    history.push({ version, frame })
    for (const watcher of watchers) watcher.push(frame)
  }

  const watch = (request: ApiRequest, query: URLSearchParams): ApiResponse => {
    const from = query.get('resourceVersion') ?? ''
    const isWatchList = query.get('sendInitialEvents') === 'true'
    if (isWatchList && !hasWatchList) return refusal(422, 'Invalid', 'sendInitialEvents: Forbidden: not enabled')
    if (!isWatchList && from !== '' && Number(from) < compactedTo)
      return refusal(410, 'Expired', 'too old resource version')
    if (!isWatchList && Number(from) > version) return refusal(504, 'Timeout', 'Too large resource version')
    const watcher = queueFor(request)
    if (isWatchList) {
      for (const object of objects.values()) watcher.push(frameOf('ADDED', object))
      watcher.push(bookmarkOf(version, true))
    } else for (const entry of history) if (entry.version > Number(from)) watcher.push(entry.frame)
    return { status: 200, headers: {}, body: watcher.body }
  }

  const queueFor = (request: ApiRequest): Watcher & { readonly body: AsyncIterable<Uint8Array> } => {
    const frames: string[] = []
    let wake: (() => void) | undefined
    let isEnded = false
    let failure: Error | undefined
    const wakeUp = (): void => {
      wake?.()
      wake = undefined
    }
    const watcher: Watcher = {
      push(frame) {
        frames.push(frame)
        wakeUp()
      },
      end() {
        isEnded = true
        watchers.delete(watcher)
        wakeUp()
      },
      fail(error) {
        failure = error
        watchers.delete(watcher)
        wakeUp()
      },
    }
    watchers.add(watcher)
    request.signal?.addEventListener('abort', () => watcher.fail(request.signal?.reason as Error), { once: true })
    const body = async function* (): AsyncGenerator<Uint8Array> {
      for (;;) {
        for (let frame = frames.shift(); frame !== undefined; frame = frames.shift()) yield encoder.encode(frame)
        if (failure !== undefined) throw failure
        if (isEnded) return
        await new Promise<void>((resolve) => (wake = resolve))
      }
    }
    return { ...watcher, body: body() }
  }

  const list = (query: URLSearchParams): ApiResponse => {
    const token = query.get('continue')
    const from = query.get('resourceVersion') ?? ''
    if (Number(from) > version) return refusal(504, 'Timeout', 'Too large resource version')
    const page = token === null ? { items: [...objects.values()], version } : continuations.get(token)
    if (page === undefined || (token !== null && page.version < compactedTo))
      return refusal(410, 'Expired', 'the provided continue parameter is too old')
    const limit = Number(query.get('limit') ?? page.items.length)
    const rest = page.items.slice(limit)
    const next = rest.length === 0 ? undefined : `page-${continuations.size}`
    if (next !== undefined) continuations.set(next, { items: rest, version: page.version })
    const metadata = { resourceVersion: String(page.version), ...(next === undefined ? {} : { continue: next }) }
    return json(200, { kind: 'List', apiVersion: 'v1', metadata, items: page.items.slice(0, limit).map(withoutType) })
  }

  const serve = (request: ApiRequest): ApiResponse => {
    const query = new URL(request.path, 'http://localhost').searchParams
    return query.get('watch') === '1' ? watch(request, query) : list(query)
  }

  return {
    requests,
    async handle(request) {
      requests.push(request)
      const fault = options.fault?.(request)
      const response = (await fault?.answer?.(request)) ?? serve(request)
      return fault?.body === undefined ? response : { ...response, body: fault.body(response.body, request) }
    },
    put(object) {
      version += 1
      const key = keyOf(object)
      const type = objects.has(key) ? 'MODIFIED' : 'ADDED'
      const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } }
      objects.set(key, stored)
      publish(type, stored)
      return stored
    },
    remove(key) {
      const object = objects.get(key)
      if (object === undefined) return
      version += 1
      objects.delete(key)
      publish('DELETED', { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } })
    },
    objects: () => objects,
    compact() {
      // Another write makes every version that a client may hold outdated.
      version += 1
      compactedTo = version
      history.length = 0
    },
    bookmark() {
      for (const watcher of watchers) watcher.push(bookmarkOf(version, false))
    },
    endWatches() {
      for (const watcher of watchers) watcher.end()
    },
    breakWatches() {
      for (const watcher of watchers) watcher.fail(new Error('read ECONNRESET'))
    },
    openWatches: () => watchers.size,
  }
}

/** An API server omits the type in the items of a list; so does this one. */
function withoutType(object: Raw): Raw {
  const { kind: _, apiVersion: __, ...rest } = object
  return rest
}

function keyOf(object: Raw): string {
  const { namespace, name } = object.metadata
  return namespace === undefined ? name : `${namespace}/${name}`
}

function frameOf(type: string, object: unknown): string {
  return `${JSON.stringify({ type, object })}\n`
}

function bookmarkOf(version: number, isInitialEnd: boolean): string {
  const annotations = isInitialEnd ? { 'k8s.io/initial-events-end': 'true' } : {}
  return frameOf('BOOKMARK', { kind: 'Pod', metadata: { resourceVersion: String(version), annotations } })
}

function refusal(code: number, reason: string, message: string): ApiResponse {
  return json(code, { kind: 'Status', status: 'Failure', code, reason, message })
}

function json(status: number, value: unknown): ApiResponse {
  const body = async function* (): AsyncGenerator<Uint8Array> {
    yield encoder.encode(JSON.stringify(value))
  }
  return { status, headers: { 'content-type': 'application/json' }, body: body() }
}
