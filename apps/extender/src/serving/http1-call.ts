import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Call, CONTENT_TYPE } from './call.ts'

/** Returns a request over HTTP/1.1 as a call. */
export function http1Call(request: IncomingMessage, response: ServerResponse): Call {
  const { method = '', url = '', headers, socket } = request
  return {
    method,
    url,
    contentType: headers['content-type'] ?? '',
    announcedBytes: Number(headers['content-length'] ?? 0),
    body: request,
    connection: { key: socket, socket },
    readsResponseLast: true,
    respond(status, json) {
      if (response.destroyed || response.headersSent) return
      response.writeHead(status, { 'content-type': CONTENT_TYPE, 'content-length': json.length })
      response.end(json)
    },
    closeConnection: () => void response.setHeader('connection', 'close'),
    onClose: (listener) => void response.once('close', listener),
  }
}
