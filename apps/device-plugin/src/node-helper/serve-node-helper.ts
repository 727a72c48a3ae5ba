import { errorText } from '@berth/text/error-text'
import type { Logger } from '@berth/types'
import { rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { cdiDevices } from '../cdi/cdi-devices.ts'
import { NodeHelperError } from '../errors.ts'
import { printableLine } from '../printable.ts'
import type { CdiDirectory } from './cdi-directory.ts'
import type { PodDevices } from './pod-devices.ts'

/** A list of 30,000 devices takes about 8 MB. */
const MAX_BODY_BYTES = 32 * 1024 * 1024
const CALL_TIMEOUT_MS = 5_000
/** The only caller is the device plugin, which opens a few connections. */
const MAX_CONNECTIONS = 16

/** The services of the node helper for the device plugin. A request for a service that is off is refused. */
export interface NodeHelperParts {
  readonly cdi?: CdiDirectory | undefined
  readonly listPodDevices?: ((signal: AbortSignal) => Promise<readonly PodDevices[]>) | undefined
}

/**
 * Serves the node helper on a unix socket: `PUT /cdi/CLASS` with the devices of a class writes its CDI file, and
 * `GET /pod-devices` lists the devices that containers hold. Resolves when the socket accepts calls. Any process that can
 * enter the directory of the socket may call it.
 *
 * @throws NodeHelperError BERTH_DEVICE_PLUGIN_NODE_HELPER
 */
export async function serveNodeHelper(
  socketPath: string,
  parts: NodeHelperParts,
  log: Logger,
): Promise<AsyncDisposable> {
  const server = createServer({ requestTimeout: CALL_TIMEOUT_MS }, (request, response) => {
    respond(request, response, parts).catch((error: unknown) => {
      log.warn({ err: error, path: request.url }, 'Request of the device plugin failed')
      if (!response.headersSent) response.writeHead(500)
      response.end(`${printableLine(errorText(error))}\n`)
    })
  })
  server.maxConnections = MAX_CONNECTIONS
  try {
    await rm(socketPath, { force: true })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      // The plugin has another user. Without CAP_CHOWN, the socket cannot be given to it. A later chmod would follow a link
      // that the plugin puts in the place of the socket.
      const before = process.umask(0o111)
      server.listen(socketPath, resolve)
      process.umask(before)
    })
  } catch (error) {
    throw new NodeHelperError(`listen on ${socketPath}: ${errorText(error)}`, {
      cause: error,
      hint: 'Check that the directory of --node-helper exists and is writable.',
    })
  }
  return {
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}

async function respond(request: IncomingMessage, response: ServerResponse, parts: NodeHelperParts): Promise<void> {
  const refuse = (status: number, reason: string): void => void response.writeHead(status).end(`${reason}\n`)
  const { method, url = '' } = request
  const className = /^\/cdi\/([A-Za-z][A-Za-z0-9-]*)$/.exec(url)?.[1]
  if (method === 'PUT' && className !== undefined) {
    if (parts.cdi === undefined) return refuse(404, 'the node helper was started without --cdi-directory')
    const devices = cdiDevices.safeParse(JSON.parse(await bodyOf(request)))
    if (!devices.success) return refuse(400, errorText(devices.error))
    await parts.cdi.write(className, devices.data)
    return void response.writeHead(204).end()
  }
  if (method === 'GET' && url === '/pod-devices') {
    if (parts.listPodDevices === undefined)
      return refuse(404, 'the node helper was started without --pod-resources-directory')
    const list = await parts.listPodDevices(AbortSignal.timeout(CALL_TIMEOUT_MS))
    return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(list))
  }
  return refuse(404, 'not found')
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) throw new Error(`the request has more than ${MAX_BODY_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
