import { systemClock } from '@berth/clock'
import { connect as connectHttp2 } from 'node:http2'
import { request as requestHttps } from 'node:https'
import { connect as connectTcp } from 'node:net'
import { expect, test } from 'vitest'
import { createApiServer, serveApiServer, type ServedApi } from '../src/index.ts'
import { serviceAccountToken } from '../src/testing.ts'

const apiServer = (): ReturnType<typeof createApiServer> =>
  createApiServer({ clock: systemClock(), random: Math.random })

interface Answer {
  readonly status: number
  readonly body: string
}

function overHttp1(
  served: ServedApi,
  method: string,
  path: string,
  options: { token?: string; body?: string } = {},
): Promise<Answer> {
  const { token = served.token, body } = options
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const request = requestHttps(
      `${served.url}${path}`,
      { method, ca: served.ca, headers, agent: false },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.once('end', () => resolve({ status: response.statusCode ?? 0, body: text }))
      },
    )
    request.once('error', reject)
    request.end(body)
  })
}

test('serves HTTP/1.1 and HTTP/2 to the admin only', async () => {
  await using served = await serveApiServer(apiServer())
  expect((await overHttp1(served, 'GET', '/api/v1/namespaces/default')).status).toBe(200)
  expect((await overHttp1(served, 'GET', '/api/v1/nodes', { token: 'guess' })).body).toContain(
    '"reason":"Unauthorized"',
  )
  expect(await overHttp1(served, 'GET', '/readyz', { token: '' })).toEqual({ status: 200, body: 'ok' })
  const session = connectHttp2(served.url, { ca: served.ca })
  const stream = session.request({ ':path': '/api/v1/namespaces/default', authorization: `Bearer ${served.token}` })
  let text = ''
  for await (const chunk of stream.setEncoding('utf8')) text += chunk as string
  expect(JSON.parse(text)).toMatchObject({ kind: 'Namespace' })
  session.close()
})

test('accepts tokens of service accounts, with the permissions of their roles', async () => {
  const server = createApiServer({ clock: systemClock(), random: Math.random, rbac: true })
  await using served = await serveApiServer(server)
  const path = '/api/v1/namespaces/default/serviceaccounts'
  await overHttp1(served, 'POST', path, { body: '{"metadata":{"name":"robot"}}' })
  const token = await serviceAccountToken(server.handle, 'default', 'robot')
  expect((await overHttp1(served, 'GET', '/api', { token })).status).toBe(200)
  expect((await overHttp1(served, 'GET', path, { token })).body).toContain(
    String.raw`User \"system:serviceaccount:default:robot\" cannot list resource \"serviceaccounts\"`,
  )
  expect((await overHttp1(served, 'GET', '/api', { token: `${token}x` })).status).toBe(401)
  expect(served.kubeconfig(token)).toContain(token)
})

test('accepts writes, and rejects unknown methods and bodies that are too large', async () => {
  await using served = await serveApiServer(apiServer())
  const created = await overHttp1(served, 'POST', '/api/v1/nodes', { body: '{"metadata":{"name":"n1"}}' })
  expect(created.status).toBe(201)
  expect((await overHttp1(served, 'OPTIONS', '/api/v1/nodes')).status).toBe(405)
  const large = await overHttp1(served, 'POST', '/api/v1/nodes', { body: `{"x":"${'x'.repeat(4 * 1024 * 1024)}"}` })
  expect(large.status).toBe(413)
})

test('streams watch events as they happen', async () => {
  await using served = await serveApiServer(apiServer())
  const session = connectHttp2(served.url, { ca: served.ca })
  const stream = session.request({ ':path': '/api/v1/nodes?watch=1', authorization: `Bearer ${served.token}` })
  await new Promise((resolve) => stream.once('response', resolve))
  const frame = new Promise<string>((resolve) => stream.setEncoding('utf8').once('data', resolve))
  await overHttp1(served, 'POST', '/api/v1/nodes', { body: '{"metadata":{"name":"n1"}}' })
  expect(JSON.parse(await frame)).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'n1' } } })
  session.destroy()
})

test('closes every socket when it is disposed, including watches', async () => {
  const served = await serveApiServer(apiServer())
  const session = connectHttp2(served.url, { ca: served.ca })
  session.on('error', () => undefined)
  const stream = session.request({ ':path': '/api/v1/nodes?watch=1', authorization: `Bearer ${served.token}` })
  stream.on('error', () => undefined)
  await new Promise((resolve) => stream.once('response', resolve))
  const closed = new Promise((resolve) => session.once('close', resolve))
  await served[Symbol.asyncDispose]()
  await closed
  const refused = new Promise<NodeJS.ErrnoException>((resolve) =>
    connectTcp(served.port, '127.0.0.1').once('error', resolve),
  )
  expect((await refused).code).toBe('ECONNREFUSED')
})

test('reports a port that is in use', async () => {
  await using served = await serveApiServer(apiServer())
  const second = serveApiServer(apiServer(), { port: served.port })
  await expect(second).rejects.toMatchObject({
    code: 'BERTH_SIMULATOR_LISTEN',
    message: `listen on 127.0.0.1:${served.port}: the port is in use`,
  })
})

test('returns a kubeconfig with address, certificate authority and token', async () => {
  await using served = await serveApiServer(apiServer(), { token: 'secret' })
  const config = JSON.parse(served.kubeconfig()) as {
    clusters: { cluster: Record<string, string> }[]
    users: { user: object }[]
  }
  expect(config.clusters[0]?.cluster['server']).toBe(served.url)
  expect(Buffer.from(config.clusters[0]?.cluster['certificate-authority-data'] ?? '', 'base64').toString()).toBe(
    served.ca,
  )
  expect(config.users[0]?.user).toEqual({ token: 'secret' })
})
