import type { ApiRequest } from '@berth/types'
import type {
  Answer,
  ConformanceCase,
  ConformanceTarget,
  Json,
  PatchType,
  SendOptions,
  CaseSession,
  Transcript,
} from './conformance-case.ts'
import { NO_SCHEDULER } from './no-scheduler.ts'
import { createNormaliser } from './normaliser.ts'
import { poll, readAnswer, readFrames } from './read-answer.ts'

const PATCH_TYPES: Readonly<Record<PatchType, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
}
const AGENT = { 'user-agent': 'exchanges/1.0' }
const encoder = new TextEncoder()

/** The session of one case, with its transcript. */
export interface StartedSession {
  readonly session: CaseSession
  readonly transcript: Transcript
  /** Deletes the objects that the case created. */
  readonly cleanUp: () => Promise<void>
}

/** Starts the session of a case in its group's namespace. */
export function startSession(target: ConformanceTarget, namespace: string, { id }: ConformanceCase): StartedSession {
  const normaliser = createNormaliser()
  normaliser.replaceName(namespace, '$namespace')
  normaliser.replaceName(target.runId, '$run')
  const transcript: Json[] = []
  const created = new Set<string>()

  async function send(
    method: ApiRequest['method'],
    path: string,
    body?: unknown,
    { headers = {}, show = whole, isQuiet = false, token }: SendOptions = {},
  ): Promise<Answer> {
    const handle = token === undefined ? target.handle : target.handleAs(token)
    const response = await handle({
      method,
      path,
      headers: { ...AGENT, accept: 'application/json', ...contentType(body), ...headers },
      ...(body === undefined ? {} : { body: encoder.encode(typeof body === 'string' ? body : JSON.stringify(body)) }),
    })
    const { warning = '' } = response.headers
    const answer = { status: response.status, body: await readAnswer(response), warning }
    if (!isQuiet) {
      transcript.push({
        request: `${method} ${normaliser.text(decodeURIComponent(path))}`,
        status: answer.status,
        ...(warning === '' ? {} : { warning: normaliser.text(warning) }),
        body: normaliser.json(recordedPart(answer.body, show)),
      })
    }
    if (answer.status === 201) {
      rememberCreated(method, path, answer.body)
      rejectSchedulablePod(id, answer.body)
    }
    return answer
  }

  // A created object is at `COLLECTION/NAME`; an applied one at the path of the request.
  function rememberCreated(method: ApiRequest['method'], path: string, body: Json): void {
    const [bare = ''] = path.split('?')
    const name = body?.metadata?.name
    if (typeof name !== 'string' || body.metadata.uid === undefined || path.includes('dryRun=All')) return
    created.add(method === 'POST' ? `${bare}/${name}` : bare)
  }

  const session: CaseSession = {
    namespace,
    name: `x-${id}`,
    at(plural, ...rest) {
      const parts = plural.split('/')
      const root = parts.length === 1 ? '/api/v1' : `/apis/${parts.slice(0, -1).join('/')}`
      return [`${root}/namespaces/${namespace}/${parts.at(-1)}`, ...rest].join('/')
    },
    send,
    get: (path, options) => send('GET', path, undefined, options),
    post: (path, body, options) => send('POST', path, body, options),
    put: (path, body, options) => send('PUT', path, body, options),
    patch: (type, path, body, options = {}) =>
      send('PATCH', path, body, { ...options, headers: { 'content-type': PATCH_TYPES[type], ...options.headers } }),
    delete: (path, body, options) => send('DELETE', path, body, options),
    startOfSecond: async () => target.startOfSecond?.(),
    async watch(path, { frames: count, act, showObject = whole, headers = {} }) {
      const abort = new AbortController()
      const response = await target.handle({
        method: 'GET',
        path,
        headers: { ...AGENT, accept: 'application/json', ...headers },
        signal: abort.signal,
      })
      const request = `WATCH ${normaliser.text(decodeURIComponent(path))}`
      if (response.status !== 200) {
        const body = normaliser.json(await readAnswer(response))
        transcript.push({ request, status: response.status, body })
        return []
      }
      const reading = readFrames(target, response, { count, abort })
      await act?.()
      const frames = await reading
      const seen = frames.map(({ type, object }) => ({
        type,
        object: normaliser.json(recordedPart(object, showObject)),
      }))
      transcript.push({ request, status: 200, frames: seen })
      return frames
    },
    async until(path, isDone, { show = whole, isQuiet = false, headers = {} } = {}) {
      let answer: Answer = { status: 0, body: undefined, warning: '' }
      await poll(target, async () => {
        answer = await send('GET', path, undefined, { isQuiet: true, headers })
        return isDone(answer)
      })
      if (isQuiet) return answer
      transcript.push({
        request: `UNTIL ${normaliser.text(path)}`,
        isDone: isDone(answer),
        status: answer.status,
        body: normaliser.json(recordedPart(answer.body, show)),
      })
      return answer
    },
  }

  async function cleanUp(): Promise<void> {
    const options = { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0, propagationPolicy: 'Background' }
    for (const path of created) {
      const found = await send('GET', path, undefined, { isQuiet: true })
      if (found.status !== 200) continue
      const patch = JSON.stringify({ metadata: { finalizers: null } })
      const headers = { 'content-type': PATCH_TYPES.merge }
      if (found.body.metadata?.finalizers !== undefined) await send('PATCH', path, patch, { headers, isQuiet: true })
      await send('DELETE', path, options, { isQuiet: true })
    }
  }

  return { session, transcript, cleanUp }
}

function contentType(body: unknown): Readonly<Record<string, string>> {
  return body === undefined ? {} : { 'content-type': 'application/json' }
}

// Throws for an object whose pods a running scheduler may bind: they would make the transcript depend on timing.
function rejectSchedulablePod(id: string, { kind, metadata, spec }: Json): void {
  const podSpec = kind === 'Pod' ? spec : spec?.replicas === 0 ? undefined : spec?.template?.spec
  if (podSpec?.schedulerName !== 'default-scheduler' || podSpec.nodeName !== undefined) return
  throw new Error(`case ${id}: kube-scheduler may bind ${kind} ${metadata.name}: set schedulerName to ${NO_SCHEDULER}`)
}

const whole = (body: Json): Json => body

// An error Status lacks the fields that `show` picks: compare all of it.
function recordedPart(body: Json, show: (body: Json) => unknown): Json {
  if (body?.kind === 'Status') return body
  try {
    return show(body)
  } catch {
    return body
  }
}
