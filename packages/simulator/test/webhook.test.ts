import { systemClock } from '@berth/clock'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApiServer } from '../src/index.ts'
import { createCertificates, type ServingCertificates } from '../src/http/certificates.ts'
import { callJson } from '../src/testing.ts'

let tls: ServingCertificates
let url: string
let isSilent = false
let listener: ReturnType<typeof createServer>

beforeAll(async () => {
  tls = await createCertificates('127.0.0.1', Date.now())
  listener = createServer({ cert: tls.cert, key: tls.key }, (request, response) => {
    if (isSilent) return
    let text = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    request.once('end', () => {
      const { uid, object } = (JSON.parse(text) as { request: { uid: string; object: { data?: object } } }).request
      const allowed = object.data === undefined
      response.end(JSON.stringify({ response: { uid, allowed, status: { message: `asked at ${request.url}` } } }))
    })
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  url = `https://127.0.0.1:${(listener.address() as AddressInfo).port}/judge`
})

afterAll(() => {
  listener.closeAllConnections()
  listener.close()
})

async function answer(data: object | undefined, hook: object = {}): Promise<{ status: number; message: string }> {
  const server = createApiServer({ clock: systemClock(), random: Math.random })
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }]
  const clientConfig = { url, caBundle: Buffer.from(tls.ca).toString('base64') }
  const webhook = {
    name: 'judge.example.com',
    clientConfig,
    rules,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  }
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
  const body = { metadata: { name: 'judge' }, webhooks: [{ ...webhook, ...hook }] }
  await callJson(server.handle, 'POST', path, { body })
  const created = await callJson(server.handle, 'POST', '/api/v1/namespaces/default/configmaps', {
    body: { metadata: { name: 'a' }, data },
  })
  return { status: created.status, message: created.body.message ?? '' }
}

test('calls a webhook over HTTPS and verifies its certificate with the CA bundle', async () => {
  expect((await answer(undefined)).status).toBe(201)
  expect(await answer({ a: 'b' })).toEqual({
    status: 400,
    message: 'admission webhook "judge.example.com" denied the request: asked at /judge?timeout=10s',
  })
  const { message } = await answer(undefined, { clientConfig: { url } })
  expect(message).toContain('tls: failed to verify certificate')
})

test('waits for a silent webhook until its timeout', async () => {
  isSilent = true
  const { status, message } = await answer(undefined, { timeoutSeconds: 1 })
  expect(status).toBe(500)
  expect(message).toContain(`Post "${url}?timeout=1s": context deadline exceeded`)
  expect((await answer(undefined, { timeoutSeconds: 1, failurePolicy: 'Ignore' })).status).toBe(201)
})
