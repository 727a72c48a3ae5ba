import { createReadStream } from 'node:fs'
import { basename, join } from 'node:path'
import { type LoopbackServer, serveOnLoopback } from '../../loopback/loopback-server.ts'

/** Serves the files of a folder over HTTP on loopback. */
export async function serveFolder(folder: string): Promise<LoopbackServer> {
  return await serveOnLoopback((request, response) => {
    const file = createReadStream(join(folder, basename(request.url ?? '')))
    file.once('error', () => response.writeHead(404).end())
    file.pipe(response)
  })
}
