import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { errorText } from '@berth/text/error-text'
import { printableLine } from '@berth/text/printable'
import type { Clock } from '@berth/types'
import { CommandError } from '../../errors.ts'
import type { PendingModel } from '../model/pending-model.ts'
import type { UiFeed } from '../feed.ts'
import type { UiModel } from '../model/ui-model.ts'
import { refusalOf, type RouteRules } from './request-rules.ts'
import { securityHeaders } from './security-headers.ts'
import { nextChange, streamChanges } from './stream-changes.ts'

/** A file of the page. */
export interface UiFile {
  readonly contentType: string
  readonly text: string
}

/** Content of the server. */
export interface UiSources {
  /** Files by path. They hold nothing about the cluster, so they need no token. */
  readonly files: ReadonlyMap<string, UiFile>
  readonly feed: UiFeed
  /** Explains the pending pods; undefined for a recording, which does not hold what that takes. */
  readonly readPending: (() => Promise<PendingModel>) | undefined
}

/** A running server. */
export interface UiServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string
  /** The bearer token of requests for data. */
  readonly token: string
  /**
   * A code that `POST /api/token` exchanges for the token, once. It may appear in the arguments of a browser's process, which
   * other users of the machine can read.
   */
  readonly code: string
}

/** The page opens one stream and few requests. */
const MAX_CONNECTIONS = 64

/**
 * Serves the page and its data on 127.0.0.1. `GET /api/snapshot` returns a {@link UiModel}, `?at=MILLISECONDS` that
 * of an earlier time; `GET /api/changes` streams lines of `UiMessage`, beginning with the model and the timeline;
 * `GET /api/pending` returns a {@link PendingModel}. All need the token. No request changes anything in the cluster.
 *
 * @param port - 0: any free port.
 * @throws CommandError BERTH_KUBECTL_PORT when the port cannot be used.
 */
export async function serveUi(port: number, sources: UiSources, clock: Clock): Promise<UiServer> {
  const [token, code] = [newSecret(), newSecret()]
  let unusedCode: string | undefined = code
  const takeCode = (): void => void (unusedCode = undefined)
  const server = createServer((request, response) => {
    const { port: ownPort } = server.address() as AddressInfo
    respond(request, response, { sources, token, code: unusedCode, takeCode, port: ownPort, clock }).catch(
      (error: unknown) => {
        if (!response.headersSent) send(response, 502, `${printableLine(errorText(error))}\n`)
        else response.destroy()
      },
    )
  })
  server.maxConnections = MAX_CONNECTIONS
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', resolve)
    })
  } catch (cause) {
    throw new CommandError(`listen on 127.0.0.1:${port}: ${errorText(cause)}`, {
      code: 'BERTH_KUBECTL_PORT',
      cause,
      hint: 'Choose another port, or leave --port out for any free port.',
    })
  }
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    code,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}

interface Serving {
  readonly sources: UiSources
  readonly token: string
  /** Undefined after its use. */
  readonly code: string | undefined
  readonly takeCode: () => void
  readonly port: number
  readonly clock: Clock
}

async function respond(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const { sources } = serving
  const [path = '', query = ''] = (request.url ?? '').split('?')
  const isData = path.startsWith('/api/')
  const rules: RouteRules =
    path === '/api/token'
      ? // A code that was used is as wrong as any other.
        { methods: ['POST'], token: serving.code ?? newSecret() }
      : { methods: ['GET'], token: isData ? serving.token : undefined }
  const { host, origin, authorization, 'sec-fetch-site': fetchSite } = request.headers
  const claims = { method: request.method ?? '', host, origin, authorization, fetchSite: fetchSite?.toString() }
  const refusal = refusalOf(claims, serving.port, rules)
  if (refusal !== undefined) return send(response, refusal.status, `${refusal.reason}\n`)
  if (path === '/api/token') {
    serving.takeCode()
    return send(response, 200, serving.token)
  }
  if (path === '/api/snapshot') return await sendModel(response, query, serving)
  if (path === '/api/pending' && sources.readPending !== undefined)
    return send(response, 200, JSON.stringify(await sources.readPending()), JSON_TYPE)
  if (path === '/api/changes') {
    response.writeHead(200, { ...securityHeaders, 'content-type': 'application/x-ndjson; charset=utf-8' })
    response.flushHeaders()
    return await streamChanges(response, sources.feed, serving.clock)
  }
  const file = sources.files.get(path)
  if (file === undefined) return send(response, 404, 'not found\n')
  return send(response, 200, file.text, file.contentType)
}

async function sendModel(response: ServerResponse, query: string, { sources, clock }: Serving): Promise<void> {
  const at = new URLSearchParams(query).get('at')
  if (at !== null && !/^\d{1,15}$/.test(at)) return send(response, 400, 'at must be milliseconds since the epoch\n')
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const model = await readModel(sources.feed, { clock, at: at === null ? undefined : Number(at), signal: gone.signal })
  send(response, 200, JSON.stringify(model), JSON_TYPE)
}

/** @throws Error with the reason when the cluster cannot be read. */
async function readModel(
  feed: UiFeed,
  { clock, at, signal }: { readonly clock: Clock; readonly at: number | undefined; readonly signal: AbortSignal },
): Promise<UiModel> {
  using _use = feed.use()
  for (;;) {
    const model = at === undefined ? feed.latest() : feed.at(at)
    if (model !== undefined) return model
    const problem = feed.problem()
    if (problem !== undefined) throw new Error(problem)
    signal.throwIfAborted()
    await nextChange(feed, clock, signal)
  }
}

function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

const JSON_TYPE = 'application/json; charset=utf-8'

function send(response: ServerResponse, status: number, text: string, contentType = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { ...securityHeaders, 'content-type': contentType }).end(text)
}
