import { createReadStream } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'

/** A folder on a loopback port. Disposing it closes the port. */
export interface ServedFolder extends AsyncDisposable {
  readonly url: string
}

/** Serves the files of a folder over HTTP on loopback. */
export async function serveFolder(folder: string): Promise<ServedFolder> {
  const server = createServer((request, response) => {
    const file = createReadStream(join(folder, basename(request.url ?? '')))
    file.once('error', () => response.writeHead(404).end())
    file.pipe(response)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}
