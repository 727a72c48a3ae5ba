import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An HTTP server on loopback that does not keep the process alive. */
export interface JsonServer extends AsyncDisposable {
  readonly origin: string
  /** Requests so far: path with query, and the header Authorization. */
  readonly requests: { readonly path: string; readonly authorization: string | undefined }[]
}

/** An answer of the server: JSON with status 200, or the response that the function writes. */
export type Answer = object | number | ((response: ServerResponse) => void)

/** Starts a server. @param answers - By path, or one for every path. */
export async function jsonServer(
  answers: (path: string) => Answer,
  create: (handler: (request: IncomingMessage, response: ServerResponse) => void) => Server = createServer,
): Promise<JsonServer> {
  const requests: { readonly path: string; readonly authorization: string | undefined }[] = []
  const server = create(({ url: path = '', headers }, response) => {
    requests.push({ path, authorization: headers.authorization })
    const answer = answers(path)
    if (typeof answer === 'function') answer(response)
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  server.unref()
  const protocol = create === createServer ? 'http' : 'https'
  return {
    origin: `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => void server.close(resolve))
    },
  }
}
