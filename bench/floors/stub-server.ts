/**
 * Answers every POST with 201, as an API server answers a binding: a Status of success. It stores nothing. Prints its
 * port; ends with its parent. Usage: stub-server.ts KEY_FILE CERTIFICATE_FILE
 */
import { readFileSync } from 'node:fs'
import { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'

const [keyFile = '', certificateFile = ''] = process.argv.slice(2)
const body = Buffer.from('{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}')
const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
const server = createSecureServer(
  { key: readFileSync(keyFile), cert: readFileSync(certificateFile), allowHTTP1: true },
  (request, response) => {
    request.resume()
    request.once('end', () => {
      response.writeHead(201, headers)
      response.end(body)
    })
  },
)
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
process.stdin.resume()
process.stdin.once('end', () => process.exit(0))
