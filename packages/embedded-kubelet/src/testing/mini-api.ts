import { applyJsonMergePatch, type ApiHandler, type ApiRequest, type ApiResponse, type WatchEvent } from '@berth/types'

type Stored = Record<string, unknown> & { metadata: Record<string, unknown> }

/** A minimal API server to test a kubelet against: objects by path, merge patches, watches, scripted errors. */
export interface MiniApi {
  readonly handler: ApiHandler
  put(collection: string, object: object): void
  remove(path: string): void
  object(path: string): unknown
  /** `METHOD path` of every request. */
  readonly requests: string[]
  /** Answers the next matching requests with this status. */
  refuse(pattern: RegExp, status: number, times: number): void
  /** Ends every open watch. */
  endWatches(): void
}

/** Creates an empty API server. */
export function miniApi(): MiniApi {
  const objects = new Map<string, Stored>()
  const watches = new Set<{ collection: string; push: (event: WatchEvent | undefined) => void }>()
  const requests: string[] = []
  let refusals: { pattern: RegExp; status: number; times: number }[] = []
  let version = 0

  const matches = (collection: string, path: string): boolean =>
    path.startsWith(`${collection}/`) || (collection === '/api/v1/pods' && path.includes('/pods/'))
  function emit(type: WatchEvent['type'], path: string, object: Stored): void {
    for (const watch of watches) if (matches(watch.collection, path)) watch.push({ type, object })
  }
  function store(path: string, object: Stored): Stored {
    const known = objects.get(path)
    const uid = known?.metadata['uid'] ?? object.metadata['uid'] ?? `uid-${++version}`
    const stored = { ...object, metadata: { ...object.metadata, uid, resourceVersion: String(++version) } }
    objects.set(path, stored)
    emit(known === undefined ? 'ADDED' : 'MODIFIED', path, stored)
    return stored
  }
  function remove(path: string): void {
    const object = objects.get(path)
    objects.delete(path)
    if (object !== undefined) emit('DELETED', path, object)
  }
  const answer = (status: number, body: unknown): ApiResponse => ({
    status,
    headers: {},
    // oxlint-disable-next-line require-await
    body: (async function* () {
      yield Buffer.from(JSON.stringify(body))
    })(),
  })
  const refusal = (status: number): ApiResponse => answer(status, { kind: 'Status', message: `scripted ${status}` })

  function watchResponse(collection: string, signal: AbortSignal | undefined): ApiResponse {
    const queue: (WatchEvent | undefined)[] = []
    let wake = (): void => {}
    const push = (event: WatchEvent | undefined): void => {
      queue.push(event)
      wake()
    }
    const watch = { collection, push }
    watches.add(watch)
    signal?.addEventListener('abort', () => push(undefined))
    const body = (async function* () {
      for (;;) {
        const event = queue.shift()
        if (event !== undefined) yield Buffer.from(`${JSON.stringify(event)}\n`)
        else if (queue.length > 0 || signal?.aborted === true || !watches.has(watch)) return
        else {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
      }
    })()
    return { status: 200, headers: {}, body }
  }

  async function handler(request: ApiRequest): Promise<ApiResponse> {
    const url = new URL(request.path, 'http://api')
    const path = url.pathname
    requests.push(`${request.method} ${request.path}`)
    const scripted = refusals.find(({ pattern }) => pattern.test(`${request.method} ${request.path}`))
    if (scripted !== undefined) {
      scripted.times--
      refusals = refusals.filter(({ times }) => times > 0)
      return refusal(scripted.status)
    }
    const body = JSON.parse(Buffer.from(request.body ?? Buffer.from('{}')).toString()) as Stored
    if (url.searchParams.has('watch')) return watchResponse(path, request.signal)
    const target = path.replace(/\/status$/u, '')
    const found = objects.get(target)
    if (request.method === 'POST') {
      const created = `${path}/${String(body.metadata['name'])}`
      return objects.has(created) ? refusal(409) : answer(201, store(created, body))
    }
    if (request.method === 'GET' && found === undefined && /\/(pods|nodes)$/u.test(path)) {
      const items = [...objects].filter(([key]) => matches(path, key)).map(([, object]) => object)
      return answer(200, { metadata: { resourceVersion: String(version) }, items })
    }
    if (found === undefined) return refusal(404)
    if (request.method === 'DELETE') {
      remove(target)
      return answer(200, found)
    }
    if (request.method === 'GET') return answer(200, found)
    return answer(200, store(target, request.method === 'PUT' ? body : (applyJsonMergePatch(found, body) as Stored)))
  }

  return {
    handler,
    put: (collection, object) => {
      const stored = object as Stored
      store(`${collection}/${String(stored.metadata['name'])}`, stored)
    },
    remove,
    object: (path) => objects.get(path),
    requests,
    refuse: (pattern, status, times) => void refusals.push({ pattern, status, times }),
    endWatches() {
      const open = [...watches]
      watches.clear()
      for (const watch of open) watch.push(undefined)
    },
  }
}
